// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// ggml's tensors as the views of the C interface.
#ifndef TESSERA_EXAMPLES_GGML_TENSORS_HPP_
#define TESSERA_EXAMPLES_GGML_TENSORS_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "examples/ggml/interface.hpp"
#include "tessera/tessera.h"

namespace tessera_ggml {

using ggml::Tensor;

inline std::size_t size(const Tensor& t, int axis) {
  return static_cast<std::size_t>(t.ne[axis]);
}
inline std::size_t row_count(const Tensor& t) {
  return size(t, 1) * size(t, 2) * size(t, 3);
}
inline bool is_empty(const Tensor& t) {
  return t.ne[0] == 0 || row_count(t) == 0;
}
inline bool same_shape(const Tensor& a, const Tensor& b) {
  return a.ne[0] == b.ne[0] && a.ne[1] == b.ne[1] && a.ne[2] == b.ne[2] && a.ne[3] == b.ne[3];
}
inline bool has_shape(const Tensor& t, std::int64_t n0, std::int64_t n1, std::int64_t n2,
                      std::int64_t n3) {
  return t.ne[0] == n0 && t.ne[1] == n1 && t.ne[2] == n2 && t.ne[3] == n3;
}

/// Bytes of an element, or of a block of a quantised type; 0 for a type that ggml does not know.
inline std::size_t block_bytes(const Tensor& t) {
  const ggml::TypeTraits* const traits = ggml::ggml_get_type_traits(t.type);
  return traits != nullptr ? traits->block_bytes : 0;
}

/// Rows are contiguous, and strides whole elements.
inline bool has_rows(const Tensor& t) {
  const std::size_t bytes = block_bytes(t);
  return bytes != 0 && t.nb[0] == bytes && t.nb[1] % bytes == 0 && t.nb[2] % bytes == 0 &&
         t.nb[3] % bytes == 0;
}
inline bool is_f32(const Tensor* t) {
  return t != nullptr && t->type == ggml::f32 && has_rows(*t);
}
inline bool is_float(const Tensor* t) {
  return t != nullptr && (t->type == ggml::f32 || t->type == ggml::f16 || t->type == ggml::bf16) &&
         has_rows(*t);
}
/// No gaps, axes in order.
inline bool is_contiguous(const Tensor& t) {
  return has_rows(t) && (size(t, 1) == 1 || t.nb[1] == size(t, 0) * t.nb[0]) &&
         (size(t, 2) == 1 || t.nb[2] == size(t, 1) * t.nb[1]) &&
         (size(t, 3) == 1 || t.nb[3] == size(t, 2) * t.nb[2]);
}

/// A stride in elements, or blocks.
inline std::ptrdiff_t stride(const Tensor& t, int axis) {
  return static_cast<std::ptrdiff_t>(t.nb[axis] / t.nb[0]);
}

/// Where the matrix (i2, i3) of a tensor begins.
inline std::byte* at(const Tensor& t, std::size_t i2 = 0, std::size_t i3 = 0) {
  return static_cast<std::byte*>(t.data) + i2 * t.nb[2] + i3 * t.nb[3];
}
inline float* floats(const Tensor& t, std::size_t i2 = 0, std::size_t i3 = 0) {
  return reinterpret_cast<float*>(at(t, i2, i3));
}

/// Parameters of an operator, which are int32 or float.
inline float parameter(const Tensor& t, int index) {
  float x = 0;
  std::memcpy(&x, &t.op_params[index], sizeof x);
  return x;
}

/// The matrix (i2, i3) of f32.
inline tsr_const_matrix matrix(const Tensor& t, std::size_t i2, std::size_t i3) {
  return {floats(t, i2, i3), size(t, 1), size(t, 0), stride(t, 1)};
}
inline tsr_matrix output_matrix(const Tensor& t, std::size_t i2, std::size_t i3) {
  return {floats(t, i2, i3), size(t, 1), size(t, 0), stride(t, 1)};
}

/// [dim, heads, tokens, sequences] of f32, as most recurrent operators keep it: one sequence.
inline tsr_const_heads heads_of_sequence(const Tensor& t, std::size_t sequence) {
  return {floats(t, 0, sequence), size(t, 1), size(t, 2), size(t, 0), stride(t, 1), stride(t, 2)};
}

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_TENSORS_HPP_

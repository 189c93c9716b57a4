// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of elements that a kernel does not take as they lie: copied to floats and back.
#ifndef TESSERA_EXAMPLES_GGML_ROWS_HPP_
#define TESSERA_EXAMPLES_GGML_ROWS_HPP_

#include <cstddef>
#include <cstring>

#include "examples/ggml/tensors.hpp"
#include "examples/ggml/work.hpp"

namespace tessera_ggml {

/// The matrix (i2, i3) as floats: in place, or converted or gathered into memory of the operator. No data: no memory.
inline tsr_const_matrix float_rows(const Tensor& t, std::size_t i2, std::size_t i3, Work& work) {
  if (is_f32(&t)) return matrix(t, i2, i3);
  const std::size_t rows = size(t, 1), cols = size(t, 0);
  auto* const to = work.take_array<float>(rows * cols);
  if (to == nullptr) return {};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::byte* const row = at(t, i2, i3) + i * t.nb[1];
    if (t.type != ggml::f32) {
      static_cast<void>(tsr_dequantize(static_cast<tsr_format>(t.type), row, cols, to + i * cols));
      continue;
    }
    for (std::size_t j = 0; j < cols; ++j)
      std::memcpy(to + i * cols + j, row + j * t.nb[0], sizeof(float));
  }
  return {to, rows, cols, static_cast<std::ptrdiff_t>(cols)};
}

/// Where a kernel writes the matrix (i2, i3) of a float type: in place, or into memory of the operator, from where
/// store_rows() rounds it to the type.
inline tsr_matrix rows_to_write(const Tensor& t, std::size_t i2, std::size_t i3, Work& work) {
  if (is_f32(&t)) return output_matrix(t, i2, i3);
  return {work.take_array<float>(size(t, 1) * size(t, 0)), size(t, 1), size(t, 0),
          static_cast<std::ptrdiff_t>(t.ne[0])};
}
inline void store_rows(const tsr_matrix& from, const Tensor& t, std::size_t i2, std::size_t i3) {
  if (is_f32(&t)) return;
  for (std::size_t i = 0; i < from.rows; ++i)
    static_cast<void>(tsr_quantize(static_cast<tsr_format>(t.type),
                                   from.data + static_cast<std::ptrdiff_t>(i) * from.row_stride,
                                   from.cols, at(t, i2, i3) + i * t.nb[1]));
}

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_ROWS_HPP_

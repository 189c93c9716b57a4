// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One call of an operator as others see it: name, arguments, tensors read and written. What a runtime
/// hands to a recorder or any other observer.
#ifndef TESSERA_OPERATOR_CALL_HPP_
#define TESSERA_OPERATOR_CALL_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/elements.hpp"
#include "tessera/core/views.hpp"

TESSERA_NAMESPACE_BEGIN

/// An argument that is no tensor: a word, or a number if `text` is null.
struct CallArgument {
  const char* name = nullptr;
  double number = 0;
  const char* text = nullptr;
};

/// A tensor of up to four axes; strides count elements, outermost first.
struct CallTensor {
  static constexpr std::size_t max_call_axes = 4;

  const char* role = nullptr;  ///< "q", "weight", "out"
  const void* data = nullptr;
  Element type = Element::f32;
  std::size_t axes = 0;
  std::size_t shape[max_call_axes] = {};
  std::ptrdiff_t strides[max_call_axes] = {};
  const char* constant = nullptr;  ///< the name of a weight, which no operator writes; else null
};

/// One call. What it refers to need live only as long as the call.
///
/// Kinds that the replay knows, with their tensors (arguments in brackets, all optional):
/// rms_norm (eps): x[t,n] weight[n] -> y. matmul (format): a[m,k] b[n,k] -> c[m,n].
/// rope (pairing): x[t,h,d] cosine[t,d/2] sine[t,d/2] -> y. swiglu: gate up -> y. add: x y -> x.
/// attention (scale, causal, offset, cache): q[t,h,d] k[T,g,d] v[T,g,e] -> out[t,h,e].
/// append: cache[p,g,d] (absent if p is 0) rows[t,g,d] -> cache[p+t,g,d].
struct OperatorCall {
  const char* name = nullptr;  ///< unique within a step, such as "layer3.attention"
  const char* kind = nullptr;  ///< what it computes, such as "attention"
  std::span<const CallArgument> arguments = {};
  std::span<const CallTensor> inputs = {};
  std::span<const CallTensor> outputs = {};
};

namespace internal {

template <class T>
inline constexpr Element element_of = Element::f32;
template <>
inline constexpr Element element_of<double> = Element::f64;
template <>
inline constexpr Element element_of<Float16> = Element::f16;
template <>
inline constexpr Element element_of<BFloat16> = Element::bf16;

}  // namespace internal

/// [rows, cols]
template <class T>
[[nodiscard]] TESSERA_INLINE CallTensor call_tensor(const char* role, const MatrixView<T>& x,
                                                    const char* constant = nullptr) noexcept {
  return {role,    x.data,           internal::element_of<std::remove_const_t<T>>,
          2,       {x.rows, x.cols}, {x.row_stride, 1},
          constant};
}

/// [tokens, heads, dim]
template <class T>
[[nodiscard]] TESSERA_INLINE CallTensor call_tensor(const char* role, const HeadView<T>& x,
                                                    const char* constant = nullptr) noexcept {
  return {role,
          x.data,
          internal::element_of<std::remove_const_t<T>>,
          3,
          {x.tokens, x.heads, x.dim},
          {x.token_stride, x.head_stride, 1},
          constant};
}

/// [count]
template <class T>
[[nodiscard]] TESSERA_INLINE CallTensor call_tensor(const char* role, const T* x, std::size_t count,
                                                    const char* constant = nullptr) noexcept {
  return {role, x, internal::element_of<T>, 1, {count}, {1}, constant};
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_OPERATOR_CALL_HPP_

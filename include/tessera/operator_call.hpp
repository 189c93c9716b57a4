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
  const void* copy_of = nullptr;   ///< the memory that `data` shows in another form; else null
};

/// One call. What it refers to need live only as long as the call.
///
/// Kinds that the replay knows, with their tensors; arguments in brackets, all optional, and so are operands
/// in brackets. Axes of 1 in front may be left out; s sequences, t tokens, h heads, g heads of keys, d and e elements.
/// rms_norm (eps), l2_norm (eps): x[..,n] (weight[n], rms_norm) -> y. add: x y -> x. swiglu: gate up -> y.
/// glu (function, alpha, limit): gate up -> y; reglu, geglu, geglu_erf, geglu_quick, swiglu_oai or swiglu_clamp.
/// softmax (scale): x[..,h,t,n] (mask sinks[h] slopes[h], by which the mask is scaled) -> y.
/// matmul (format, decoded: 1 if b holds what the format stored): a[..,m,k] b[..,n,k] -> c[..,m,n];
/// consecutive matrices of a share one of b where it has fewer.
/// matmul_experts (format, decoded): a[t,slots,k] b[expert,n,k] ids[t,used] -> c[t,used,n].
/// rope (pairing, offset): x[s,t,h,d] cosine[t,d/2] sine[t,d/2] -> y; or, for the tables, positions (factors), and
/// (pairs, base, planes, section0 to section3, frequency_scale, ext_factor, attention_factor, beta_fast,
/// beta_slow, context), as RopeTableArgs has them.
/// attention (scale, causal, offset, cache, soft_cap): q[s,t,h,d] k[s,T,g,d] v[s,T,g,e] (mask[..,t,T] sinks[h]
/// slopes[h]) -> out[s,t,h,e]. append: cache[p,g,d] (absent if p is 0) rows[t,g,d] -> cache[p+t,g,d].
/// ssm_conv (silu): x[s,channels,width-1+t] weight[channels,width] -> y[s,t,channels].
/// ssm_scan: x[s,t,h,d] dt[s,t,h] a[1 or n,h] b[s,t,groups,n] c state[s,n,h,d] -> y state.
/// gated_delta_net (head_map, scale): q[s,t,g,d] k v[s,t,h,e] log_gate[s,t,h,1 or d] beta[s,t,h,1] state[s,h,d,e]
/// -> out state. gated_linear_attention (scale): q k v gate state -> out state. rwkv6: receptance k v decay
/// bonus[h,d] state -> out state. rwkv7: receptance k v decay a b state -> out state.
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
  return {role,     x.data,           internal::element_of<std::remove_const_t<T>>,
          2,        {x.rows, x.cols}, {x.row_stride, 1},
          constant, nullptr};
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
          constant,
          nullptr};
}

/// [count]
template <class T>
[[nodiscard]] TESSERA_INLINE CallTensor call_tensor(const char* role, const T* x, std::size_t count,
                                                    const char* constant = nullptr) noexcept {
  return {role, x, internal::element_of<T>, 1, {count}, {1}, constant, nullptr};
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_OPERATOR_CALL_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What GATED_LINEAR_ATTN, RWKV_WKV6 and RWKV_WKV7 have in common: operands [S, H, tokens of all sequences], states
/// [S * S * H, sequences], the result [S * H, tokens + S * sequences]: outputs, then states.
#ifndef TESSERA_EXAMPLES_GGML_LINEAR_ATTENTION_HPP_
#define TESSERA_EXAMPLES_GGML_LINEAR_ATTENTION_HPP_

#include <cstring>
#include <vector>

#include "examples/ggml/states.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {

/// The first `operands` sources have one shape, and `states` is the last one.
inline bool is_linear_attention(const Tensor& dst, int operands, const Tensor* states) {
  for (int i = 0; i < operands; ++i)
    if (!is_f32(dst.src[i]) ||
        !has_shape(*dst.src[i], dst.src[0]->ne[0], dst.src[0]->ne[1], dst.src[0]->ne[2], 1))
      return false;
  if (!is_f32(states) || !is_contiguous(*states)) return false;
  const Tensor& x = *dst.src[0];
  const std::int64_t state = x.ne[0] * x.ne[0] * x.ne[1],
                     floats = states->ne[0] * static_cast<std::int64_t>(row_count(*states)),
                     sequences = states->ne[1];
  return sequences > 0 && x.ne[2] % sequences == 0 && floats == state * sequences &&
         holds(dst, x.ne[0] * x.ne[1] * x.ne[2], floats);
}

/// [S, H, T] of f32.
inline tsr_const_heads all_heads(const Tensor& t) {
  return heads_of_sequence(t, 0);
}

/// The members that all three kernels have; `sequences` must outlive the call.
template <class Args>
void set_outputs(Args& args, const Tensor& dst, const Tensor& states, tsr_state_order order,
                 std::vector<tsr_sequence>& sequences) {
  const Tensor& x = *dst.src[0];
  const std::size_t dim = size(x, 0), heads = size(x, 1), tokens = size(x, 2),
                    count = size(states, 1);
  const std::size_t state = dim * dim * heads;
  args.out = {floats(dst),
              heads,
              tokens,
              dim,
              static_cast<std::ptrdiff_t>(dim),
              static_cast<std::ptrdiff_t>(dim * heads)};
  float* const own = floats(dst) + dim * heads * tokens;
  std::memcpy(own, states.data, count * state * sizeof(float));
  args.states = {own, count, static_cast<std::ptrdiff_t>(state), order};
  for (std::size_t i = 0; i < count; ++i)
    sequences.push_back({i * (tokens / count), tokens / count, i});
  args.sequences = sequences.data();
  args.sequence_count = count;
}

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_LINEAR_ATTENTION_HPP_

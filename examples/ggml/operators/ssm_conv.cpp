// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// SSM_CONV: x [width - 1 + T, channels, S] whose first width - 1 elements are the state, weights [width, channels],
// result [channels, T, S].
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const x = dst.src[0];
  const Tensor* const w = dst.src[1];
  return is_f32(x) && is_f32(w) && is_f32(&dst) && w->ne[0] >= 2 && w->ne[0] <= 9 &&
         w->ne[2] == 1 && w->ne[3] == 1 && x->ne[1] == w->ne[1] && x->ne[3] == 1 &&
         has_shape(dst, w->ne[1], x->ne[0] - w->ne[0] + 1, x->ne[2], 1);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& x = *dst.src[0];
  const Tensor& w = *dst.src[1];
  const std::size_t before = size(w, 0) - 1, channels = size(w, 1), tokens = size(dst, 1);
  // The kernel leaves the new state where the old one was: that is a copy here.
  float* const state = work.take_array<float>(before * channels);
  if (state == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  const tsr_sequence all = {0, tokens, 0};
  tsr_ssm_conv_args args = tsr_ssm_conv_init();
  args.weight = {floats(w), before + 1, channels, 1, stride(w, 1)};
  args.sequences = &all;
  args.sequence_count = 1;
  args.states = {state, 1, 0, static_cast<std::ptrdiff_t>(channels), 1};
  for (std::size_t i = 0; i < size(dst, 2); ++i) {
    const float* const from = floats(x, i);
    for (std::size_t t = 0; t < before; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        state[t * channels + c] = from[t + c * static_cast<std::size_t>(stride(x, 1))];
    args.x = {from + before, tokens, channels, 1, stride(x, 1)};
    args.y = {floats(dst, i), tokens, channels, stride(dst, 1), 1};
    if (const tsr_status s = TESSERA_GGML_RUN(work, ssm_conv, args); s != TSR_OK) return s;
  }
  return TSR_OK;
}

}  // namespace

const Operator ssm_conv = {ggml::Op::ssm_conv, "SSM_CONV", supports, compute};

}  // namespace tessera_ggml

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// SSM_SCAN: states [N, P, H, slots], x [P, H, T, S], dt [H, T, S], A [1 or N, H], B and C [N, groups, T, S], ids i32 [S]:
// the slot each sequence begins with. Result: outputs [P, H, T, S], then states. Parameter: how many of these.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/states.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  for (int i = 0; i < 6; ++i)
    if (!is_f32(dst.src[i])) return false;
  const Tensor &s = *dst.src[0], &x = *dst.src[1], &dt = *dst.src[2], &a = *dst.src[3],
               &b = *dst.src[4], &c = *dst.src[5];
  const Tensor* const ids = dst.src[6];
  const std::int64_t tokens = x.ne[2], sequences = x.ne[3], state = s.ne[0] * s.ne[1] * s.ne[2];
  return ids != nullptr && ids->type == ggml::i32 && ids->nb[0] == 4 && ids->ne[0] == sequences &&
         s.nb[1] == s.nb[0] * size(s, 0) && s.nb[2] == s.nb[1] * size(s, 1) && x.ne[0] == s.ne[1] &&
         x.ne[1] == s.ne[2] && has_shape(dt, x.ne[1], tokens, sequences, 1) &&
         (a.ne[0] == 1 || a.ne[0] == s.ne[0]) && a.ne[1] == x.ne[1] && b.ne[0] == s.ne[0] &&
         b.ne[1] != 0 && x.ne[1] % b.ne[1] == 0 && b.ne[2] == tokens && b.ne[3] == sequences &&
         same_shape(b, c) && dst.op_params[0] >= 1 &&
         holds(dst, x.ne[0] * x.ne[1] * tokens * sequences, state * sequences * dst.op_params[0]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor &s = *dst.src[0], &x = *dst.src[1], &dt = *dst.src[2], &a = *dst.src[3],
               &b = *dst.src[4], &c = *dst.src[5];
  const auto* const ids = static_cast<const std::int32_t*>(dst.src[6]->data);
  const std::size_t channels = size(x, 0), heads = size(x, 1), tokens = size(x, 2),
                    sequences = size(x, 3), outputs = channels * heads * tokens;
  const StateOutputs states(dst, outputs * sequences, size(s, 0) * channels * heads, sequences,
                            static_cast<std::size_t>(dst.op_params[0]), work);
  if (!states.has_memory()) return TSR_WORKSPACE_TOO_SMALL;
  const tsr_sequence all = {0, tokens, 0};
  tsr_ssm_scan_args args = tsr_ssm_scan_init();
  args.a = {floats(a), size(a, 0), heads, 1, stride(a, 1)};
  args.sequences = &all;
  args.sequence_count = 1;
  for (std::size_t i = 0; i < sequences; ++i) {
    if (ids[i] < 0 || ids[i] >= s.ne[3]) return TSR_POSITION_RANGE;
    args.x = heads_of_sequence(x, i);
    args.dt = {floats(dt, i), tokens, heads, stride(dt, 1), 1};
    args.b = heads_of_sequence(b, i);
    args.c = heads_of_sequence(c, i);
    args.y = {floats(dst) + i * outputs,
              heads,
              tokens,
              channels,
              static_cast<std::ptrdiff_t>(channels),
              static_cast<std::ptrdiff_t>(channels * heads)};
    states.begin(args, i, floats(s, 0, static_cast<std::size_t>(ids[i])));
    if (const tsr_status status = TESSERA_GGML_RUN(work, ssm_scan, args); status != TSR_OK)
      return status;
  }
  return TSR_OK;
}

}  // namespace

const Operator ssm_scan = {ggml::Op::ssm_scan, "SSM_SCAN", supports, compute};

}  // namespace tessera_ggml

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// L2_NORM: rows of any tensor. Parameter: eps.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  return is_f32(dst.src[0]) && is_f32(&dst) && same_shape(*dst.src[0], dst) &&
         parameter(dst, 0) >= 0;
}

tsr_status compute(const Tensor& dst, Work& work) {
  tsr_l2_norm_args args = tsr_l2_norm_init();
  args.eps = parameter(dst, 0);
  for (std::size_t i3 = 0; i3 < size(dst, 3); ++i3) {
    args.x = heads_of_sequence(*dst.src[0], i3);
    args.y = {floats(dst, 0, i3), size(dst, 1),   size(dst, 2),
              size(dst, 0),       stride(dst, 1), stride(dst, 2)};
    if (const tsr_status s = TESSERA_GGML_RUN(work, l2_norm, args); s != TSR_OK) return s;
  }
  return TSR_OK;
}

}  // namespace

const Operator l2_norm = {ggml::Op::l2_norm, "L2_NORM", supports, compute};

}  // namespace tessera_ggml

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// RMS_NORM: rows of any tensor. Parameter: eps.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  return is_f32(dst.src[0]) && is_f32(&dst) && same_shape(*dst.src[0], dst) &&
         parameter(dst, 0) >= 0;
}

tsr_status compute(const Tensor& dst, Work& work) {
  tsr_rms_norm_args args = tsr_rms_norm_init();
  args.eps = parameter(dst, 0);
  for (std::size_t i3 = 0; i3 < size(dst, 3); ++i3)
    for (std::size_t i2 = 0; i2 < size(dst, 2); ++i2) {
      args.x = matrix(*dst.src[0], i2, i3);
      args.y = output_matrix(dst, i2, i3);
      if (const tsr_status s = TESSERA_GGML_RUN(work, rms_norm, args); s != TSR_OK) return s;
    }
  return TSR_OK;
}

}  // namespace

const Operator rms_norm = {ggml::Op::rms_norm, "RMS_NORM", supports, compute};

}  // namespace tessera_ggml

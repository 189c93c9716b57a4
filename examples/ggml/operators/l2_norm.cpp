// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// L2_NORM: rows of any tensor; where their elements lie apart, of a copy. Parameter: eps.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/rows.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const x = dst.src[0];
  return x != nullptr && x->type == ggml::f32 && is_f32(&dst) && same_shape(*x, dst) &&
         parameter(dst, 0) >= 0;
}

tsr_status compute(const Tensor& dst, Work& work) {
  tsr_l2_norm_args args = tsr_l2_norm_init();
  args.eps = parameter(dst, 0);
  for (std::size_t i3 = 0; i3 < size(dst, 3); ++i3)
    for (std::size_t i2 = 0; i2 < size(dst, 2); ++i2) {
      const tsr_const_matrix x = float_rows(*dst.src[0], i2, i3, work);
      const tsr_matrix y = output_matrix(dst, i2, i3);
      if (x.data == nullptr) return TSR_WORKSPACE_TOO_SMALL;
      args.x = {x.data, 1, x.rows, x.cols, 0, x.row_stride};
      args.y = {y.data, 1, y.rows, y.cols, 0, y.row_stride};
      if (const tsr_status s = TESSERA_GGML_RUN(work, l2_norm, args); s != TSR_OK) return s;
    }
  return TSR_OK;
}

}  // namespace

const Operator l2_norm = {ggml::Op::l2_norm, "L2_NORM", supports, compute};

}  // namespace tessera_ggml

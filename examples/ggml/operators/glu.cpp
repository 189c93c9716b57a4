// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// GLU: the kernel has SwiGLU of f32, silu(first) * second; both halves of a row (parameter 1 swaps them), or two
// tensors. Parameter 0 says which function.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

constexpr std::int32_t swiglu = 2;

bool supports(const Tensor& dst) {
  const Tensor* const a = dst.src[0];
  const Tensor* const b = dst.src[1];
  if (dst.op_params[0] != swiglu || !is_f32(a) || !is_f32(&dst)) return false;
  if (b != nullptr) return is_f32(b) && same_shape(*a, *b) && same_shape(*a, dst);
  return a->ne[0] % 2 == 0 && has_shape(dst, a->ne[0] / 2, a->ne[1], a->ne[2], a->ne[3]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& a = *dst.src[0];
  const Tensor* const b = dst.src[1];
  const bool swapped = dst.op_params[1] != 0;
  tsr_swiglu_args args = tsr_swiglu_init();
  for (std::size_t i3 = 0; i3 < size(dst, 3); ++i3)
    for (std::size_t i2 = 0; i2 < size(dst, 2); ++i2) {
      args.y = output_matrix(dst, i2, i3);
      args.gate = args.up = matrix(a, i2, i3);
      if (b != nullptr) {
        args.up = matrix(*b, i2, i3);
      } else {
        args.gate.cols = args.up.cols = args.y.cols;
        (swapped ? args.gate : args.up).data += args.y.cols;
      }
      if (const tsr_status s = TESSERA_GGML_RUN(work, swiglu, args); s != TSR_OK) return s;
    }
  return TSR_OK;
}

}  // namespace

const Operator glu = {ggml::Op::glu, "GLU", supports, compute};

}  // namespace tessera_ggml

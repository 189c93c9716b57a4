// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// GLU: f(first) * second of both halves of a row (parameter 1 swaps them), or of two tensors. Parameter 0 says which
// function: SwiGLU is a kernel; those that are x * sigmoid(of x) take sigmoid from the library, and so does the gelu with erf,
// for e^(-x^2 / 2); ReGLU takes nothing.
#include <algorithm>
#include <cmath>

#include "examples/ggml/operator.hpp"
#include "examples/ggml/rows.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

enum Function : std::int32_t {
  reglu = 0,
  geglu = 1,
  swiglu = 2,
  swiglu_oai = 3,
  geglu_erf = 4,
  geglu_quick = 5,
  swiglu_clamp = 6
};

bool supports(const Tensor& dst) {
  const Tensor* const a = dst.src[0];
  const Tensor* const b = dst.src[1];
  const std::int32_t f = dst.op_params[0];
  if (f < reglu || f > swiglu_clamp) return false;
  if (!is_float(a) || !is_float(&dst) || a->type != dst.type) return false;
  if (b != nullptr) return is_float(b) && same_shape(*a, *b) && same_shape(*a, dst);
  return has_shape(dst, a->ne[0] / 2, a->ne[1], a->ne[2], a->ne[3]);
}

// What sigmoid is taken of. The tanh form of gelu is x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)).
float inside(std::int32_t function, float x, float alpha) {
  if (function == geglu) return 1.5957691216f * x * (1.0f + 0.044715f * x * x);
  if (function == geglu_erf) return -0.5f * x * x;
  if (function == swiglu_clamp) return x;
  return (function == geglu_quick ? 1.702f : alpha) * x;
}

// The normal distribution's Phi(x), of which gelu is x Phi(x), from s = sigmoid(-x^2 / 2). Phi(-a) is e^(-a^2 / 2) t P(t)
// for a >= 0 with t = 1 / (1 + 0.3 a) and P fitted where the factor is not 0, with a relative error of 2^-27.7. In double:
// what errs is the exponent, so the relative error is at most (5 + x^2) 2^-24.
float normal_share(float x, float s) {
  constexpr double p[] = {0.11968775188825284,  0.11955029574333513,  0.11041998012557441,
                          0.07750862386325537,  0.0987434513938916,   -0.08428206915058173,
                          0.19764255497183697,  -0.23259967899113465, 0.11429182063678406,
                          -0.020962732361678345};
  const double t = 1 / (1 + 0.3 * std::fabs(static_cast<double>(x)));
  double sum = 0;
  for (int i = 9; i >= 0; --i) sum = sum * t + p[i];
  const auto share = static_cast<double>(s);
  const double tail = share / (1 - share) * t * sum;
  return static_cast<float>(x < 0 ? tail : 1 - tail);
}

// gate * sigmoid(inside) * up; of swiglu_oai and swiglu_clamp with limits, of swiglu_oai with up + 1. Parameters 2 and 3: alpha,
// limit.
tsr_status by_sigmoid(const Tensor& dst, const tsr_swiglu_args& rows, Work& work) {
  const std::int32_t function = dst.op_params[0];
  const float alpha = parameter(dst, 2), limit = parameter(dst, 3);
  const bool limited = function == swiglu_oai || function == swiglu_clamp;
  const auto gate = [&](std::size_t i, std::size_t j) {
    const float x = rows.gate.data[static_cast<std::ptrdiff_t>(i) * rows.gate.row_stride +
                                   static_cast<std::ptrdiff_t>(j)];
    return limited ? std::min(x, limit) : x;
  };
  const auto up = [&](std::size_t i, std::size_t j) {
    const float x = rows.up.data[static_cast<std::ptrdiff_t>(i) * rows.up.row_stride +
                                 static_cast<std::ptrdiff_t>(j)];
    const float clamped = limited ? std::clamp(x, -limit, limit) : x;
    return function == swiglu_oai ? clamped + 1.0f : clamped;
  };
  const tsr_matrix& y = rows.y;
  auto* const shares = work.take_array<float>(y.rows * y.cols);
  if (shares == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t j = 0; j < y.cols; ++j)
      shares[i * y.cols + j] = inside(function, gate(i, j), alpha);
  tsr_activation_args args = tsr_activation_init();
  args.y = {shares, y.rows, y.cols, static_cast<std::ptrdiff_t>(y.cols)};
  args.x = {shares, y.rows, y.cols, static_cast<std::ptrdiff_t>(y.cols)};
  args.function = TSR_SIGMOID;
  if (const tsr_status s = TESSERA_GGML_RUN(work, activation, args); s != TSR_OK) return s;
  if (function == geglu_erf)
    for (std::size_t i = 0; i < y.rows; ++i)
      for (std::size_t j = 0; j < y.cols; ++j)
        shares[i * y.cols + j] = normal_share(gate(i, j), shares[i * y.cols + j]);
  for (std::size_t i = 0; i < y.rows; ++i)
    for (std::size_t j = 0; j < y.cols; ++j)
      y.data[static_cast<std::ptrdiff_t>(i) * y.row_stride + static_cast<std::ptrdiff_t>(j)] =
          gate(i, j) * shares[i * y.cols + j] * up(i, j);
  return TSR_OK;
}

// max(gate, 0) * up: one rounding. A NaN stays one.
tsr_status by_sign(const tsr_swiglu_args& rows, Work& work) {
  const tsr_matrix& y = rows.y;
  work.share(y.rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::ptrdiff_t>(i);
      const float* const gate = rows.gate.data + row * rows.gate.row_stride;
      const float* const up = rows.up.data + row * rows.up.row_stride;
      for (std::size_t j = 0; j < y.cols; ++j)
        y.data[row * y.row_stride + static_cast<std::ptrdiff_t>(j)] =
            (gate[j] < 0.0f ? 0.0f : gate[j]) * up[j];
    }
  });
  return TSR_OK;
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& a = *dst.src[0];
  const Tensor* const b = dst.src[1];
  const bool swapped = dst.op_params[1] != 0;
  tsr_swiglu_args args = tsr_swiglu_init();
  for (std::size_t i3 = 0; i3 < size(dst, 3); ++i3)
    for (std::size_t i2 = 0; i2 < size(dst, 2); ++i2) {
      args.y = rows_to_write(dst, i2, i3, work);
      args.gate = args.up = float_rows(a, i2, i3, work);
      if (b != nullptr) {
        args.up = float_rows(*b, i2, i3, work);
      } else {
        args.gate.cols = args.up.cols = args.y.cols;
        (swapped ? args.gate : args.up).data += args.y.cols;
      }
      if (args.y.data == nullptr || args.gate.data == nullptr || args.up.data == nullptr)
        return TSR_WORKSPACE_TOO_SMALL;
      const std::int32_t function = dst.op_params[0];
      const tsr_status s = function == swiglu  ? TESSERA_GGML_RUN(work, swiglu, args)
                           : function == reglu ? by_sign(args, work)
                                               : by_sigmoid(dst, args, work);
      if (s != TSR_OK) return s;
      store_rows(args.y, dst, i2, i3);
    }
  return TSR_OK;
}

}  // namespace

const Operator glu = {ggml::Op::glu, "GLU", supports, compute};

}  // namespace tessera_ggml

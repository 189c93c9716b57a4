// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// SOFT_MAX: rows of any tensor; mask f32 or f16 [n, >= rows, ., .], sinks [heads]. Parameters: scale, largest bias.
// The kernel takes scaled rows. With a mask, scores are computed here and the kernel gets them ready; a sink is
// one more score, whose share is dropped.
#include <cmath>
#include <cstring>

#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const x = dst.src[0];
  const Tensor* const mask = dst.src[1];
  const Tensor* const sinks = dst.src[2];
  const float bias = parameter(dst, 1);
  return is_f32(x) && is_f32(&dst) && same_shape(*x, dst) && std::isfinite(parameter(dst, 0)) &&
         bias >= 0.0f && bias <= 64.0f && (mask != nullptr || bias == 0.0f) &&
         (mask == nullptr ||
          (is_float(mask) && mask->type != ggml::bf16 && mask->ne[0] == x->ne[0] &&
           mask->ne[1] >= x->ne[1] && mask->ne[2] != 0 && mask->ne[3] != 0)) &&
         (sinks == nullptr || (is_f32(sinks) && sinks->ne[0] == x->ne[2]));
}

// Scores of the rows of one head: scale * x + slope * mask, and the sink behind them.
struct Scores {
  const Tensor& dst;
  const float* slopes;
  std::size_t columns;

  void write_row(std::size_t i1, std::size_t i2, std::size_t i3, float* to, float* mask_row) const {
    const Tensor& x = *dst.src[0];
    const Tensor* const mask = dst.src[1];
    const Tensor* const sinks = dst.src[2];
    const float* const from = floats(x, i2, i3) + static_cast<std::ptrdiff_t>(i1) * stride(x, 1);
    const float scale = parameter(dst, 0);
    const float slope = slopes != nullptr ? slopes[i2] : 1.0f;
    const float* add = nullptr;
    if (mask != nullptr) {
      const std::byte* const row =
          at(*mask, i2 % size(*mask, 2), i3 % size(*mask, 3)) + i1 * mask->nb[1];
      add = reinterpret_cast<const float*>(row);
      if (mask->type == ggml::f16) {
        static_cast<void>(tsr_dequantize(TSR_F16, row, size(x, 0), mask_row));
        add = mask_row;
      }
    }
    for (std::size_t i = 0; i < size(x, 0); ++i)
      to[i] = std::fma(scale, from[i], add != nullptr ? slope * add[i] : 0.0f);
    if (sinks != nullptr) to[columns - 1] = floats(*sinks)[i2];
  }
};

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& x = *dst.src[0];
  const bool plain = dst.src[1] == nullptr && dst.src[2] == nullptr;
  const std::size_t n = size(x, 0), rows = size(x, 1),
                    columns = n + (dst.src[2] != nullptr ? 1 : 0);
  float *scores = nullptr, *mask_rows = nullptr, *slopes = nullptr;
  if (!plain) {
    scores = work.take_array<float>(rows * columns);
    mask_rows = work.take_array<float>(work.threads() * n);
    if (scores == nullptr || mask_rows == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  }
  if (const float bias = parameter(dst, 1); bias != 0.0f) {
    slopes = work.take_array<float>(size(x, 2));
    if (slopes == nullptr) return TSR_WORKSPACE_TOO_SMALL;
    if (const tsr_status s = tsr_alibi_slopes(bias, slopes, size(x, 2)); s != TSR_OK) return s;
  }
  const Scores scored{dst, slopes, columns};
  tsr_softmax_args args = tsr_softmax_init();
  for (std::size_t i3 = 0; i3 < size(x, 3); ++i3)
    for (std::size_t i2 = 0; i2 < size(x, 2); ++i2) {
      args.x = matrix(x, i2, i3);
      args.y = output_matrix(dst, i2, i3);
      args.scale = parameter(dst, 0);
      if (!plain) {
        work.share(rows, [&](std::size_t thread, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            scored.write_row(i, i2, i3, scores + i * columns, mask_rows + thread * n);
        });
        const auto apart = static_cast<std::ptrdiff_t>(columns);
        args.x = {scores, rows, columns, apart};
        args.y = {scores, rows, columns, apart};
        args.scale = 1.0f;
      }
      if (const tsr_status s = TESSERA_GGML_RUN(work, softmax, args); s != TSR_OK) return s;
      if (!plain)
        for (std::size_t i = 0; i < rows; ++i)
          std::memcpy(at(dst, i2, i3) + i * dst.nb[1], scores + i * columns, n * sizeof(float));
    }
  return TSR_OK;
}

}  // namespace

const Operator soft_max = {ggml::Op::soft_max, "SOFT_MAX", supports, compute};

}  // namespace tessera_ggml

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

struct SoftmaxOperands {
  Operand x;             ///< [., heads, rows, cols]
  Operand mask;          ///< [., ., at least rows, cols], fewer are repeated; no values: none
  Values sinks, slopes;  ///< by head, or none
  double scale;
};

/// What is done otherwise than right.
struct SoftmaxSlip {
  bool unscaled = false, mask_ignored = false, sinks_ignored = false, slopes_ignored = false;
};

Values soft_rows(const SoftmaxOperands& in, SoftmaxSlip slip) {
  Values out;
  const std::size_t heads = in.x.axis(1), rows = in.x.axis(2), cols = in.x.axis(3);
  for (std::size_t row = 0; row < in.x.axis(0) * heads * rows; ++row) {
    const std::size_t i1 = row % rows, i2 = row / rows % heads, i3 = row / rows / heads;
    const bool sink = !in.sinks.empty() && !slip.sinks_ignored;
    double largest = sink ? in.sinks[i2] : -std::numeric_limits<double>::infinity();
    Values z(in.x.values.begin() + static_cast<std::ptrdiff_t>(row * cols),
             in.x.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * cols));
    const double slope = in.slopes.empty() || slip.slopes_ignored ? 1 : in.slopes[i2];
    for (std::size_t i = 0; i < cols; ++i) {
      if (!slip.unscaled) z[i] *= in.scale;
      if (!in.mask.values.empty() && !slip.mask_ignored) {
        const std::size_t of = i3 % in.mask.axis(0) * in.mask.axis(1) + i2 % in.mask.axis(1);
        z[i] += slope * in.mask.values[(of * in.mask.axis(2) + i1) * cols + i];
      }
      largest = std::max(largest, z[i]);
    }
    double sum = sink ? std::exp(in.sinks[i2] - largest) : 0;
    for (double& v : z) {
      v = std::isinf(largest) ? 0 : std::exp(v - largest);
      sum += v;
    }
    for (const double v : z) out.push_back(sum == 0 ? 0 : v / sum);
  }
  return out;
}

}  // namespace

std::vector<Attempt> softmax_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<SoftmaxOperands>();
  in->x = padded_operand(r, "x", 4);
  in->mask = optional_operand(r, "mask", 4);
  require(r,
          in->mask.values.empty() ||
              (in->mask.axis(2) >= in->x.axis(2) && in->mask.axis(3) == in->x.axis(3)),
          "the mask has unlike rows");
  in->sinks = optional_values(r, "sinks");
  in->slopes = optional_values(r, "slopes");
  require(r,
          (in->sinks.empty() || in->sinks.size() == in->x.axis(1)) &&
              (in->slopes.empty() || in->slopes.size() == in->x.axis(1)),
          "sinks and slopes must be as many as heads");
  in->scale = r.number_of("scale", 1);
  std::vector<Attempt> attempts;
  const auto attempt = [&](const char* name, const char* sentence, SoftmaxSlip slip) {
    attempts.push_back({name, sentence, [in, slip] { return soft_rows(*in, slip); }});
  };
  attempt("right", "", {});
  attempt("missing_scale", "the scores are not scaled", {.unscaled = true});
  if (!in->mask.values.empty())
    attempt("missing_mask", "the mask is not added", {.mask_ignored = true});
  if (!in->sinks.empty())
    attempt("missing_sinks", "the sinks are left out of the sum", {.sinks_ignored = true});
  if (!in->slopes.empty())
    attempt("missing_slopes", "the mask is not scaled by head", {.slopes_ignored = true});
  return attempts;
}

}  // namespace replay

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

struct RopeOperands {
  Operand x, cosine, sine;
  bool interleaved;
};

/// Turns pair i of every head by the angle of its token.
Values rotated(const RopeOperands& in, bool interleaved, double direction, std::size_t late) {
  const std::size_t half = in.cosine.axis(1);
  const std::size_t dim = in.x.axis(2);
  Values out = in.x.values;
  for (std::size_t t = 0; t < in.x.axis(0); ++t)
    for (std::size_t h = 0; h < in.x.axis(1); ++h)
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t row = (t * in.x.axis(1) + h) * dim;
        const std::size_t a = row + (interleaved ? 2 * i : i);
        const std::size_t b = interleaved ? a + 1 : a + half;
        const std::size_t angle = (t < late ? 0 : t - late) * half + i;
        const double c = in.cosine.values[angle];
        const double s = direction * in.sine.values[angle];
        out[a] = in.x.values[a] * c - in.x.values[b] * s;
        out[b] = in.x.values[a] * s + in.x.values[b] * c;
      }
  return out;
}

}  // namespace

std::vector<Attempt> rope_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<RopeOperands>(
      RopeOperands{operand(r, "x", 3), operand(r, "cosine", 2), operand(r, "sine", 2),
                   r.text_of("pairing", "interleaved") == "interleaved"});
  require(r, in->cosine.shape == in->sine.shape && in->cosine.axis(0) == in->x.axis(0),
          "cosine and sine must have a row per token");
  require(r, 2 * in->cosine.axis(1) <= in->x.axis(2), "there are more angles than pairs");
  const bool pairing = in->interleaved;
  return {{"right", "", [in, pairing] { return rotated(*in, pairing, 1, 0); }},
          {"rope_pairing",
           pairing ? "element i is paired with i + half instead of its neighbour"
                   : "neighbours are paired instead of elements half a head apart",
           [in, pairing] { return rotated(*in, !pairing, 1, 0); }},
          {"rope_direction", "the rotation is backwards",
           [in, pairing] { return rotated(*in, pairing, -1, 0); }},
          {"rope_position", "the angles are those of the token before",
           [in, pairing] { return rotated(*in, pairing, 1, 1); }}};
}

}  // namespace replay

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"
#include "tests/reference/rope.hpp"

namespace replay {
namespace {

struct RopeOperands {
  Operand x;            ///< [sequences][tokens][heads][dim]
  Values cosine, sine;  ///< [token][pair]
  std::size_t pairs, offset;
  bool interleaved;
};

/// Turns pair i of every head by the angle of its token.
Values rotated(const RopeOperands& in, bool interleaved, double direction, std::size_t late) {
  const std::size_t tokens = in.x.axis(1), heads = in.x.axis(2), dim = in.x.axis(3);
  Values out = in.x.values;
  for (std::size_t row = 0; row < in.x.axis(0) * tokens * heads; ++row)
    for (std::size_t i = 0; i < in.pairs; ++i) {
      const std::size_t a = row * dim + in.offset + (interleaved ? 2 * i : i);
      const std::size_t b = interleaved ? a + 1 : a + in.pairs;
      const std::size_t t = row / heads % tokens;
      const std::size_t angle = (t < late ? 0 : t - late) * in.pairs + i;
      const double c = in.cosine[angle];
      const double s = direction * in.sine[angle];
      out[a] = in.x.values[a] * c - in.x.values[b] * s;
      out[b] = in.x.values[a] * s + in.x.values[b] * c;
    }
  return out;
}

/// The tables from positions and the words of a model.
void make_tables(const dumps::OperatorRecord& r, RopeOperands& in) {
  const Values positions = values_of(*r.input("positions"));
  reference::RopeModel model;
  const std::string planes = r.text_of("planes", "one");
  model.planes = planes == "sections"      ? 1
                 : planes == "interleaved" ? 2
                 : planes == "vision"      ? 3
                                           : 0;
  const std::size_t tokens = in.x.axis(1), count = model.planes == 0 ? 1 : 4;
  require(r, positions.size() == tokens * count, "there must be a position per token and plane");
  model.pairs = in.pairs = static_cast<std::size_t>(r.number_of("pairs", 0));
  model.base = r.number_of("base", 1e4);
  for (std::size_t i = 0; i < 4; ++i)
    model.section[i] = static_cast<unsigned>(r.number_of("section" + std::to_string(i), 0));
  require(
      r,
      count == 1 || model.section[0] + model.section[1] + model.section[2] + model.section[3] > 0,
      "the sections are empty");
  model.factors = floats_of(optional_values(r, "factors"));
  require(r, model.factors.empty() || model.factors.size() >= in.pairs,
          "a factor per pair is needed");
  model.frequency_scale = r.number_of("frequency_scale", 1);
  model.ext_factor = r.number_of("ext_factor", 0);
  model.attention_factor = r.number_of("attention_factor", 1);
  model.beta_fast = r.number_of("beta_fast", 32);
  model.beta_slow = r.number_of("beta_slow", 1);
  model.context = static_cast<unsigned>(r.number_of("context", 0));
  for (std::size_t t = 0; t < tokens; ++t) {
    long of_token[4] = {};
    for (std::size_t plane = 0; plane < count; ++plane)
      of_token[plane] = static_cast<long>(positions[plane * tokens + t]);
    for (std::size_t p = 0; p < in.pairs; ++p) {
      const reference::Turn turn = reference::turn(model, of_token, p);
      in.cosine.push_back(turn.cos);
      in.sine.push_back(turn.sin);
    }
  }
}

}  // namespace

std::vector<Attempt> rope_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<RopeOperands>();
  in->x = padded_operand(r, "x", 4);
  in->interleaved = r.text_of("pairing", "interleaved") == "interleaved";
  in->offset = static_cast<std::size_t>(r.number_of("offset", 0));
  if (r.input("positions") != nullptr) {
    make_tables(r, *in);
  } else {
    const Operand cosine = operand(r, "cosine", 2), sine = operand(r, "sine", 2);
    require(r, cosine.shape == sine.shape && cosine.axis(0) == in->x.axis(1),
            "cosine and sine must have a row per token");
    in->pairs = cosine.axis(1);
    in->cosine = cosine.values;
    in->sine = sine.values;
  }
  require(r, in->offset + 2 * in->pairs <= in->x.axis(3), "there are more angles than pairs");
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

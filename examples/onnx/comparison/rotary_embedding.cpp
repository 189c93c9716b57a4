// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <cmath>

#include "examples/onnx/comparison/cases.hpp"

namespace tessera_onnx {

Tables::Tables(std::size_t positions, std::size_t pairs) {
  for (std::size_t i = 0; i < positions; ++i)
    for (std::size_t p = 0; p < pairs; ++p) {
      const double angle = static_cast<double>(i) *
                           std::pow(10000.0, -static_cast<double>(p) / static_cast<double>(pairs));
      cosine.push_back(static_cast<float>(std::cos(angle)));
      sine.push_back(static_cast<float>(std::sin(angle)));
    }
}

void turn_head(double* head, const Tables& tables, std::size_t position, std::size_t pairs,
               bool interleaved) {
  for (std::size_t p = 0; p < pairs; ++p) {
    double& x = head[interleaved ? 2 * p : p];
    double& y = head[interleaved ? 2 * p + 1 : p + pairs];
    const double c = static_cast<double>(tables.cosine[position * pairs + p]);
    const double s = static_cast<double>(tables.sine[position * pairs + p]);
    const double turned = x * c - y * s;
    y = x * s + y * c;
    x = turned;
  }
}

namespace {

struct Options {
  bool interleaved, heads_first, first_position_only;
  std::size_t rotary;  ///< of the head's elements
};

constexpr std::size_t batch = 2, tokens = 7, heads = 3, dim = 64, positions = 50;

Case make(std::mt19937& r, const Options& o) {
  const auto i = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const auto x = random_floats(r, batch * tokens * heads * dim);
  const Tables tables(positions, o.rotary / 2);
  std::vector<std::int64_t> ids(o.first_position_only ? 1 : batch * tokens);
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(r() % (positions - tokens));
  Numbers y(x.begin(), x.end());
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t row =
            o.heads_first ? (b * heads + h) * tokens + t : (b * tokens + t) * heads + h;
        const std::int64_t position = o.first_position_only ? ids[0] + i(t) : ids[b * tokens + t];
        turn_head(y.data() + row * dim, tables, static_cast<std::size_t>(position), o.rotary / 2,
                  o.interleaved);
      }
  Case c{};
  c.op = "RotaryEmbedding";
  c.name = std::string(o.interleaved ? "interleaved" : "halves") +
           (o.heads_first ? ", heads first" : ", tokens first") +
           (o.first_position_only ? ", first position" : ", position ids") + ", " +
           std::to_string(o.rotary) + " of " + std::to_string(dim);
  const std::vector<std::int64_t> shape =
      o.heads_first ? std::vector<std::int64_t>{i(batch), i(heads), i(tokens), i(dim)}
                    : std::vector<std::int64_t>{i(batch), i(tokens), i(heads * dim)};
  const std::vector<std::int64_t> ids_shape = o.first_position_only
                                                  ? std::vector<std::int64_t>{1}
                                                  : std::vector<std::int64_t>{i(batch), i(tokens)};
  c.inputs = {{"x", array_of(shape, x)},
              {"ids", array_of(ids_shape, ids)},
              {"cosine", array_of({i(positions), i(o.rotary / 2)}, tables.cosine), true},
              {"sine", array_of({i(positions), i(o.rotary / 2)}, tables.sine), true}};
  c.attributes = {{"interleaved", i(o.interleaved ? 1 : 0)}};
  if (o.rotary != dim) {
    c.attributes.push_back({"rotary_embedding_dim", i(o.rotary)});
    c.attributes.push_back({"num_heads", i(heads)});
  }
  c.expected = {y};
  c.limit = c.own_limit = rotation_limit;
  return c;
}

}  // namespace

std::vector<Case> rotary_embedding_cases() {
  std::mt19937 r(2);
  std::vector<Case> cases;
  for (const bool interleaved : {false, true})
    for (const bool heads_first : {false, true})
      for (const bool first_position_only : {false, true})
        for (const std::size_t rotary : {dim, dim / 2})
          cases.push_back(make(r, {interleaved, heads_first, first_position_only, rotary}));
  return cases;
}

}  // namespace tessera_onnx

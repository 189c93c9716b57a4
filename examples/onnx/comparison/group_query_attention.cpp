// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "examples/onnx/comparison/cases.hpp"

namespace tessera_onnx {
namespace {

struct Options {
  std::string name;
  std::size_t heads = 8, key_heads = 2, dim = 64, tokens = 1;
  std::vector<std::size_t> past;  ///< tokens that each sequence has before the new ones
  std::size_t buffer = 0;         ///< rows of the past's tensors; 0: as many as there are
  int window = -1;
  float cap = 0, scale = 0;
  bool packed = false, rotary = false, interleaved = false, smooth = false, bias = false;
  std::size_t shift = 0;  ///< above 0: position ids are given, and this much beyond the usual ones
  bool may_be_missing = false;
  std::size_t pairs = 0;  ///< that are rotated; 0: all of a head
};

/// heads x rows x dim, in double.
struct Heads {
  std::size_t heads, rows, dim;
  Numbers data = Numbers(heads * rows * dim);

  [[nodiscard]] double* row(std::size_t h, std::size_t t) {
    return data.data() + (h * rows + t) * dim;
  }
};

/// The new tokens of a sequence, turned: elements of a row lie at `first` in rows of `width`.
Heads new_tokens(const std::vector<float>& x, std::size_t sequence, std::size_t heads,
                 std::size_t first, std::size_t width, const Options& o, const Tables* tables) {
  Heads y{heads, o.tokens, o.dim};
  const std::size_t pairs = o.pairs != 0 ? o.pairs : o.dim / 2;
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t t = 0; t < o.tokens; ++t) {
      const float* const from = x.data() + (sequence * o.tokens + t) * width + first + h * o.dim;
      std::copy_n(from, o.dim, y.row(h, t));
      if (tables != nullptr)
        turn_head(y.row(h, t), *tables, o.past[sequence] + t + o.shift, pairs, o.interleaved);
    }
  return y;
}

/// The past's rows, then the new ones, then what nobody specifies.
Heads present_of(const std::vector<float>& past, std::size_t past_rows, std::size_t sequence,
                 Heads& fresh, std::size_t present_rows, const Options& o) {
  Heads y{o.key_heads, present_rows, o.dim};
  std::fill(y.data.begin(), y.data.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t h = 0; h < o.key_heads; ++h) {
    for (std::size_t t = 0; t < o.past[sequence]; ++t)
      std::copy_n(past.data() + ((sequence * o.key_heads + h) * past_rows + t) * o.dim, o.dim,
                  y.row(h, t));
    for (std::size_t t = 0; t < o.tokens; ++t)
      std::copy_n(fresh.row(h, t), o.dim, y.row(h, o.past[sequence] + t));
  }
  return y;
}

/// One query: `out` has dim elements.
void attend(const double* q, Heads& k, Heads& v, std::size_t key_head, std::size_t position,
            const float* bias, const Options& o, double* out) {
  const auto window = static_cast<std::size_t>(o.window);
  const std::size_t first = o.window >= 0 && position > window ? position - window : 0;
  const double scale =
      o.scale != 0 ? static_cast<double>(o.scale) : 1 / std::sqrt(static_cast<double>(o.dim));
  const double cap = static_cast<double>(o.cap);
  std::vector<double> scores;
  double largest = o.smooth ? 0.0 : -std::numeric_limits<double>::infinity();
  for (std::size_t t = first; t <= position; ++t) {
    double s = 0;
    for (std::size_t d = 0; d < o.dim; ++d) s += q[d] * k.row(key_head, t)[d];
    s *= scale;
    if (cap != 0) s = cap * std::tanh(s / cap);
    if (bias != nullptr) s += static_cast<double>(bias[t]);
    scores.push_back(s);
    largest = std::max(largest, s);
  }
  double sum = o.smooth ? std::exp(-largest) : 0.0;
  std::fill_n(out, o.dim, 0.0);
  for (std::size_t t = first; t <= position; ++t) {
    const double p = std::exp(scores[t - first] - largest);
    sum += p;
    for (std::size_t d = 0; d < o.dim; ++d) out[d] += p * v.row(key_head, t)[d];
  }
  for (std::size_t d = 0; d < o.dim; ++d) out[d] /= sum;
}

void append(Numbers& to, const Numbers& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Case make(std::mt19937& r, const Options& o) {
  const auto i = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const std::size_t batch = o.past.size(),
                    longest = *std::max_element(o.past.begin(), o.past.end());
  const std::size_t past_rows = o.buffer != 0 ? o.buffer : longest, total = longest + o.tokens;
  const std::size_t present_rows = std::max(total, past_rows);
  const std::size_t q_width = o.heads * o.dim, k_width = o.key_heads * o.dim;
  const std::size_t width = o.packed ? q_width + 2 * k_width : q_width;
  const auto query = random_floats(r, batch * o.tokens * width);
  const auto key = random_floats(r, o.packed ? 0 : batch * o.tokens * k_width);
  const auto value = random_floats(r, o.packed ? 0 : batch * o.tokens * k_width);
  const auto past_key = random_floats(r, batch * past_rows * k_width);
  const auto past_value = random_floats(r, batch * past_rows * k_width);
  const auto bias = random_floats(r, o.bias ? o.heads * o.tokens * total : 0);
  const std::size_t pairs = o.pairs != 0 ? o.pairs : o.dim / 2;
  const std::size_t positions = present_rows + o.shift;
  const Tables tables(positions, pairs);
  const Tables* const turns = o.rotary ? &tables : nullptr;

  Numbers out, present_key, present_value;
  for (std::size_t b = 0; b < batch; ++b) {
    Heads q = new_tokens(query, b, o.heads, 0, width, o, turns);
    Heads new_k = o.packed ? new_tokens(query, b, o.key_heads, q_width, width, o, turns)
                           : new_tokens(key, b, o.key_heads, 0, k_width, o, turns);
    Heads new_v = o.packed ? new_tokens(query, b, o.key_heads, q_width + k_width, width, o, nullptr)
                           : new_tokens(value, b, o.key_heads, 0, k_width, o, nullptr);
    Heads k = present_of(past_key, past_rows, b, new_k, present_rows, o);
    Heads v = present_of(past_value, past_rows, b, new_v, present_rows, o);
    Numbers rows(o.tokens * q_width);
    for (std::size_t h = 0; h < o.heads; ++h)
      for (std::size_t t = 0; t < o.tokens; ++t)
        attend(q.row(h, t), k, v, h / (o.heads / o.key_heads), o.past[b] + t,
               o.bias ? bias.data() + (h * o.tokens + t) * total : nullptr, o,
               rows.data() + t * q_width + h * o.dim);
    append(out, rows);
    append(present_key, k.data);
    append(present_value, v.data);
  }

  Case c{};
  c.op = "GroupQueryAttention";
  c.name = o.name;
  std::vector<std::int32_t> last;
  for (const std::size_t p : o.past) last.push_back(static_cast<std::int32_t>(p + o.tokens - 1));
  const std::vector<std::int64_t> new_shape = {i(batch), i(o.tokens), i(k_width)};
  const std::vector<std::int64_t> past_shape = {i(batch), i(o.key_heads), i(past_rows), i(o.dim)};
  const std::vector<std::int64_t> table_shape = {i(positions), i(pairs)};
  std::vector<std::int64_t> ids;
  for (const std::size_t p : o.past)
    for (std::size_t t = 0; t < o.tokens; ++t) ids.push_back(i(p + t + o.shift));
  const bool has_past = past_rows != 0;
  c.inputs = {{"query", array_of({i(batch), i(o.tokens), i(width)}, query)},
              {"key", o.packed ? Array{} : array_of(new_shape, key)},
              {"value", o.packed ? Array{} : array_of(new_shape, value)},
              {"past_key", has_past ? array_of(past_shape, past_key) : Array{}},
              {"past_value", has_past ? array_of(past_shape, past_value) : Array{}},
              {"seqlens_k", array_of({i(batch)}, last)},
              {"total_sequence_length",
               array_of({1}, std::vector<std::int32_t>{static_cast<std::int32_t>(total)})},
              {"cosine", o.rotary ? array_of(table_shape, tables.cosine) : Array{}, true},
              {"sine", o.rotary ? array_of(table_shape, tables.sine) : Array{}, true},
              {"ids", o.shift != 0 ? array_of({i(batch), i(o.tokens)}, ids) : Array{}},
              {"bias", o.bias ? array_of({1, i(o.heads), i(o.tokens), i(total)}, bias) : Array{}}};
  c.attributes = {{"num_heads", i(o.heads)}, {"kv_num_heads", i(o.key_heads)}};
  if (o.window >= 0) c.attributes.push_back({"local_window_size", std::int64_t{o.window}});
  if (o.cap != 0) c.attributes.push_back({"softcap", o.cap});
  if (o.scale != 0) c.attributes.push_back({"scale", o.scale});
  if (o.rotary) c.attributes.push_back({"do_rotary", i(1)});
  if (o.interleaved) c.attributes.push_back({"rotary_interleaved", i(1)});
  if (o.smooth) c.attributes.push_back({"smooth_softmax", i(1)});
  c.expected = {out, present_key, present_value};
  c.limit = c.own_limit = attention_limit;
  c.may_be_missing = o.may_be_missing;
  return c;
}

}  // namespace

std::vector<Case> group_query_attention_cases() {
  std::mt19937 r(3);
  std::vector<Case> cases;
  const struct {
    std::size_t heads, key_heads;
  } ratios[] = {{4, 4}, {8, 2}, {6, 1}};
  for (const auto& n : ratios) {
    const std::string ratio =
        std::to_string(n.heads) + " on " + std::to_string(n.key_heads) + " heads";
    const auto add = [&](Options o) {
      o.name = ratio + ", " + o.name;
      o.heads = n.heads;
      o.key_heads = n.key_heads;
      cases.push_back(make(r, o));
    };
    add({.name = "prompt of 19", .tokens = 19, .past = {0, 0}});
    add({.name = "1 after 300", .past = {300}});
    add({.name = "1 after 20 and 9", .dim = 32, .past = {20, 9}});
    add({.name = "5 after 70", .tokens = 5, .past = {70}});
    add({.name = "5 after 70 in a buffer of 128", .tokens = 5, .past = {70}, .buffer = 128});
    add({.name = "prompt of 19, window 4", .tokens = 19, .past = {0}, .window = 4});
    add({.name = "1 after 90, window 16", .past = {90}, .window = 16});
    add({.name = "prompt of 19, cap 2", .tokens = 19, .past = {0}, .cap = 2});
    add({.name = "1 after 90, cap 2", .past = {90}, .cap = 2});
    add({.name = "5 after 40, rotary", .tokens = 5, .past = {40}, .rotary = true});
    add({.name = "1 after 20 and 9, rotary interleaved",
         .past = {20, 9},
         .rotary = true,
         .interleaved = true});
    add({.name = "prompt of 9, packed", .tokens = 9, .past = {0, 0}, .packed = true});
    add({.name = "1 after 33, packed, rotary", .past = {33}, .packed = true, .rotary = true});
  }
  const auto add = [&](const Options& o) { cases.push_back(make(r, o)); };
  add({.name = "5 after 40, rotary half of a head",
       .tokens = 5,
       .past = {40},
       .rotary = true,
       .may_be_missing = true,
       .pairs = 16});
  add({.name = "5 after 40, scale 0.3", .tokens = 5, .past = {40}, .scale = 0.3f});
  add({.name = "5 after 40, cap 2, window 8", .tokens = 5, .past = {40}, .window = 8, .cap = 2});
  add({.name = "5 after 40, smooth softmax",
       .tokens = 5,
       .past = {40},
       .smooth = true,
       .may_be_missing = true});
  add({.name = "5 after 40, rotary, position ids",
       .tokens = 5,
       .past = {40},
       .rotary = true,
       .shift = 7,
       .may_be_missing = true});
  add({.name = "5 after 40, bias",
       .tokens = 5,
       .past = {40},
       .bias = true,
       .may_be_missing = true});
  return cases;
}

}  // namespace tessera_onnx

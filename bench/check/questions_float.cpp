// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// vfwmadot: in which order the products are added and where sums are rounded; NaN and subnormals.
#include <cmath>
#include <cstring>
#include <random>

#include "bench/check/questions.hpp"
#include "tessera/isa/ime/all.hpp"

namespace board {
namespace {

using ime::Extension;

constexpr int vd = 2, a = 4, b = 5;
constexpr ime::Tile tile = ime::dot_tile(ime::k3, ime::Element::float16);
constexpr int products = tile.k;
constexpr std::uint32_t word = ime::encode<ime::Vfwmadot>({vd, a, b});

std::uint32_t result(const State& after, int element) {
  return static_cast<std::uint32_t>(ime::load_int32(after.reg(vd), element));
}

std::string seen(const State& after, int count) {
  std::string text = "results";
  for (int i = 0; i < count; ++i) {
    char hex[16];
    ime::Text(hex, sizeof hex).hex(result(after, (tile.n + 1) * i), 8);
    text += std::string(" ") + hex;
  }
  return text;
}

// ---- vfwmadot-order. All numbers are multiples of 2^-24 below 2^20, so that exact sums fit 64 bits.

constexpr int unit_exponent = -24;

float as_float(std::int64_t units) {
  return std::ldexp(static_cast<float>(units), unit_exponent);  // one rounding, to nearest even
}

std::int64_t units_of(const ime::FloatLayout& layout, std::uint32_t bits) {
  const ime::BinaryFloat x = ime::unpack_float(layout, bits);
  // Operands are multiples of 2^-12, accumulators of 2^-20.
  const auto magnitude = static_cast<std::int64_t>(
      std::ldexp(static_cast<double>(x.significand), x.exponent - unit_exponent));
  return x.negative ? -magnitude : magnitude;
}

/// One output: the accumulator and the products, in units.
struct Terms {
  std::int64_t c;
  std::int64_t p[products];
};

Terms terms_of(const ime::Profile& profile, const State& before, int i, int j) {
  const ime::FloatLayout half = ime::layout_of(profile.half);
  Terms t{};
  t.c = units_of(ime::layout_fp32, result(before, tile.n * i + j));
  for (int q = 0; q < products; ++q) {
    const auto x = units_of(half, ime::load_uint16(before.reg(a), products * i + q));
    const auto y = units_of(half, ime::load_uint16(before.reg(b), products * j + q));
    t.p[q] = (x >> 12) * (y >> 12);  // both are multiples of 2^-12
  }
  return t;
}

float ascending(const Terms& t) {
  float c = as_float(t.c);
  for (int q = 0; q < products; ++q) c += as_float(t.p[q]);
  return c;
}

float descending(const Terms& t) {
  float c = as_float(t.c);
  for (int q = products - 1; q >= 0; --q) c += as_float(t.p[q]);
  return c;
}

float sum_first(const Terms& t) {
  float sum = as_float(t.p[0]);
  for (int q = 1; q < products; ++q) sum += as_float(t.p[q]);
  return as_float(t.c) + sum;
}

float pairs(const Terms& t) {
  float c = as_float(t.c);
  for (int q = 0; q < products; q += 2) c += as_float(t.p[q]) + as_float(t.p[q + 1]);
  return c;
}

float tree(const Terms& t) {
  float sums[products];
  for (int q = 0; q < products; ++q) sums[q] = as_float(t.p[q]);
  for (int width = products / 2; width > 0; width /= 2)
    for (int q = 0; q < width; ++q) sums[q] = sums[2 * q] + sums[2 * q + 1];
  return as_float(t.c) + sums[0];
}

float tree_of_halves(const Terms& t) {
  float sums[products];
  for (int q = 0; q < products; ++q) sums[q] = as_float(t.p[q]);
  for (int width = products / 2; width > 0; width /= 2)
    for (int q = 0; q < width; ++q) sums[q] += sums[q + width];
  return as_float(t.c) + sums[0];
}

// `count` products at a time are added to the accumulator exactly, then rounded.
template <int count>
float exact(const Terms& t) {
  std::int64_t units = t.c;
  float c = as_float(t.c);
  for (int q = 0; q < products; ++q) {
    units += t.p[q];
    if (q % count != count - 1) continue;
    c = as_float(units);
    units = static_cast<std::int64_t>(std::ldexp(c, -unit_exponent));
  }
  return c;
}

float exact_sum_first(const Terms& t) {
  std::int64_t sum = 0;
  for (const std::int64_t p : t.p) sum += p;
  return as_float(t.c) + as_float(sum);
}

float truncating(const Terms& t) {
  std::int64_t units = t.c;
  float c = as_float(t.c);
  for (const std::int64_t p : t.p) {
    units += p;
    c = as_float(units);
    if (std::fabs(std::ldexp(static_cast<double>(c), -unit_exponent)) >
        std::fabs(static_cast<double>(units)))
      c = std::nextafter(c, 0.0f);
    units = static_cast<std::int64_t>(std::ldexp(c, -unit_exponent));
  }
  return c;
}

struct Order {
  Candidate candidate;
  float (*sum)(const Terms&);
};

const Order orders[] = {
    {{"ascending", "product 0 first, each sum rounded"}, ascending},
    {{"descending", "product 7 first, each sum rounded"}, descending},
    {{"sum_first", "the products' sum, ascending, then the accumulator; each sum rounded"},
     sum_first},
    {{"pairs", "sums of two neighbours, ascending; each sum rounded"}, pairs},
    {{"tree", "a tree of neighbours, then the accumulator; each sum rounded"}, tree},
    {{"tree_of_halves", "a tree of products 0 and 4, 1 and 5, ...; each sum rounded"},
     tree_of_halves},
    {{"exact", "all nine exactly, one rounding"}, exact<8>},
    {{"exact_pairs", "the accumulator and two products exactly, a rounding each"}, exact<2>},
    {{"exact_fours", "the accumulator and four products exactly, a rounding each"}, exact<4>},
    {{"exact_sum_first", "all products exactly, a rounding, the accumulator, a rounding"},
     exact_sum_first},
    {{"truncating", "product 0 first, each sum rounded toward zero"}, truncating},
};

std::vector<Candidate> order_candidates() {
  std::vector<Candidate> all;
  for (const Order& order : orders) all.push_back(order.candidate);
  all.push_back(traps);
  return all;
}

// Seven bits at 2^-12 to 2^-1: exact in both 16-bit formats.
std::uint16_t random_half(std::mt19937& random, const ime::FloatLayout& layout) {
  const ime::BinaryFloat x{ime::BinaryFloat::Kind::finite, random() % 2 == 0, 64 + random() % 64,
                           static_cast<int>(random() % 12) - 12};
  return static_cast<std::uint16_t>(ime::round_to(layout, x));
}

Experiment prepare_order(const ime::Profile& profile) {
  Experiment e{ready_state(profile), {word}};
  const ime::FloatLayout half = ime::layout_of(profile.half);
  std::mt19937 random(1);
  for (int n : {a, b})
    for (int i = 0; i < tile.m * products; ++i)
      ime::store_uint16(e.state.reg(n), i, random_half(random, half));
  for (int i = 0; i < tile.m * tile.n; ++i) {
    const bool negative = random() % 2 == 0;
    const ime::BinaryFloat c{ime::BinaryFloat::Kind::finite, negative, random() >> 8,
                             static_cast<int>(random() % 12) - 20};
    ime::store_int32(e.state.reg(vd), i,
                     static_cast<std::int32_t>(ime::round_to(ime::layout_fp32, c)));
  }
  return e;
}

Reading read_order(const ime::Profile& profile, const Experiment& e, const State& after) {
  std::string keys;
  for (const Order& order : orders) {
    bool all = true;
    for (int i = 0; i < tile.m && all; ++i) {
      for (int j = 0; j < tile.n && all; ++j) {
        const float want = order.sum(terms_of(profile, e.state, i, j));
        std::uint32_t bits;
        std::memcpy(&bits, &want, sizeof bits);
        all = bits == result(after, tile.n * i + j);
      }
    }
    if (all) keys += (keys.empty() ? "" : " ") + std::string(order.candidate.key);
  }
  const std::string detail = seen(after, tile.m) + " of A " + hex(e.state.reg(a), 16) + ", B " +
                             hex(e.state.reg(b), 16) + ", C " + hex(e.state.reg(vd), 4) +
                             " (first)";
  if (keys.empty() || keys.find(' ') != keys.npos) return {"other", keys + detail};
  return {keys, detail};
}

// ---- the ends: element (i, i) is c + x * y

class Diagonal {
 public:
  explicit Diagonal(const ime::Profile& profile) : e_{ready_state(profile), {word}} {}
  Diagonal& put(std::uint32_t c, std::uint32_t x, std::uint32_t y) {
    ime::store_uint16(e_.state.reg(a), products * next_, static_cast<std::uint16_t>(x));
    ime::store_uint16(e_.state.reg(b), products * next_, static_cast<std::uint16_t>(y));
    ime::store_int32(e_.state.reg(vd), (tile.n + 1) * next_++, static_cast<std::int32_t>(c));
    return *this;
  }
  operator Experiment() const { return e_; }

 private:
  Experiment e_;
  int next_ = 0;
};

std::uint32_t half_of(const ime::Profile& profile, int exponent) {
  return ime::round_to(ime::layout_of(profile.half),
                       {ime::BinaryFloat::Kind::finite, false, 1, exponent});
}

// A subnormal operand times 2^10; a subnormal accumulator plus 0.
Experiment prepare_subnormals(const ime::Profile& profile) {
  return Diagonal(profile).put(0, 1, half_of(profile, 10)).put(3, 0, 0);
}

Reading read_subnormals(const ime::Profile&, const Experiment&, const State& after) {
  const std::string detail = seen(after, 2);
  const bool operands = result(after, 0) != 0;
  const bool accumulators = result(after, tile.n + 1) == 3;
  if (operands) return {accumulators ? "kept" : "fp32_flushed", detail};
  return {accumulators ? "halves_flushed" : "flushed", detail};
}

std::uint32_t odd_nan(const ime::Profile& profile) {
  return ime::layout_of(profile.half).quiet_nan() | 0x15;
}

// A NaN with a payload; infinity times 0; infinity minus infinity.
Experiment prepare_nan(const ime::Profile& profile) {
  const auto half = ime::layout_of(profile.half);
  const auto f = ime::layout_fp32;
  return Diagonal(profile)
      .put(0, odd_nan(profile), half_of(profile, 0))
      .put(0, half.infinity(), 0)
      .put(f.sign_bit() | f.infinity(), half.infinity(), half_of(profile, 0));
}

Reading read_nan(const ime::Profile& profile, const Experiment&, const State& after) {
  const auto f = ime::layout_fp32;
  const int shift = f.fraction_bits - ime::layout_of(profile.half).fraction_bits;
  const std::string detail = seen(after, 3);
  bool canonical = true;
  bool nans = true;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t c = result(after, (tile.n + 1) * i);
    canonical &= c == f.quiet_nan();
    nans &= (c & ~f.sign_bit()) > f.infinity();
  }
  if (canonical) return {"canonical", detail};
  if (!nans) return {"numbers", detail};
  const bool payload = (result(after, 0) & 0x7fffff) == (0x400000u | 0x15u << shift);
  return {payload ? "payload" : "some_nan", detail};
}

}  // namespace

std::vector<Question> float_questions() {
  constexpr Extension ii = Extension::xsmtvdotii;
  return {
      {"vfwmadot-order", "In which order does vfwmadot add, and where does it round?",
       order_candidates(), ii, prepare_order, read_order},
      {"vfwmadot-subnormals",
       "What does vfwmadot do with subnormals?",
       {{"kept", "they are kept"},
        {"halves_flushed", "16-bit ones are 0"},
        {"fp32_flushed", "32-bit ones are 0"},
        {"flushed", "all are 0"},
        traps},
       ii,
       prepare_subnormals,
       read_subnormals},
      {"vfwmadot-nan",
       "What does vfwmadot make of NaN, infinity * 0 and infinity - infinity?",
       {{"canonical", "the canonical quiet NaN"},
        {"payload", "a NaN, an operand's with its payload"},
        {"some_nan", "another NaN"},
        {"numbers", "no NaN: such operands are numbers like others"},
        traps},
       ii,
       prepare_nan,
       read_nan},
  };
}

}  // namespace board

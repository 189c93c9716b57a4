// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The block-scaled products: the ends of the 16-bit formats, rounding modes and flags.
#include "bench/check/questions.hpp"
#include "tessera/isa/ime/all.hpp"

namespace board {
namespace {

using ime::Element;
using ime::Extension;

constexpr int vd = 2, a = 4, b = 5, scales = 0;

// One product each at (0, 0), (1, 1), ...: c + x * y * scale. All other elements are 0.
class Diagonal {
 public:
  explicit Diagonal(const ime::Profile& profile)
      : tile_(ime::dot_tile(profile, Element::int8)),
        e_{ready_state(profile),
           {ime::encode<ime::VmadotHp<Element::int8>>({vd, a, b, scales, 0})}} {}

  Diagonal& put(std::uint32_t c, int x, int y, std::uint32_t scale) {
    e_.state.reg(a)[tile_.k * next_] = static_cast<std::uint8_t>(x);
    e_.state.reg(b)[tile_.k * next_] = static_cast<std::uint8_t>(y);
    ime::store_uint16(e_.state.reg(vd), at(next_), static_cast<std::uint16_t>(c));
    ime::store_uint16(e_.state.reg(scales), next_++, static_cast<std::uint16_t>(scale));
    return *this;
  }
  operator Experiment() const { return e_; }

 private:
  int at(int i) const { return tile_.n * i + i; }
  ime::Tile tile_;
  Experiment e_;
  int next_ = 0;
};

std::uint16_t result(const ime::Profile& profile, const State& after, int i) {
  return ime::load_uint16(after.reg(vd), (ime::dot_tile(profile, Element::int8).n + 1) * i);
}

std::string seen(const ime::Profile& profile, const State& after, int count) {
  std::string text = "results";
  for (int i = 0; i < count; ++i) {
    char hex[16];
    ime::Text(hex, sizeof hex).hex(result(profile, after, i), 4);
    text += std::string(" ") + hex;
  }
  return text;
}

ime::FloatLayout layout(const ime::Profile& profile) {
  return ime::layout_of(profile.half);
}

// ---- hp-overflow: twice the largest number, minus that, and a product alone beyond it

Experiment prepare_overflow(const ime::Profile& profile) {
  const auto f = layout(profile);
  const std::uint32_t largest = f.infinity() - 1;
  return Diagonal(profile)
      .put(largest, 1, 1, largest)
      .put(f.sign_bit() | largest, -1, 1, largest)
      .put(0, 127, 127, largest);
}

Reading read_overflow(const ime::Profile& profile, const Experiment&, const State& after) {
  const auto f = layout(profile);
  const std::string detail = seen(profile, after, 3);
  const auto are = [&](std::uint32_t bits) {
    return result(profile, after, 0) == bits &&
           result(profile, after, 1) == (f.sign_bit() | bits) && result(profile, after, 2) == bits;
  };
  if (are(f.infinity())) return {"infinity", detail};
  if (are(f.infinity() - 1)) return {"saturates", detail};
  const auto is_nan = [&](int i) {
    return (result(profile, after, i) & ~f.sign_bit()) > f.infinity();
  };
  return {is_nan(0) && is_nan(1) && is_nan(2) ? "nan" : "other", detail};
}

// ---- hp-nan: a NaN with a payload; infinity times 0; infinity minus infinity

std::uint32_t odd_nan(const ime::Profile& profile) {
  return layout(profile).quiet_nan() | 0x15;
}

Experiment prepare_nan(const ime::Profile& profile) {
  const auto f = layout(profile);
  return Diagonal(profile)
      .put(0, 1, 1, odd_nan(profile))
      .put(0, 0, 0, f.infinity())
      .put(f.sign_bit() | f.infinity(), 1, 1, f.infinity());
}

Reading read_nan(const ime::Profile& profile, const Experiment&, const State& after) {
  const auto f = layout(profile);
  const std::string detail = seen(profile, after, 3);
  bool canonical = true;
  bool nans = true;
  for (int i = 0; i < 3; ++i) {
    canonical &= result(profile, after, i) == f.quiet_nan();
    nans &= (result(profile, after, i) & ~f.sign_bit()) > f.infinity();
  }
  if (canonical) return {"canonical", detail};
  if (nans) return {result(profile, after, 0) == odd_nan(profile) ? "payload" : "some_nan", detail};
  return {"numbers", detail};
}

// ---- hp-subnormals: a subnormal scale, a subnormal result, a subnormal accumulator

Experiment prepare_subnormals(const ime::Profile& profile) {
  const std::uint32_t smallest_normal = std::uint32_t{1} << layout(profile).fraction_bits;
  return Diagonal(profile)
      .put(0, 127, 127, 1)
      .put(smallest_normal + 1, -1, 1, smallest_normal)
      .put(3, 1, 1, smallest_normal);
}

Reading read_subnormals(const ime::Profile& profile, const Experiment&, const State& after) {
  const std::uint32_t smallest_normal = std::uint32_t{1} << layout(profile).fraction_bits;
  const std::string detail = seen(profile, after, 3);
  const bool scale_kept = result(profile, after, 0) != 0;
  const bool result_kept = result(profile, after, 1) == 1;
  const bool accumulator_kept = result(profile, after, 2) == smallest_normal + 3;
  if (scale_kept != accumulator_kept) return {"other", detail};
  if (scale_kept) return {result_kept ? "kept" : "results_flushed", detail};
  return {result_kept ? "inputs_flushed" : "flushed", detail};
}

// ---- hp-rounding-mode: 1 plus very little, rounded up

std::uint32_t one(const ime::Profile& profile) {
  const auto f = layout(profile);
  return static_cast<std::uint32_t>(f.exponent_mask() / 2) << f.fraction_bits;
}

constexpr std::uint32_t set_rounding(std::uint32_t mode) {
  return 0x00205073 | mode << 15;  // csrrwi zero, frm, mode
}

Experiment prepare_rounding(const ime::Profile& profile) {
  constexpr std::uint32_t nearest = 0, up = 3;
  Experiment e = Diagonal(profile).put(one(profile), 1, 1, 1);
  e.words = {set_rounding(up), e.words[0], set_rounding(nearest)};
  return e;
}

Reading read_rounding(const ime::Profile& profile, const Experiment&, const State& after) {
  const std::string detail = seen(profile, after, 1);
  if (result(profile, after, 0) == one(profile)) return {"ignored", detail};
  return {result(profile, after, 0) == one(profile) + 1 ? "honoured" : "other", detail};
}

// ---- hp-flags: an overflow and an inexact sum

Experiment prepare_flags(const ime::Profile& profile) {
  const std::uint32_t largest = layout(profile).infinity() - 1;
  return Diagonal(profile).put(largest, 1, 1, largest).put(one(profile), 1, 1, 1);
}

Reading read_flags(const ime::Profile&, const Experiment&, const State& after) {
  const std::string detail = "fflags " + std::to_string(after.fflags);
  return {after.fflags == 0 ? "none" : "raised", detail};
}

}  // namespace

std::vector<Question> scaled_questions() {
  constexpr Extension ii = Extension::xsmtvdotii;
  return {
      {"hp-overflow",
       "What does vmadot.hp give beyond the largest 16-bit float?",
       {{"infinity", "infinity"},
        {"saturates", "the largest finite number"},
        {"nan", "a NaN"},
        traps},
       ii,
       prepare_overflow,
       read_overflow},
      {"hp-nan",
       "What does vmadot.hp make of NaN, infinity * 0 and infinity - infinity?",
       {{"canonical", "the canonical quiet NaN"},
        {"payload", "a NaN, an operand's with its payload"},
        {"some_nan", "another NaN"},
        {"numbers", "no NaN: such operands are numbers like others"},
        traps},
       ii,
       prepare_nan,
       read_nan},
      {"hp-subnormals",
       "What does vmadot.hp do with subnormals?",
       {{"kept", "they are kept"},
        {"inputs_flushed", "those that it reads are 0"},
        {"results_flushed", "those that it would write are 0"},
        {"flushed", "all are 0"},
        traps},
       ii,
       prepare_subnormals,
       read_subnormals},
      {"hp-rounding-mode",
       "Does vmadot.hp round as frm says?",
       {{"ignored", "no, always to nearest even"}, {"honoured", "yes"}, traps},
       ii,
       prepare_rounding,
       read_rounding},
      {"hp-flags",
       "Does vmadot.hp raise floating-point flags?",
       {{"none", "no"}, {"raised", "yes"}, traps},
       ii,
       prepare_flags,
       read_flags},
  };
}

}  // namespace board

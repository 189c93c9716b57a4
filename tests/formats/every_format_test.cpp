// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What holds for every format of blocks of the list: exact values, nothing lost between a block and its
// codes and header, answers at the ends of ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/formats/all.hpp"
#include "tests/formats/entries.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using namespace tessera_test;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// A block between forbidden pages, at an odd address, and what was made of it.
class BlockBox {
 public:
  explicit BlockBox(const BlockEntry& f)
      : f_(f), in_(f.group), block_(f.block_bytes, Guard::rear, 1), out_(f.group) {}
  ~BlockBox() {
    EXPECT_TRUE(in_.untouched_outside()) << f_.name;
    EXPECT_TRUE(block_.untouched_outside()) << f_.name;
    EXPECT_TRUE(out_.untouched_outside()) << f_.name;
  }
  const std::byte* quantized(const std::vector<float>& x) {
    std::copy(x.begin(), x.end(), in_.data());
    block_.poison();
    f_.quantize(in_.data(), block_.data());
    return block_.data();
  }
  const float* dequantized() {
    out_.poison();
    f_.dequantize(block_.data(), out_.data());
    return out_.data();
  }
  const float* round_trip(const std::vector<float>& x) {
    quantized(x);
    return dequantized();
  }
  std::byte* random_bytes(Random& r) {
    fill_bytes(block_.span(), r);
    return block_.data();
  }

 private:
  const BlockEntry& f_;
  GuardedBuffer<float> in_;
  GuardedBuffer<std::byte> block_;
  GuardedBuffer<float> out_;
};

TEST(EveryFormat, ValuesAreThePublishedOnesRoundedOnce) {
  Random r(1);
  for (const BlockEntry& f : block_entries()) {
    BlockBox box(f);
    std::size_t finite = 0;
    for (std::size_t t = 0; t < repetitions(400); ++t) {
      const std::byte* block = box.random_bytes(r);
      const float* x = box.dequantized();
      for (std::size_t e = 0; e < f.group; ++e) {
        const auto want = static_cast<float>(published_value(f.name, block, e));
        ASSERT_TRUE(std::isnan(want) ? std::isnan(x[e]) : x[e] == want)
            << f.name << " element " << e << ": " << x[e] << " instead of " << want;
        finite += std::isfinite(want);
      }
    }
    EXPECT_GT(finite, f.group * repetitions(400) / 2) << f.name;
  }
}

TEST(EveryFormat, CodesAndHeaderAreTheWholeBlock) {
  Random r(2);
  for (const BlockEntry& f : block_entries()) {
    EXPECT_EQ(f.group * f.code_bits / 8 + f.header_bytes, f.block_bytes) << f.name;
    BlockBox box(f);
    GuardedBuffer<std::uint8_t> codes(f.group);
    GuardedBuffer<std::uint8_t> header(f.header_bytes);
    GuardedBuffer<std::byte> again(f.block_bytes);
    for (int t = 0; t < 200; ++t) {
      const std::byte* block = box.random_bytes(r);
      f.split(block, codes.data(), header.data());
      for (const std::uint8_t c : codes.span()) ASSERT_LT(c, 1u << f.code_bits) << f.name;
      f.join(codes.data(), header.data(), again.data());
      ASSERT_TRUE(same_bytes(again.span(), {block, f.block_bytes})) << f.name;
    }
    EXPECT_TRUE(codes.untouched_outside());
    EXPECT_TRUE(header.untouched_outside());
    EXPECT_TRUE(again.untouched_outside());
  }
}

TEST(EveryFormat, LevelsFitABytesProduct) {
  for (const BlockEntry& f : block_entries()) {
    EXPECT_LT(f.code_offset, 1u << f.code_bits);
    bool has_zero = false;
    for (unsigned c = 0; c < 1u << f.code_bits; ++c) {
      EXPECT_GE(f.level(c), -128) << f.name;
      EXPECT_LE(f.level(c), 127) << f.name;
      has_zero |= f.level(c) == 0;
    }
    EXPECT_EQ(f.level(f.code_offset) == 0, has_zero) << f.name;
    EXPECT_TRUE(f.scale_group == 16 || f.scale_group == 32) << f.name;
  }
}

/// Blocks that formats were seen to lose in other people's hands.
std::vector<std::vector<float>> hard_blocks(std::size_t n, Random& r) {
  std::vector<std::vector<float>> blocks;
  const auto add = [&](auto&& value) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = value(i);
    blocks.push_back(x);
  };
  add([&](std::size_t) { return r.gaussian(); });
  add([&](std::size_t) { return std::fabs(r.gaussian()) + 0.1f; });   // all positive
  add([&](std::size_t) { return -std::fabs(r.gaussian()) - 0.1f; });  // all negative
  add([&](std::size_t) { return 5.0f + r.gaussian(0.01f); });         // a large offset
  add([&](std::size_t i) { return i == n / 2 ? 3.0f : 0.0f; });
  add([&](std::size_t) { return r.coin() ? 2.0f : -2.0f; });
  add([&](std::size_t i) { return r.gaussian(i / 16 % 2 == 0 ? 1.0f : 100.0f); });
  add([&](std::size_t i) { return i / 32 % 2 == 0 ? r.gaussian() : 0.0f; });
  return blocks;
}

TEST(EveryFormat, CodesAreTheNearestForTheStoredScales) {
  // Formats whose codes are picked against another scale than the stored one are looked at elsewhere.
  Random r(3);
  for (const BlockEntry& f : block_entries()) {
    if (f.name == "q1_0" || f.name == "iq4_nl") continue;
    BlockBox box(f);
    std::vector<std::uint8_t> codes(f.group), header(f.header_bytes);
    std::vector<float> scale(f.scale_groups()), minus_min(f.scale_groups());
    for (const auto& x : hard_blocks(f.group, r)) {
      const std::byte* block = box.quantized(x);
      f.split(block, codes.data(), header.data());
      f.scales(header.data(), scale.data(), minus_min.data());
      for (std::size_t e = 0; e < f.group; ++e) {
        const double step = scale[e / f.scale_group];
        const double start = f.has_minima ? minus_min[e / f.scale_group] : 0.0f;
        if (step == 0) continue;
        const auto error = [&](unsigned c) { return std::fabs(f.level(c) * step + start - x[e]); };
        double least = error(0);
        for (unsigned c = 1; c < 1u << f.code_bits; ++c) least = std::min(least, error(c));
        // The unrounded scale and minimum, which some rules use, are within 2^-11 of the stored ones.
        const double slack = (127 * std::fabs(step) + std::fabs(start)) * 0x1p-11;
        ASSERT_TRUE(within(error(codes[e]), least + 2 * slack))
            << f.name << " element " << e << " of value " << x[e] << " code " << int{codes[e]};
      }
    }
  }
}

TEST(EveryFormat, ErrorsAreWithinTheFormatsSteps) {
  // Norm of the error against the norm of the block, with room for the coarsest data of hard_blocks.
  Random r(4);
  for (const BlockEntry& f : block_entries()) {
    BlockBox box(f);
    std::vector<float> x(f.group);
    double worst = 0;
    for (std::size_t t = 0; t < repetitions(200); ++t) {
      for (float& v : x) v = r.gaussian();
      const float* y = box.round_trip(x);
      double error = 0, norm = 0;
      for (std::size_t i = 0; i < f.group; ++i) {
        error += std::pow(double{y[i]} - double{x[i]}, 2);
        norm += std::pow(double{x[i]}, 2);
      }
      worst = std::max(worst, std::sqrt(error / norm));
    }
    // A uniform step of 2 * 4.5 sigma / 2^bits has an error of step / sqrt(12); twice that, and signs
    // alone, which keep a mean magnitude, lose sqrt(1 - 2 / pi).
    const double steps = std::ldexp(1.0, static_cast<int>(f.code_bits));
    const double limit = f.code_bits == 1   ? 0.75
                         : f.name == "q2_0" ? 0.9
                                            : 2 * 9 / steps / std::sqrt(12.0);
    EXPECT_TRUE(within(worst, limit)) << f.name;
  }
}

TEST(EveryFormat, ConstantBlocksKeepTheirValue) {
  // Formats with a minimum reach any constant that the minimum's own rounding allows; the others have
  // it at one of their ends, or at the mean of their magnitudes.
  for (const BlockEntry& f : block_entries()) {
    BlockBox box(f);
    for (const float value : {1.0f, -1.0f, 0.37f, -0.37f, 1000.0f}) {
      const float* y = box.round_trip(std::vector<float>(f.group, value));
      // A 4-bit float's steps are up to a third of the value; codes one short of the end a sixteenth.
      const double part = f.name == "mxfp4"                                             ? 0.34
                          : f.name == "nvfp4" || f.name == "q3_K" || f.name == "iq4_xs" ? 0.07
                                                                                        : 0.02;
      for (std::size_t e = 0; e < f.group; ++e)
        ASSERT_TRUE(within(std::fabs(double{y[e]} - double{value}), part * std::fabs(value)))
            << f.name << " of " << value << ": " << y[e];
    }
  }
}

TEST(EveryFormat, ZeroAndTinyBlocksAreZero) {
  for (const BlockEntry& f : block_entries()) {
    BlockBox box(f);
    for (const float value : {0.0f, -0.0f, 1e-20f, -1e-20f, 1e-45f, -1e-38f, 1e-17f}) {
      const float* y = box.round_trip(std::vector<float>(f.group, value));
      // mxfp4's smallest scale is 2^-127, that of others an f32: they keep what the rest must lose.
      const bool keeps = f.name == "mxfp4" || f.name == "nbits128_f32";
      const double limit = keeps ? std::fabs(double{value}) : 0;
      for (std::size_t e = 0; e < f.group; ++e)
        ASSERT_TRUE(within(std::fabs(double{y[e]} - (limit == 0 ? 0 : double{value})), limit))
            << f.name << " of " << value << ": " << y[e];
    }
  }
}

TEST(EveryFormat, NonFiniteBlocksAreSeen) {
  Random r(5);
  for (const BlockEntry& f : block_entries()) {
    BlockBox box(f);
    for (const float bad : {not_a_number, -not_a_number, infinity, -infinity})
      for (const std::size_t at : {std::size_t{0}, f.group / 2 + 1, f.group - 1}) {
        std::vector<float> x(f.group);
        for (float& v : x) v = r.gaussian();
        x[at] = bad;
        const float* y = box.round_trip(x);
        for (std::size_t e = 0; e < f.group; ++e) {
          if (f.name == "mxfp4") {
            ASSERT_EQ(y[e], infinity);
          } else if (f.name == "nvfp4") {
            if (e / 16 != at / 16) continue;
            ASSERT_EQ(y[e], x[e] < 0 ? -2688.0f : 2688.0f) << x[e];
          } else if (f.name != "nbits16_f16z" || e / 16 == at / 16) {
            ASSERT_TRUE(std::isnan(y[e])) << f.name << " with " << bad << " at " << at;
          }
        }
      }
  }
}

TEST(EveryFormat, HugeValuesDoNotBecomeOrdinaryOnes) {
  // The scale overflows 16 bits, or the search's sums overflow: infinities and NaNs, not small numbers.
  for (const BlockEntry& f : block_entries()) {
    if (f.name == "nvfp4") continue;  // saturates by definition
    BlockBox box(f);
    for (const float value : {1e10f, 1e20f, 3e38f}) {
      std::vector<float> x(f.group);
      for (std::size_t i = 0; i < f.group; ++i) x[i] = i % 2 == 0 ? value : -value;
      const float* y = box.round_trip(x);
      for (std::size_t e = 0; e < f.group; ++e)
        ASSERT_TRUE(!(std::fabs(y[e]) < 0.2f * value)) << f.name << " of " << value << ": " << y[e];
    }
  }
}

TEST(EveryFormat, TypeIdsLeadToTheirFormatsAndNoOthers) {
  std::size_t known = 0;
  for (std::uint64_t id = 0; id <= 300; ++id) {
    const auto type_id = static_cast<std::uint32_t>(id == 300 ? 0xffffffffu : id);
    std::string name;
    const auto status =
        tessera::with_format(type_id, [&]<class F>(tessera::Type<F>) { name = F::name; });
    if (status == tessera::Status::ok) {
      ++known;
      EXPECT_FALSE(name.empty());
    } else {
      EXPECT_EQ(status, tessera::Status::unknown_format) << type_id;
      EXPECT_TRUE(name.empty()) << type_id;
    }
  }
  EXPECT_EQ(known, tessera::all_formats::size);
}

}  // namespace

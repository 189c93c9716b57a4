// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Every instruction on whole register files: against the witness, and by the vendor's examples.
#include "tests/isa/model.hpp"
#include "tests/isa/witness.hpp"

#include <gtest/gtest.h>
#include <cstring>

namespace {

using namespace isa_tests;
using ime::Rule;

class Family : public ::testing::TestWithParam<ime::Profile> {};
INSTANTIATE_TEST_SUITE_P(Cores, Family,
                         ::testing::Values(ime::k1, ime::x100, ime::k3, ime::k3_bf16),
                         [](const auto& info) {
                           std::string name = info.param.name();
                           if (const auto dash = name.find('-'); dash != std::string::npos) {
                             name[dash] = '_';
                           }
                           return name;
                         });

// Random registers give NaNs too often: these have exponents around 1 in every 16-bit lane.
void tame(std::vector<std::uint8_t>& bytes, std::mt19937& random, const ime::Profile& profile) {
  for (std::size_t i = 1; i < bytes.size(); i += 2) {
    const bool bf16 = profile.half == ime::HalfFormat::bf16;
    const int around =
        bf16 ? 0x38 + static_cast<int>(random() % 12) : 0x28 + static_cast<int>(random() % 36);
    bytes[i] = static_cast<std::uint8_t>((bytes[i] & 0x80) | around);
  }
}

TEST_P(Family, agrees_with_the_witness_on_the_whole_register_file) {
  const ime::Profile& profile = GetParam();
  std::mt19937 random(99);
  for (int i = 0; i < ime::instruction_count; ++i) {
    if (!profile.has(ime::Instructions::table[i].extension)) continue;
    int executed = 0;
    for (int repetition = 0; repetition < 24; ++repetition) {
      Machine machine(profile, random(), repetition % 4);
      if (repetition % 3 != 0) tame(machine.bytes(), random, profile);
      const std::uint32_t word = random_legal_word(random, i);
      auto expected = machine.bytes();
      const Rule rule = machine.execute(word);
      if (rule == Rule::sew_too_wide) continue;
      ASSERT_EQ(rule, Rule::none) << disassembled(word);
      witness::run(
          {profile.vlen_bytes(), 8 << repetition % 4, profile.half == ime::HalfFormat::bf16},
          disassembled(word), expected);
      ASSERT_EQ(machine.bytes(), expected)
          << disassembled(word) << " at SEW " << (8 << repetition % 4);
      EXPECT_EQ(machine.state.vcsr, 5u);
      EXPECT_EQ(machine.state.vstart, 0u);
      ++executed;
    }
    EXPECT_GE(executed, 18) << name_of(i);
  }
}

// A slide on the pair is the plain product on registers that begin so much later.
TEST_P(Family, a_slide_is_the_plain_product_of_later_elements) {
  const ime::Profile& profile = GetParam();
  std::mt19937 random(4);
  const std::uint32_t vmadot = 0xe2863a2b;   // v20, v12, v8
  const std::uint32_t vmadot1 = 0xe6823a2b;  // v20, v4, v8
  const std::uint32_t distances[] = {0, 1u << 14, 1u << 15};
  const int row_bytes = profile.vlen_bytes() / (profile.vlen == 256 ? 4 : 8);
  for (int slide = 1; slide <= 3; ++slide) {
    Machine machine(profile, random());
    const auto pair = machine.reg(4, 2);
    const auto begin = pair.begin() + slide * row_bytes;
    machine.set_reg(12, {begin, begin + profile.vlen_bytes()});
    const auto sums = machine.reg(20, 2);
    ASSERT_EQ(machine.execute(vmadot), Rule::none);
    const auto expected = machine.reg(20, 2);
    machine.set_reg(20, sums);
    ASSERT_EQ(machine.execute(vmadot1 | distances[slide - 1]), Rule::none);
    EXPECT_EQ(machine.reg(20, 2), expected) << slide;
    EXPECT_NE(expected, sums);
  }
}

// ---- the vendor's examples -------------------------------------------------------------------

std::vector<std::int32_t> sums_of(const Machine& machine, int reg) {
  return witness::numbers_of<std::int32_t>(machine.reg(reg, 2));
}

// vmadot, vmadot1, vmadot2 in turn on a 4 x 4 x 8 core. The published intermediate C[0][3] after
// vmadot1 is 224; the arithmetic, and the published final value, want 508.
TEST(VendorExample, sliding_window_of_a_convolution) {
  Machine machine(ime::k1);
  std::vector<std::uint8_t> a(64), b(32);
  const int first_of_row[] = {0, 1, 2, 4, 5, 6};
  for (int row = 0; row < 6; ++row) {
    for (int q = 0; q < 8; ++q) a[8 * row + q] = static_cast<std::uint8_t>(first_of_row[row] + q);
  }
  for (int row = 0; row < 4; ++row) {
    for (int q = 0; q < 8; ++q) b[8 * row + q] = static_cast<std::uint8_t>(row + q);
  }
  b[24] = 11;
  machine.set_reg(0, a);
  machine.set_reg(8, b);
  machine.set_reg(16, std::vector<std::uint8_t>(64));
  ASSERT_EQ(machine.execute(0xe280382b), Rule::none);
  EXPECT_EQ(sums_of(machine, 16),
            (std::vector<std::int32_t>{140, 168, 196, 224, 168, 204, 240, 284, 196, 240, 284, 344,
                                       252, 312, 372, 464}));
  ASSERT_EQ(machine.execute(0xe680382b), Rule::none);
  EXPECT_EQ(sums_of(machine, 16),
            (std::vector<std::int32_t>{308, 372, 436, 508, 364, 444, 524, 628, 448, 552, 656, 808,
                                       532, 660, 788, 988}));
  ASSERT_EQ(machine.execute(0xe680782b), Rule::none);
  EXPECT_EQ(sums_of(machine, 16),
            (std::vector<std::int32_t>{504, 612, 720, 852, 616, 756, 896, 1092, 728, 900, 1072,
                                       1332, 840, 1044, 1248, 1572}));
}

// The published sums belong to the listing's array, where B[7][3] is 0; its comment has 10 there.
TEST(VendorExample, sparse_product) {
  Machine machine(ime::k3);
  std::vector<std::uint8_t> a, b(128), mask(128);
  for (const int first : {0, 16, 1, 17, 2, 18, 3, 18, 4, 19, 5, 20, 6, 21, 7, 22}) {
    for (int q = 0; q < 16; ++q) a.push_back(static_cast<std::uint8_t>(first + q));
  }
  for (int e = 0; e < 128; ++e) b[e] = static_cast<std::uint8_t>(e / 16 + e % 16);
  const int patterns[] = {0x99, 0xaa, 0xcc, 0x55, 0x66, 0x33, 0x99, 0xaa};
  for (int e = 0; e < 32; ++e) mask[e] = static_cast<std::uint8_t>(patterns[e / 4]);
  b[7 * 16 + 3] = 0;
  machine.set_reg(0, mask);
  machine.set_reg(2, a);
  machine.set_reg(8, b);
  machine.set_reg(16, std::vector<std::uint8_t>(256));
  const std::uint32_t word = 0xe881382b;
  ASSERT_EQ(disassembled(word), "smt.vmadot.sp v16, v2, v8, v0, 0");
  ASSERT_EQ(machine.execute(word), Rule::none);
  const auto c = sums_of(machine, 16);
  const std::int32_t first[] = {2544, 2856, 3184, 3200, 3528, 3576, 4032, 4322};
  const std::int32_t fourth[] = {2812, 3164, 3532, 3588, 3956, 4044, 4540, 4840};
  const std::int32_t last[] = {3292, 3708, 4140, 4260, 4692, 4844, 5404, 5728};
  for (int j = 0; j < 8; ++j) {
    EXPECT_EQ(c[j], first[j]) << j;
    EXPECT_EQ(c[24 + j], fourth[j]) << j;
    EXPECT_EQ(c[56 + j], last[j]) << j;
  }
  // With the comment's 10, C[0][7] gains 10 * A[0][7]: the quad's mask is 1010.
  b[7 * 16 + 3] = 10;
  machine.set_reg(8, b);
  machine.set_reg(16, std::vector<std::uint8_t>(256));
  ASSERT_EQ(machine.execute(word), Rule::none);
  EXPECT_EQ(sums_of(machine, 16)[7], 4322 + 10 * 7);
}

TEST(VendorExample, block_scaled_product) {
  Machine machine(ime::k3);
  std::vector<std::uint8_t> a(128), scales(128);
  for (int e = 0; e < 128; ++e) a[e] = static_cast<std::uint8_t>(e / 16 + e % 16);
  const std::uint16_t one_to_eight[] = {0x3c00, 0x4000, 0x4200, 0x4400,
                                        0x4500, 0x4600, 0x4700, 0x4800};
  std::memcpy(scales.data(), one_to_eight, sizeof one_to_eight);
  machine.set_reg(0, scales);
  machine.set_reg(2, a);
  machine.set_reg(8, a);
  machine.set_reg(16, std::vector<std::uint8_t>(128));
  const std::uint32_t word = 0xf081082b;
  ASSERT_EQ(disassembled(word), "smt.vmadot.hp v16, v2, v8, v0, 0");
  ASSERT_EQ(machine.execute(word), Rule::none);
  const auto c = witness::numbers_of<std::uint16_t>(machine.reg(16));
  const double first[] = {1240, 2720, 4440, 6400, 8600, 11040, 13720, 16640};
  const double last[] = {2080, 4624, 7632, 11104, 15040, 19440, 24304, 29632};
  for (int j = 0; j < 8; ++j) {
    EXPECT_EQ(witness::fp16.as_double(c[j]), first[j]) << j;
    EXPECT_EQ(witness::fp16.as_double(c[56 + j]), last[j]) << j;
  }
}

TEST(VendorExample, floating_product_and_slide) {
  for (const ime::Profile& profile : {ime::k3, ime::k3_bf16}) {
    Machine machine(profile);
    std::vector<std::uint16_t> a(128), b(64);
    // Small integers by search: exact in both formats.
    const witness::Half& half =
        profile.half == ime::HalfFormat::bf16 ? witness::bf16 : witness::fp16;
    const auto encode = [&](int value) {
      int bits = 0;
      while (half.as_double(bits) != value) ++bits;
      return static_cast<std::uint16_t>(bits);
    };
    for (int e = 0; e < 128; ++e) a[e] = encode(e / 8 + e % 8);
    for (int e = 0; e < 64; ++e) b[e] = a[e];
    machine.set_reg(2, witness::bytes_of(a));
    machine.set_reg(8, witness::bytes_of(b));
    machine.set_reg(16, std::vector<std::uint8_t>(256));
    ASSERT_EQ(machine.execute(0x9e81482b), Rule::none);
    auto c = witness::numbers_of<float>(machine.reg(16, 2));
    const float first[] = {140, 168, 196, 224, 252, 280, 308, 336};
    const float last[] = {336, 420, 504, 588, 672, 756, 840, 924};
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(c[j], first[j]) << j;
      EXPECT_EQ(c[56 + j], last[j]) << j;
    }
    ASSERT_EQ(machine.execute(0x9e81582b), Rule::none);  // vfwmadot1 adds to it
    c = witness::numbers_of<float>(machine.reg(16, 2));
    const float slid[] = {308, 372, 436, 500, 564, 628, 692, 756};
    for (int j = 0; j < 8; ++j) EXPECT_EQ(c[j], slid[j]) << j;
  }
}

// ---- algebra ---------------------------------------------------------------------------------

constexpr std::uint32_t vmadot_sp[] = {0xe881382b, 0xc881382b};  // v16, v2, v8, v0, 0
constexpr std::uint32_t vmadot_on_16_4_8[] = {0xe282382b, 0xc282382b};

// A mask that selects elements 0 and 1 (or 2 and 3) of every quad, on an A whose quads hold the
// dense pair there and noise elsewhere, is the dense product.
TEST(Sparse, selecting_the_dense_elements_is_the_dense_product) {
  std::mt19937 random(8);
  for (const bool int4 : {false, true}) {
    for (const int pattern : {0x3, 0xc}) {
      Machine machine(ime::k3, random());
      const auto dense = machine.reg(4);
      std::vector<std::uint8_t> a(256);
      for (auto& byte : a) byte = static_cast<std::uint8_t>(random());
      const int high = pattern == 0x3 ? 0 : 1;
      const int pair_bytes = int4 ? 1 : 2;
      for (int pair = 0; pair < 128 / pair_bytes; ++pair) {
        for (int byte = 0; byte < pair_bytes; ++byte) {
          a[(2 * pair + high) * pair_bytes + byte] = dense[pair * pair_bytes + byte];
        }
      }
      machine.set_reg(0, std::vector<std::uint8_t>(128, static_cast<std::uint8_t>(pattern * 17)));
      machine.set_reg(2, a);
      machine.set_reg(4, dense);
      const auto sums = machine.reg(16, 2);
      ASSERT_EQ(machine.execute(vmadot_on_16_4_8[int4]), Rule::none);
      const auto expected = machine.reg(16, 2);
      machine.set_reg(16, sums);
      machine.set_reg(2, a);
      ASSERT_EQ(machine.execute(vmadot_sp[int4]), Rule::none);
      EXPECT_EQ(machine.reg(16, 2), expected);
    }
  }
}

TEST(Sparse, nibbles_without_two_bits_select_nothing) {
  for (const bool int4 : {false, true}) {
    for (const int pattern : {0x0, 0x1, 0x2, 0x4, 0x7, 0x8, 0xb, 0xd, 0xe, 0xf}) {
      Machine machine(ime::k3);
      machine.set_reg(0, std::vector<std::uint8_t>(128, static_cast<std::uint8_t>(pattern * 17)));
      const auto before = machine.bytes();
      ASSERT_EQ(machine.execute(vmadot_sp[int4]), Rule::none);
      EXPECT_EQ(machine.bytes(), before) << pattern;
    }
  }
}

// Every segment of both mask registers, alone: the others' bits do not matter.
TEST(Sparse, each_segment_is_its_own) {
  for (const bool int4 : {false, true}) {
    const int segments = int4 ? 2 : 4;
    const int bytes = 128 / segments;
    for (int vmask = 0; vmask < 2; ++vmask) {
      for (int imm = 0; imm < segments; ++imm) {
        const std::uint32_t word = vmadot_sp[int4] | static_cast<std::uint32_t>(vmask) << 25 |
                                   static_cast<std::uint32_t>(imm >> 1) << 15 |
                                   static_cast<std::uint32_t>(imm & 1) << 7;
        Machine machine(ime::k3);
        machine.set_reg(0, std::vector<std::uint8_t>(256, 0x33));
        auto mask = machine.reg(vmask);
        std::fill_n(mask.begin() + imm * bytes, bytes, 0);
        machine.set_reg(vmask, mask);
        const auto before = machine.bytes();
        ASSERT_EQ(machine.execute(word), Rule::none);
        EXPECT_EQ(machine.bytes(), before) << disassembled(word);
        mask[imm * bytes] = 0x03;
        machine.set_reg(vmask, mask);
        ASSERT_EQ(machine.execute(word), Rule::none);
        EXPECT_NE(machine.bytes(), before) << disassembled(word);
      }
    }
  }
}

// One value of A against one of B, in every instruction with int4 operands: all 256 pairs.
TEST(Exhaustive, int4_times_int4) {
  for (int i = 0; i < ime::instruction_count; ++i) {
    if (ime::Instructions::table[i].element != ime::Element::int4) continue;
    const bool scaled = name_of(i).find(".hp") != std::string::npos;
    const std::uint32_t word =
        ime::Instructions::encode(i, {.vd = 16, .vs1 = 2, .vs2 = 8, .vmask = 0, .imm = 0});
    for (int x = 0; x < 16; ++x) {
      Machine machine(ime::k3);
      // Row i of A holds x everywhere, row j of B holds j, then j + 8, in its first element.
      for (int half = 0; half < 2; ++half) {
        std::vector<std::uint8_t> a(256, static_cast<std::uint8_t>(x * 17)), b(128);
        for (int j = 0; j < 8; ++j) b[16 * j] = static_cast<std::uint8_t>(j + 8 * half);
        machine.set_reg(2, a);
        machine.set_reg(8, b);
        machine.set_reg(0, std::vector<std::uint8_t>(128, 0x33));
        if (scaled) {
          machine.set_reg(0, witness::bytes_of(std::vector<std::uint16_t>(64, 0x3c00)));
        }
        machine.set_reg(16, std::vector<std::uint8_t>(256));
        ASSERT_EQ(machine.execute(word), Rule::none);
        const std::string name = name_of(i);
        const bool unsigned_a = name.find("dotu") != std::string::npos;
        const bool unsigned_b = name.find("dotu:") != std::string::npos ||
                                name.find("dotu.") != std::string::npos ||
                                name.find("dotsu") != std::string::npos;
        for (int j = 0; j < 8; ++j) {
          const int y = j + 8 * half;
          const int expected =
              (!unsigned_a && x >= 8 ? x - 16 : x) * (!unsigned_b && y >= 8 ? y - 16 : y);
          for (int row = 0; row < 8; ++row) {
            if (scaled) {
              const auto c = witness::numbers_of<std::uint16_t>(machine.reg(16));
              ASSERT_EQ(witness::fp16.as_double(c[8 * row + j]), expected) << name << x << ' ' << y;
            } else {
              ASSERT_EQ(sums_of(machine, 16)[8 * row + j], expected) << name << x << ' ' << y;
            }
          }
        }
      }
    }
  }
}

// ---- layout ----------------------------------------------------------------------------------

std::uint32_t layout_word(int mnemonic_bits, int imm, int vd, int vs1, int vs2) {
  return static_cast<std::uint32_t>(mnemonic_bits) << 12 | static_cast<std::uint32_t>(imm) << 12 |
         1u << 25 | static_cast<std::uint32_t>(vd) << 7 | static_cast<std::uint32_t>(vs1) << 15 |
         static_cast<std::uint32_t>(vs2) << 20 | 0x2b;
}
constexpr int vpack = 0x64000, vupack = 0x64004, vnpack = 0x60000, vnspack = 0x60004;
constexpr int vnpack4 = 0x40000, vnspack4 = 0x40004;

TEST(LayoutRoundTrip, unpacking_what_was_packed_and_the_reverse) {
  for (int vsew = 0; vsew < 4; ++vsew) {
    for (int imm = 0; imm < 4; ++imm) {
      Machine machine(ime::k3, 3, vsew);
      const auto x = machine.reg(4), y = machine.reg(5);
      ASSERT_EQ(machine.execute(layout_word(vpack, imm, 8, 4, 5)), Rule::none);
      EXPECT_NE(machine.reg(8), x);
      ASSERT_EQ(machine.execute(layout_word(vupack, imm, 10, 8, 9)), Rule::none);
      EXPECT_EQ(machine.reg(10), x) << vsew << ' ' << imm;
      EXPECT_EQ(machine.reg(11), y) << vsew << ' ' << imm;
      ASSERT_EQ(machine.execute(layout_word(vupack, imm, 12, 4, 5)), Rule::none);
      ASSERT_EQ(machine.execute(layout_word(vpack, imm, 14, 12, 13)), Rule::none);
      EXPECT_EQ(machine.reg(14), x) << vsew << ' ' << imm;
      EXPECT_EQ(machine.reg(15), y) << vsew << ' ' << imm;
    }
  }
}

// Widening what was narrowed gives the sources back, where they fit; and then truncation and
// saturation agree.
TEST(LayoutRoundTrip, widening_what_was_narrowed) {
  for (int vsew = -1; vsew < 3; ++vsew) {  // -1: nibbles
    const int bits = vsew < 0 ? 4 : 8 << vsew;
    const int cut = vsew < 0 ? vnpack4 : vnpack, clamp = vsew < 0 ? vnspack4 : vnspack;
    for (int imm = 0; imm < 4; ++imm) {
      Machine machine(ime::k3, 5, vsew < 0 ? imm : vsew);
      // Sign-extended halves of the noise.
      const int elements = 1024 / (2 * bits);
      for (int reg = 4; reg < 6; ++reg) {
        auto value = machine.reg(reg);
        const auto narrow = value;
        for (int e = 0; e < elements; ++e) {
          const long long small = witness::element(narrow, e, bits, true);
          for (int bit = 0; bit < 2 * bits; ++bit) {
            const int at = 2 * bits * e + bit;
            value[at / 8] = static_cast<std::uint8_t>((value[at / 8] & ~(1 << at % 8)) |
                                                      (small >> bit & 1) << at % 8);
          }
        }
        machine.set_reg(reg, value);
      }
      ASSERT_EQ(machine.execute(layout_word(cut, imm, 9, 4, 5)), Rule::none);
      ASSERT_EQ(machine.execute(layout_word(clamp, imm, 11, 4, 5)), Rule::none);
      EXPECT_EQ(machine.reg(9), machine.reg(11));
      const auto result = machine.reg(9);
      const int per_block = (4 << imm) * 8 / bits;
      for (int e = 0; e < 2 * elements; ++e) {
        const int block = e / per_block;
        const auto source = machine.reg(4 + block % 2);
        const int index = block / 2 * per_block + e % per_block;
        ASSERT_EQ(witness::element(result, e, bits, true),
                  witness::element(source, index, 2 * bits, true))
            << bits << ' ' << imm << ' ' << e;
      }
    }
  }
}

TEST(LayoutSaturation, at_the_ends_of_the_range) {
  Machine machine(ime::k3);
  std::vector<std::uint8_t> bytes(128);
  const int values[] = {-128, -9, -8, -7, 7, 8, 9, 127};
  for (int e = 0; e < 128; ++e) bytes[e] = static_cast<std::uint8_t>(values[e % 8]);
  machine.set_reg(4, bytes);
  ASSERT_EQ(machine.execute(layout_word(vnspack4, 0, 9, 4, 4)), Rule::none);
  const int expected[] = {-8, -8, -8, -7, 7, 7, 7, 7};
  const auto result = machine.reg(9);
  for (int e = 0; e < 8; ++e) EXPECT_EQ(witness::element(result, e, 4, true), expected[e]);
}

}  // namespace

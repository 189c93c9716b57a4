// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// One negative test per rule, each a single change to a legal case; and what execution touches.
#include "tests/isa/tiles.hpp"

#include <set>
#include <string>

namespace {

using namespace tile_tests;
using ime::Rule;

constexpr std::uint64_t vtype_e8m1 = 0xc0;
constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;
constexpr std::uint32_t vmadot_i4_v2_v0_v1 = 0xc210312b;

// A machine ready for vmadot: e8, m1, vl = VLMAX, and its registers filled with noise.
class Machine {
 public:
  explicit Machine(const ime::Profile& profile) : profile_(profile) {
    std::mt19937 random(7);
    bytes_ = random_bytes(random, static_cast<std::size_t>(32 * profile.vlen_bytes()));
    state.regs = {bytes_.data(), profile.vlen_bytes()};
    state.vtype = {vtype_e8m1};
    state.vl = static_cast<std::uint64_t>(profile.vlen_bytes());
    state.vstart = 0;
    state.vcsr = 5;
  }
  Machine(const Machine&) = delete;

  Rule execute(std::uint32_t word) { return ime::execute(profile_, state, word); }
  // Breaks a rule: it is named, and nothing changes.
  void expect_refused(std::uint32_t word, Rule rule) {
    const auto before = bytes_;
    EXPECT_EQ(execute(word), rule) << ime::message(rule);
    EXPECT_EQ(bytes_, before);
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t> reg(int number) const {
    const auto begin = bytes_.begin() + number * state.regs.vlenb;
    return {begin, begin + state.regs.vlenb};
  }

  ime::VectorState state{};

 private:
  ime::Profile profile_;
  std::vector<std::uint8_t> bytes_;
};

std::uint32_t word_of(int vd, int vs1, int vs2) {
  return ime::encode<ime::Vmadot<Element::int8>>({.vd = static_cast<std::uint8_t>(vd),
                                                  .vs1 = static_cast<std::uint8_t>(vs1),
                                                  .vs2 = static_cast<std::uint8_t>(vs2)});
}

class Legality : public ::testing::TestWithParam<ime::Profile> {
 protected:
  Machine machine_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Cores, Legality, ::testing::Values(ime::k1, ime::x100, ime::k3),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Legality, the_legal_case_is_legal) {
  EXPECT_EQ(machine_.execute(vmadot_v2_v0_v1), Rule::none);
}

TEST_P(Legality, unknown_word) {
  machine_.expect_refused(0x0000002b, Rule::unknown_word);
  machine_.expect_refused(0, Rule::unknown_word);
  machine_.expect_refused(vmadot_v2_v0_v1 & ~(1u << 31), Rule::unknown_word);
}

TEST_P(Legality, reserved_data_type) {
  machine_.expect_refused(vmadot_v2_v0_v1 & ~(3u << 29), Rule::reserved_data_type);
  machine_.expect_refused((vmadot_v2_v0_v1 & ~(3u << 29)) | 1u << 29, Rule::reserved_data_type);
}

TEST_P(Legality, masked) {
  machine_.expect_refused(vmadot_v2_v0_v1 & ~(1u << 25), Rule::masked);
}

TEST_P(Legality, vd_odd) {
  for (int vd = 1; vd < 32; vd += 2)
    machine_.expect_refused(word_of(vd, (vd + 3) % 32, (vd + 5) % 32), Rule::vd_odd);
}

TEST_P(Legality, vd_overlaps_a_source) {
  for (int vd = 0; vd < 32; vd += 2) {
    for (int half = 0; half < 2; ++half) {
      const int free = (vd + 2) % 32;
      machine_.expect_refused(word_of(vd, vd + half, free), Rule::vd_overlaps_vs1);
      machine_.expect_refused(word_of(vd, free, vd + half), Rule::vd_overlaps_vs2);
    }
    EXPECT_EQ(machine_.execute(word_of(vd, (vd + 2) % 32, (vd + 31) % 32)), Rule::none);
  }
}

TEST_P(Legality, sources_may_be_equal_and_odd) {
  EXPECT_EQ(machine_.execute(word_of(4, 7, 7)), Rule::none);
}

TEST_P(Legality, vill) {
  machine_.state.vtype.bits = ime::VectorType::vill;
  machine_.state.vl = 0;
  machine_.expect_refused(vmadot_v2_v0_v1, Rule::vill);
}

TEST_P(Legality, lmul_must_be_one) {
  for (std::uint64_t vlmul = 1; vlmul < 8; ++vlmul) {
    machine_.state.vtype.bits = vtype_e8m1 | vlmul;
    machine_.expect_refused(vmadot_v2_v0_v1, Rule::lmul_not_one);
  }
}

TEST_P(Legality, every_sew_and_policy_is_fine) {
  for (std::uint64_t vsew = 0; vsew < 4; ++vsew) {
    for (std::uint64_t policy = 0; policy < 4; ++policy) {
      machine_.state.vtype.bits = policy << 6 | vsew << 3;
      machine_.state.vl = static_cast<std::uint64_t>(GetParam().vlen / (8 << vsew));
      EXPECT_EQ(machine_.execute(vmadot_v2_v0_v1), Rule::none) << vsew;
    }
  }
}

TEST_P(Legality, vl_must_be_vlmax) {
  const std::uint64_t vlmax = machine_.state.vl;
  for (const std::uint64_t vl : {std::uint64_t{0}, std::uint64_t{1}, vlmax - 1}) {
    machine_.state.vl = vl;
    machine_.expect_refused(vmadot_v2_v0_v1, Rule::vl_not_vlmax);
  }
  machine_.state.vl = vlmax;
  machine_.state.vtype.bits = vtype_e8m1 | 1 << 3;  // e16 halves VLMAX: this vl is stale
  machine_.expect_refused(vmadot_v2_v0_v1, Rule::vl_not_vlmax);
}

TEST_P(Legality, vstart_must_be_zero) {
  machine_.state.vstart = 1;
  machine_.expect_refused(vmadot_v2_v0_v1, Rule::vstart_not_zero);
}

TEST_P(Legality, int4_is_k3_only) {
  if (GetParam().core == ime::Core::k3) {
    EXPECT_EQ(machine_.execute(vmadot_i4_v2_v0_v1), Rule::none);
  } else {
    machine_.expect_refused(vmadot_i4_v2_v0_v1, Rule::not_in_profile);
  }
}

TEST(LegalityOfLength, the_registers_must_have_the_cores_length) {
  Machine machine(ime::k3);
  for (const int vlenb : {16, 32, 64}) {
    machine.state.regs.vlenb = vlenb;
    EXPECT_EQ(ime::check(ime::k3, machine.state, vmadot_v2_v0_v1), Rule::vlen_mismatch);
  }
  machine.state.regs.vlenb = 128;
  EXPECT_EQ(ime::check(ime::k1, machine.state, vmadot_v2_v0_v1), Rule::vlen_mismatch);
}

TEST(LegalityMessages, each_rule_has_its_own) {
  std::set<std::string> messages;
  for (int rule = 0; rule <= static_cast<int>(Rule::vl_not_vlmax); ++rule) {
    const std::string text = ime::message(static_cast<Rule>(rule));
    EXPECT_NE(text, "unknown rule");
    EXPECT_TRUE(messages.insert(text).second) << text;
  }
}

// Every register pair: the sums land in vd:vd+1, row-major across the pair, and nowhere else.
TEST_P(Legality, execution_routes_the_registers) {
  std::mt19937 random(11);
  constexpr auto element = Element::int8;
  const ime::Tile t = ime::dot_tile(GetParam(), element);
  for (int repetition = 0; repetition < 300; ++repetition) {
    const int vd = 2 * static_cast<int>(random() % 16);
    const int vs1 = static_cast<int>(random() % 32);
    const int vs2 = static_cast<int>(random() % 32);
    if (vs1 / 2 == vd / 2 || vs2 / 2 == vd / 2) continue;
    const auto before = machine_.bytes();
    const int vlenb = GetParam().vlen_bytes();
    std::vector<std::int32_t> sums(static_cast<std::size_t>(t.m * t.n));
    for (int e = 0; e < t.m * t.n; ++e) sums[e] = ime::load_int32(&before[vd * vlenb], e);
    const auto wanted = witness::multiply({t.m, t.n, t.k, 8, true, true}, sums, machine_.reg(vs1),
                                          machine_.reg(vs2));
    auto expected = before;
    for (int e = 0; e < t.m * t.n; ++e) {
      for (int byte = 0; byte < 4; ++byte) {
        expected[vd * vlenb + 4 * e + byte] =
            static_cast<std::uint8_t>(static_cast<std::uint32_t>(wanted[e]) >> (8 * byte));
      }
    }
    ASSERT_EQ(machine_.execute(word_of(vd, vs1, vs2)), Rule::none);
    ASSERT_EQ(machine_.bytes(), expected) << vd << ' ' << vs1 << ' ' << vs2;
  }
  EXPECT_EQ(machine_.state.vtype.bits, vtype_e8m1);
  EXPECT_EQ(machine_.state.vstart, 0u);
  EXPECT_EQ(machine_.state.vcsr, 5u);
}

}  // namespace

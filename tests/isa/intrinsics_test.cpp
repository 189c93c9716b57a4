// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Each intrinsic against the instruction of its name, which the model executes on registers of its
// own. The same text runs natively on emulated registers and on riscv64 as real words.
#include "tessera/ime.h"

#include "emu/tool/parse.hpp"
#include "tests/isa/model.hpp"

#include <gtest/gtest.h>
#include <cstring>

#ifndef TSR_SMT_EMULATED_VLEN  // RVV types: the machine decides
#define TESSERA_TEST_ALL_INTRINSICS 1
#else
#define TESSERA_TEST_ALL_INTRINSICS (TSR_SMT_EMULATED_VLEN == 1024)
#endif

namespace {

using isa_tests::Machine;
namespace ime = tessera::ime;

// Two registers each, at the longest length.
template <class T>
struct Lanes {
  T lane[256 / sizeof(T)];
};
struct Operands {
  Lanes<std::int8_t> a, b, v0, d;
};

template <class T>
T* lanes(Lanes<std::int8_t>& bytes) {
  return reinterpret_cast<T*>(bytes.lane);
}

class Intrinsics : public ::testing::Test {
 protected:
  Intrinsics() : profile_(tsr_smt_vlenb() == 32 ? ime::k1 : ime::k3) {}

  void SetUp() override {
    if (tsr_smt_vlenb() != 32 && tsr_smt_vlenb() != 128) GTEST_SKIP() << "no core has this VLEN";
  }

  // `call` computes d from the operands; `line` has its result in v8, A in v4, B in v6, v0.
  template <class Call>
  void check(const std::string& line, int vsew, int registers, Call call) {
    const auto word = tessera::tool::assemble(line).word;
    ASSERT_TRUE(word) << line;
    const int index = ime::identify(*word).index;
    if (!profile_.has(ime::Instructions::table[index].extension)) return;
    for (int repetition = 0; repetition < 3; ++repetition) {
      Machine machine(profile_, ++seed_, vsew);
      alignas(8) Operands o;
      const std::size_t vlenb = tsr_smt_vlenb();
      std::memcpy(o.v0.lane, machine.reg(0).data(), vlenb);
      std::memcpy(o.a.lane, machine.reg(4, 2).data(), 2 * vlenb);
      std::memcpy(o.b.lane, machine.reg(6).data(), vlenb);
      std::memcpy(o.d.lane, machine.reg(8, 2).data(), 2 * vlenb);
      call(o);
      ASSERT_EQ(machine.execute(*word), ime::Rule::none) << line;
      const auto expected = machine.reg(8, registers);
      ASSERT_EQ(std::memcmp(o.d.lane, expected.data(), expected.size()), 0) << line;
    }
    ++checked_;
  }

  ime::Profile profile_;
  unsigned seed_ = 100;
  int checked_ = 0;
};

#define SMT_PRODUCT(name, line, c_c, c_name, a_c, a_name, b_c, b_name)              \
  check(line, 2, 2, [](Operands& o) {                                               \
    tsr_smt_store_##c_name(lanes<c_c>(o.d),                                         \
                           tsr_smt_##name(tsr_smt_load_##c_name(lanes<c_c>(o.d)),   \
                                          tsr_smt_load_##a_name(lanes<a_c>(o.a)),   \
                                          tsr_smt_load_##b_name(lanes<b_c>(o.b)))); \
  })
#define SMT_SIGNS(name, suffix, mnemonic, tail, lmul)                                             \
  SMT_PRODUCT(name##suffix, "smt." mnemonic " v8, v4, v6" tail, std::int32_t, i32m2, std::int8_t, \
              i8##lmul, std::int8_t, i8m1);                                                       \
  SMT_PRODUCT(name##u##suffix, "smt." mnemonic "u v8, v4, v6" tail, std::int32_t, i32m2,          \
              std::uint8_t, u8##lmul, std::uint8_t, u8m1);                                        \
  SMT_PRODUCT(name##su##suffix, "smt." mnemonic "su v8, v4, v6" tail, std::int32_t, i32m2,        \
              std::int8_t, i8##lmul, std::uint8_t, u8m1);                                         \
  SMT_PRODUCT(name##us##suffix, "smt." mnemonic "us v8, v4, v6" tail, std::int32_t, i32m2,        \
              std::uint8_t, u8##lmul, std::int8_t, i8m1)

TEST_F(Intrinsics, products_of_bytes) {
  SMT_SIGNS(vmadot, , "vmadot", "", m1);
  SMT_SIGNS(vmadot1, , "vmadot1", "", m2);
  SMT_SIGNS(vmadot2, , "vmadot2", "", m2);
  SMT_SIGNS(vmadot3, , "vmadot3", "", m2);
  EXPECT_EQ(checked_, 16);
}

#if TESSERA_TEST_ALL_INTRINSICS
TEST_F(Intrinsics, products_of_nibbles_and_floats) {
  SMT_SIGNS(vmadot, _i4, "vmadot", ", i4", m1);
  SMT_PRODUCT(vfwmadot, "smt.vfwmadot v8, v4, v6", float, f32m2, std::uint16_t, u16m1,
              std::uint16_t, u16m1);
  SMT_PRODUCT(vfwmadot1, "smt.vfwmadot1 v8, v4, v6", float, f32m2, std::uint16_t, u16m2,
              std::uint16_t, u16m1);
  SMT_PRODUCT(vfwmadot2, "smt.vfwmadot2 v8, v4, v6", float, f32m2, std::uint16_t, u16m2,
              std::uint16_t, u16m1);
  SMT_PRODUCT(vfwmadot3, "smt.vfwmadot3 v8, v4, v6", float, f32m2, std::uint16_t, u16m2,
              std::uint16_t, u16m1);
  EXPECT_EQ(checked_, profile_.core == ime::Core::k3 ? 8 : 0);
}

#define SMT_SPARSE(name, mnemonic, tail, imm, a_c, a_n, b_c, b_n)                           \
  check("smt." mnemonic ".sp v8, v4, v6, v0, " #imm tail, 2, 2, [](Operands& o) {           \
    tsr_smt_store_i32m2(lanes<std::int32_t>(o.d),                                           \
                        tsr_smt_##name(tsr_smt_load_i32m2(lanes<std::int32_t>(o.d)),        \
                                       tsr_smt_load_##a_n##m2(lanes<a_c>(o.a)),             \
                                       tsr_smt_load_##b_n##m1(lanes<b_c>(o.b)),             \
                                       tsr_smt_load_u8m1(lanes<std::uint8_t>(o.v0)), imm)); \
  })
#define SMT_SPARSE_SIGNS(suffix, tail, imm)                                                  \
  SMT_SPARSE(vmadot_sp##suffix, "vmadot", tail, imm, std::int8_t, i8, std::int8_t, i8);      \
  SMT_SPARSE(vmadotu_sp##suffix, "vmadotu", tail, imm, std::uint8_t, u8, std::uint8_t, u8);  \
  SMT_SPARSE(vmadotsu_sp##suffix, "vmadotsu", tail, imm, std::int8_t, i8, std::uint8_t, u8); \
  SMT_SPARSE(vmadotus_sp##suffix, "vmadotus", tail, imm, std::uint8_t, u8, std::int8_t, i8)

TEST_F(Intrinsics, sparse) {
  SMT_SPARSE_SIGNS(, "", 0);
  SMT_SPARSE_SIGNS(, "", 1);
  SMT_SPARSE_SIGNS(, "", 2);
  SMT_SPARSE_SIGNS(, "", 3);
  SMT_SPARSE_SIGNS(_i4, ", i4", 0);
  SMT_SPARSE_SIGNS(_i4, ", i4", 1);
  EXPECT_EQ(checked_, profile_.core == ime::Core::k3 ? 24 : 0);
}

#define SMT_SCALED(name, mnemonic, tail, imm, a_c, a_n, b_c, b_n)                             \
  check("smt." mnemonic ".hp v8, v4, v6, v0, " #imm tail, 1, 1, [](Operands& o) {             \
    tsr_smt_store_u16m1(lanes<std::uint16_t>(o.d),                                            \
                        tsr_smt_##name(tsr_smt_load_u16m1(lanes<std::uint16_t>(o.d)),         \
                                       tsr_smt_load_##a_n##m1(lanes<a_c>(o.a)),               \
                                       tsr_smt_load_##b_n##m1(lanes<b_c>(o.b)),               \
                                       tsr_smt_load_u16m1(lanes<std::uint16_t>(o.v0)), imm)); \
  })
#define SMT_SCALED_SIGNS(suffix, tail, imm)                                                  \
  SMT_SCALED(vmadot_hp##suffix, "vmadot", tail, imm, std::int8_t, i8, std::int8_t, i8);      \
  SMT_SCALED(vmadotu_hp##suffix, "vmadotu", tail, imm, std::uint8_t, u8, std::uint8_t, u8);  \
  SMT_SCALED(vmadotsu_hp##suffix, "vmadotsu", tail, imm, std::int8_t, i8, std::uint8_t, u8); \
  SMT_SCALED(vmadotus_hp##suffix, "vmadotus", tail, imm, std::uint8_t, u8, std::int8_t, i8)
#define SMT_SCALED_BOTH(imm)   \
  SMT_SCALED_SIGNS(, "", imm); \
  SMT_SCALED_SIGNS(_i4, ", i4", imm)

TEST_F(Intrinsics, scaled) {
  SMT_SCALED_BOTH(0);
  SMT_SCALED_BOTH(1);
  SMT_SCALED_BOTH(2);
  SMT_SCALED_BOTH(3);
  SMT_SCALED_BOTH(4);
  SMT_SCALED_BOTH(5);
  SMT_SCALED_BOTH(6);
  SMT_SCALED_BOTH(7);
  EXPECT_EQ(checked_, profile_.core == ime::Core::k3 ? 64 : 0);
}

#define SMT_LAYOUT(name, mnemonic, vsew, count, imm, d_c, d_n, a_c, a_n)           \
  check("smt." mnemonic ".vv v8, v4, v6, " #imm, vsew, count, [](Operands& o) {    \
    tsr_smt_store_##d_n(lanes<d_c>(o.d),                                           \
                        tsr_smt_##name(tsr_smt_load_##a_n(lanes<a_c>(o.a)),        \
                                       tsr_smt_load_##a_n(lanes<a_c>(o.b)), imm)); \
  })
#define SMT_LAYOUT_ALL(name, mnemonic, vsew, count, d_c, d, a_c, a) \
  SMT_LAYOUT(name, mnemonic, vsew, count, 0, d_c, d, a_c, a);       \
  SMT_LAYOUT(name, mnemonic, vsew, count, 1, d_c, d, a_c, a);       \
  SMT_LAYOUT(name, mnemonic, vsew, count, 2, d_c, d, a_c, a);       \
  SMT_LAYOUT(name, mnemonic, vsew, count, 3, d_c, d, a_c, a)
#define SMT_WIDE(t, c, vsew)                                                         \
  SMT_LAYOUT_ALL(vpack_##t, "vpack", vsew, 2, std::c##_t, t##m2, std::c##_t, t##m1); \
  SMT_LAYOUT_ALL(vupack_##t, "vupack", vsew, 2, std::c##_t, t##m2, std::c##_t, t##m1)
#define SMT_NARROW(name, mnemonic, vsew, d, d_c, a, a_c) \
  SMT_LAYOUT_ALL(name, mnemonic, vsew, 1, std::d_c##_t, d##m1, std::a_c##_t, a##m1)

TEST_F(Intrinsics, layout) {
  SMT_WIDE(i8, int8, 0);
  SMT_WIDE(u8, uint8, 0);
  SMT_WIDE(i16, int16, 1);
  SMT_WIDE(u16, uint16, 1);
  SMT_WIDE(i32, int32, 2);
  SMT_WIDE(u32, uint32, 2);
  SMT_WIDE(i64, int64, 3);
  SMT_WIDE(u64, uint64, 3);
  SMT_NARROW(vnpack_i16, "vnpack", 0, i8, int8, i16, int16);
  SMT_NARROW(vnpack_u16, "vnpack", 0, u8, uint8, u16, uint16);
  SMT_NARROW(vnpack_i32, "vnpack", 1, i16, int16, i32, int32);
  SMT_NARROW(vnpack_u32, "vnpack", 1, u16, uint16, u32, uint32);
  SMT_NARROW(vnpack_i64, "vnpack", 2, i32, int32, i64, int64);
  SMT_NARROW(vnpack_u64, "vnpack", 2, u32, uint32, u64, uint64);
  SMT_NARROW(vnspack_i16, "vnspack", 0, i8, int8, i16, int16);
  SMT_NARROW(vnspack_i32, "vnspack", 1, i16, int16, i32, int32);
  SMT_NARROW(vnspack_i64, "vnspack", 2, i32, int32, i64, int64);
  SMT_NARROW(vnpack4_i8, "vnpack4", 0, i8, int8, i8, int8);
  SMT_NARROW(vnpack4_u8, "vnpack4", 0, u8, uint8, u8, uint8);
  SMT_NARROW(vnspack4_i8, "vnspack4", 0, i8, int8, i8, int8);
  EXPECT_EQ(checked_, profile_.core == ime::Core::k3 ? 112 : 0);
}

TEST_F(Intrinsics, an_immediate_out_of_range_traps) {
  EXPECT_DEATH(
      {
        std::int8_t bytes[128] = {};
        volatile unsigned imm = 4;
        tsr_smt_store_i8m1(
            bytes, tsr_smt_vnpack4_i8(tsr_smt_load_i8m1(bytes), tsr_smt_load_i8m1(bytes), imm));
      },
      "");
}
#endif

// A kernel as a user writes it: 16 k steps of one tile, against the sums in plain C.
TEST_F(Intrinsics, a_small_kernel) {
  const int m = profile_.vlen == 256 ? 4 : 8, k = 2 * m, steps = 16;
  std::vector<std::int8_t> a(static_cast<std::size_t>(m * k * steps)), b(a.size());
  std::mt19937 random(1);
  for (auto& x : a) x = static_cast<std::int8_t>(random());
  for (auto& x : b) x = static_cast<std::int8_t>(random());
  std::int32_t c[64];
  auto sums = tsr_smt_zero_i32m2();
  for (int s = 0; s < steps; ++s) {
    sums = tsr_smt_vmadot(sums, tsr_smt_load_i8m1(&a[static_cast<std::size_t>(s * m * k)]),
                          tsr_smt_load_i8m1(&b[static_cast<std::size_t>(s * m * k)]));
  }
  tsr_smt_store_i32m2(c, sums);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      int expected = 0;
      for (int s = 0; s < steps; ++s) {
        for (int q = 0; q < k; ++q) expected += a[(s * m + i) * k + q] * b[(s * m + j) * k + q];
      }
      ASSERT_EQ(c[m * i + j], expected);
    }
  }
}

}  // namespace

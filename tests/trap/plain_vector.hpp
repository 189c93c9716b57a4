// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A few ordinary vector instructions: their words, and what they do to a register file.
#ifndef TESSERA_TESTS_TRAP_PLAIN_VECTOR_HPP_
#define TESSERA_TESTS_TRAP_PLAIN_VECTOR_HPP_

#include "tessera/isa/ime/regfile.hpp"

#include <cstdint>
#include <cstring>

namespace plain_vector {

using tessera::ime::VectorState;
using tessera::ime::VectorType;
using Word = std::uint32_t;

inline constexpr Word nop = 0x00000013;
inline constexpr Word opcode = 0x57;
inline constexpr Word funct3_vv = 0, funct3_vi = 3, funct3_set = 7;
inline constexpr Word whole_move = 0x27;  // funct6, vi
/// funct6 of the arithmetic there is. vv has all of it, vi all but vsub.
enum Operation : Word {
  vadd = 0x00,
  vsub = 0x02,
  vor = 0x0a,
  vxor = 0x0b,
  vmv = 0x17,
  vsadd = 0x21
};
inline constexpr Operation operations[] = {vadd, vsub, vor, vxor, vmv, vsadd};

constexpr Word arithmetic(Operation operation, Word funct3, Word vd, Word vs2, Word vs1) {
  return Word{operation} << 26 | 1u << 25 | (operation == vmv ? 0 : vs2) << 20 | (vs1 & 31) << 15 |
         funct3 << 12 | vd << 7 | opcode;
}
/// vmv<count>r.v
constexpr Word move_registers(Word count, Word vd, Word vs2) {
  return whole_move << 26 | 1u << 25 | vs2 << 20 | (count - 1) << 15 | funct3_vi << 12 | vd << 7 |
         opcode;
}
/// vsetvli t0, zero, vtype: vl becomes VLMAX.
constexpr Word set_longest(Word vtype) {
  return vtype << 20 | funct3_set << 12 | 5u << 7 | opcode;
}
/// vsetivli zero, avl, vtype
constexpr Word set_length(Word avl, Word vtype) {
  return 3u << 30 | vtype << 20 | avl << 15 | funct3_set << 12 | opcode;
}
/// csrwi vcsr, value
constexpr Word set_vcsr(Word value) {
  return 0x00fu << 20 | value << 15 | 5u << 12 | 0x73;
}

constexpr std::uint64_t longest(VectorType vtype, int vlenb) {
  const int bits = vlenb * 8;
  const int lmul = vtype.lmul_log2();
  return static_cast<std::uint64_t>((lmul < 0 ? bits >> -lmul : bits << lmul) / vtype.sew());
}

/// A vset of the two kinds above. False: the word is none.
inline bool configure(VectorState& state, Word word) {
  if ((word & 0x707f) != (funct3_set << 12 | opcode)) return false;
  const bool immediate = word >> 30 == 3;
  state.vtype.bits = word >> 20 & (immediate ? 0x3ff : 0x7ff);
  const std::uint64_t most = longest(state.vtype, state.regs.vlenb);
  const std::uint64_t asked = immediate ? word >> 15 & 31 : most;
  state.vl = asked < most ? asked : most;
  return true;
}

inline std::int64_t element(const std::uint8_t* bytes, std::uint64_t index, int size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + index * static_cast<unsigned>(size), static_cast<std::size_t>(size));
  const int unused = 64 - 8 * size;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b, int size, std::uint64_t& vcsr) {
  const std::int64_t most = INT64_MAX >> (64 - 8 * size);
  std::int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    sum = a < 0 ? INT64_MIN : INT64_MAX;
  } else if (sum >= -most - 1 && sum <= most) {
    return sum;
  }
  vcsr |= 1;
  return sum < 0 ? -most - 1 : most;
}

inline std::int64_t computed(Operation operation, std::int64_t a, std::int64_t b, int size,
                             std::uint64_t& vcsr) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (operation) {
    case vadd:
      return static_cast<std::int64_t>(x + y);
    case vsub:
      return static_cast<std::int64_t>(x - y);
    case vor:
      return a | b;
    case vxor:
      return a ^ b;
    case vmv:
      return b;
    case vsadd:
      return saturated_sum(a, b, size, vcsr);
  }
  return 0;
}

/// Executes one of the words above. Elements that an agnostic policy leaves open are not modelled:
/// with vl below a whole number of registers the policy must be undisturbed.
inline void execute(VectorState& state, Word word) {
  if (word == nop || configure(state, word)) return;
  const Word vs1 = word >> 15 & 31;
  if ((word & 0x7f) == 0x73) {
    state.vcsr = vs1;
    return;
  }
  std::uint8_t* vd = state.regs.reg(static_cast<int>(word >> 7 & 31));
  const std::uint8_t* vs2 = state.regs.reg(static_cast<int>(word >> 20 & 31));
  const bool immediate = (word >> 12 & 7) == funct3_vi;
  if (word >> 26 == whole_move && immediate) {
    std::memmove(vd, vs2, static_cast<std::size_t>(state.regs.vlenb) * (vs1 + 1));
    return;
  }
  const int size = state.vtype.sew() / 8;
  const std::int64_t value = static_cast<std::int32_t>(vs1 << 27) >> 27;
  for (std::uint64_t i = 0; i < state.vl; ++i) {
    const std::int64_t b =
        immediate ? value : element(state.regs.reg(static_cast<int>(vs1)), i, size);
    const std::int64_t result =
        computed(static_cast<Operation>(word >> 26), element(vs2, i, size), b, size, state.vcsr);
    std::memcpy(vd + i * static_cast<unsigned>(size), &result, static_cast<std::size_t>(size));
  }
}

}  // namespace plain_vector

#endif  // TESSERA_TESTS_TRAP_PLAIN_VECTOR_HPP_

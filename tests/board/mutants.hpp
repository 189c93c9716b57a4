// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Cores that are not as the model says: emu/trap/row.cpp compiled with this as TESSERA_TRAP_SEMANTICS is
// the one that TESSERA_TEST_MUTANT names. tessera-check must find out which. Run it in gear 0: in the
// others an instruction may be executed without a check of its state.
#ifndef TESSERA_TESTS_BOARD_MUTANTS_HPP_
#define TESSERA_TESTS_BOARD_MUTANTS_HPP_

#include "emu/trap/semantics.hpp"

#include "tessera/isa/ime/all.hpp"

#include <cstdlib>
#include <cstring>

namespace tessera::trap {

enum class Mutant {
  none,
  saturating_hp,        ///< .hp beyond the range gives the largest finite number
  descending_vfwmadot,  ///< vfwmadot adds product 7 first
  trap_on_wrap,         ///< a sum beyond int32 is an illegal instruction
  vl_honoured,          ///< accumulators beyond vl are left alone
  swapped_nibbles,      ///< an int4 element 0 is in the high nibble
  slides_by_eight,      ///< slides go 8 elements a step on every core
};

inline Mutant named_mutant(const char* name) {
  constexpr const char* names[] = {"none",           "saturating_hp", "descending_vfwmadot",
                                   "trap_on_wrap",   "vl_honoured",   "swapped_nibbles",
                                   "slides_by_eight"};
  if (name == nullptr) return Mutant::none;
  for (int i = 0; i < 7; ++i)
    if (std::strcmp(name, names[i]) == 0) return static_cast<Mutant>(i);
  std::abort();
}
inline const Mutant mutant = named_mutant(std::getenv("TESSERA_TEST_MUTANT"));

struct MutantNumerics {
  using Model = ime::DefaultNumerics;

  TESSERA_INLINE static std::int32_t accumulate_int32(std::int32_t accumulator, std::int32_t sum) {
    const std::int64_t exact = std::int64_t{accumulator} + sum;
    // Signals are blocked here, so it ends the process.
    if (mutant == Mutant::trap_on_wrap && exact != static_cast<std::int32_t>(exact))
      asm volatile(".4byte 0");
    return Model::accumulate_int32(accumulator, sum);
  }
  TESSERA_INLINE static std::uint16_t accumulate_scaled(ime::HalfFormat half,
                                                        std::uint16_t accumulator, std::int32_t sum,
                                                        std::uint16_t scale) {
    const std::uint16_t result = Model::accumulate_scaled(half, accumulator, sum, scale);
    const ime::FloatLayout layout = ime::layout_of(half);
    const auto finite = [&](std::uint16_t x) {
      return (x & layout.infinity()) != layout.infinity();
    };
    const bool overflow =
        (result & ~layout.sign_bit()) == layout.infinity() && finite(accumulator) && finite(scale);
    return static_cast<std::uint16_t>(mutant == Mutant::saturating_hp && overflow ? result - 1
                                                                                  : result);
  }
  TESSERA_INLINE static std::uint32_t accumulate_float(ime::HalfFormat half,
                                                       std::uint32_t accumulator,
                                                       const std::uint16_t* a,
                                                       const std::uint16_t* b, int k) {
    if (mutant != Mutant::descending_vfwmadot)
      return Model::accumulate_float(half, accumulator, a, b, k);
    for (int q = k - 1; q >= 0; --q)
      accumulator = Model::accumulate_float(half, accumulator, a + q, b + q, 1);
    return accumulator;
  }
};

/// The registers of a group as they were, put back at the end.
class Kept {
 public:
  Kept(const ime::RegFile& regs, int first, int count)
      : bytes_(regs.reg(first)), size_(count * regs.vlenb) {
    for (int i = 0; i < size_; ++i) copy_[i] = bytes_[i];
  }
  ~Kept() { put_back(0); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  void put_back(int from) {
    for (; from < size_; ++from) bytes_[from] = copy_[from];
  }
  void release() { size_ = 0; }

 private:
  std::uint8_t* bytes_;
  int size_;
  std::uint8_t copy_[256];
};

inline void swap_nibbles(const ime::RegFile& regs, int first, int count) {
  std::uint8_t* bytes = regs.reg(first);
  for (int i = 0; i < count * regs.vlenb; ++i)
    bytes[i] = static_cast<std::uint8_t>(bytes[i] << 4 | bytes[i] >> 4);
}

struct Semantics {
  TESSERA_INLINE static ime::Rule check(const ime::Profile& profile, const ime::VectorState& state,
                                        std::uint32_t word) {
    const ime::Rule rule = ime::check(profile, state, word);
    const bool allowed = mutant == Mutant::vl_honoured && rule == ime::Rule::vl_not_vlmax;
    return allowed ? ime::Rule::none : rule;
  }

  template <class Insn>
  static void execute(const ime::Profile& profile, ime::VectorState& state,
                      const ime::Operands& o) {
    constexpr ime::Signature s = Insn::signature;
    const ime::RegFile& regs = state.regs;
    const auto plainly = [&] { Insn::template exec<MutantNumerics>(profile, state, o); };
    if (mutant == Mutant::vl_honoured && Insn::element != ime::Element::none) {
      Kept result(regs, o.vd, s.vd_registers);
      plainly();
      result.put_back(s.vd_registers * static_cast<int>(state.vl) * state.vtype.sew() / 8);
      result.release();
    } else if (mutant == Mutant::swapped_nibbles && Insn::element == ime::Element::int4) {
      const Kept a(regs, o.vs1, s.vs1_registers);
      const Kept b(regs, o.vs2, 1);
      swap_nibbles(regs, o.vs1, s.vs1_registers);
      if (o.vs2 < o.vs1 || o.vs2 >= o.vs1 + s.vs1_registers) swap_nibbles(regs, o.vs2, 1);
      plainly();
    } else if (mutant == Mutant::slides_by_eight && profile.vlen == ime::k3.vlen &&
               Insn::element == ime::Element::int8 && s.form == ime::Form::registers &&
               s.vs1_registers == 2) {
      // What is 8 elements on comes to where the model looks for it, 16 elements on.
      const Kept a(regs, o.vs1, 2);
      constexpr int distance = distance_of(Insn{});
      std::uint8_t* bytes = regs.reg(o.vs1);
      for (int i = 2 * regs.vlenb - 1; i >= 8 * distance; --i) bytes[i] = bytes[i - 8 * distance];
      plainly();
    } else {
      plainly();
    }
  }

 private:
  template <int Distance, ime::Reading A, ime::Reading B>
  static constexpr int distance_of(const ime::Slide<Distance, A, B>&) {
    return Distance;
  }
  static constexpr int distance_of(...) { return 0; }
};

}  // namespace tessera::trap

#endif  // TESSERA_TESTS_BOARD_MUTANTS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/execution.hpp"

#include "tessera/isa/ime/regfile.hpp"
#include "tests/isa/model.hpp"
#include "tests/trap/machine.hpp"

namespace board {
namespace {

void clear_float_flags() {
  asm volatile("csrwi fflags, 0");
}

std::uint64_t float_flags() {
  std::uint64_t flags;
  asm volatile("csrr %0, fflags" : "=r"(flags)::"memory");
  return flags;
}

}  // namespace

State ready_state(const ime::Profile& profile, int vsew) {
  State state;
  state.vtype = 0xc0 | static_cast<std::uint64_t>(vsew) << 3;
  state.vl = static_cast<std::uint64_t>(profile.vlen / (8 << vsew));
  state.bytes.resize(static_cast<std::size_t>(32 * profile.vlen_bytes()));
  return state;
}

std::uint64_t vector_bytes() {
  return trap_tests::vlenb();
}

State run(const State& before, std::span<const std::uint32_t> words) {
  State state = before;
  const trap_tests::Code code(words);
  Registers image{state.vstart,
                  state.vl,
                  state.vtype,
                  state.vcsr,
                  static_cast<std::uint64_t>(state.vlenb()),
                  state.bytes.data()};
  clear_float_flags();
  code.run(&image);
  state.fflags = float_flags();
  state.vstart = image.vstart;
  state.vl = image.vl;
  state.vtype = image.vtype;
  state.vcsr = image.vcsr;
  return state;
}

ime::Rule run_model(const ime::Profile& profile, State& state,
                    std::span<const std::uint32_t> words) {
  ime::VectorState model{
      {state.bytes.data(), state.vlenb()}, {state.vtype}, state.vl, state.vstart, state.vcsr};
  for (const std::uint32_t word : words) {
    if ((word & ime::opcode_mask) != ime::opcode_custom1) continue;
    const ime::Rule rule = isa_tests::execute(profile, model, word);
    if (rule != ime::Rule::none) return rule;
  }
  return ime::Rule::none;
}

std::string text_of_state(const State& state) {
  const ime::VectorType type{state.vtype};
  std::string text = "e" + std::to_string(type.sew());
  text += type.lmul_log2() < 0 ? ",mf" : ",m";
  text += std::to_string(1 << (type.lmul_log2() < 0 ? -type.lmul_log2() : type.lmul_log2()));
  text += type.tail_agnostic() ? ",ta" : ",tu";
  text += type.mask_agnostic() ? ",ma" : ",mu";
  text += " vl " + std::to_string(state.vl) + " vstart " + std::to_string(state.vstart);
  return text + " vcsr " + std::to_string(state.vcsr);
}

std::string hex(const std::uint8_t* bytes, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

}  // namespace board

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Streams of words, executed by the model and by the tests' second transcription: both must leave
// the same registers after each one. An illegal word must change nothing.
//
// Input: a byte for the core; 4 bytes of seed for the registers; then 8 bytes an instruction: which
// one, vd, vs1, vs2, v0 or v1 and SEW, immediate, and a byte that is put into a register at a place.
#include "emu/fuzz/second_opinion.hpp"
#include "tests/isa/model.hpp"

#include <cstdlib>
#include <cstring>

namespace {

namespace ime = tessera::ime;

constexpr ime::Profile cores[] = {ime::k1, ime::x100, ime::k3, ime::k3, ime::k3, ime::k3_bf16};

std::uint32_t word_of(const std::uint8_t* step) {
  const int index = step[0] % ime::instruction_count;
  return ime::Instructions::encode(index, {.vd = static_cast<std::uint8_t>(step[1] % 32),
                                           .vs1 = static_cast<std::uint8_t>(step[2] % 32),
                                           .vs2 = static_cast<std::uint8_t>(step[3] % 32),
                                           .vmask = static_cast<std::uint8_t>(step[4] & 1),
                                           .imm = static_cast<std::uint8_t>(step[5] % 8)});
}

// The fields of a random word may run into each other; only what decodes as it was meant counts.
bool fits(const std::uint8_t* step) {
  const ime::Signature& s = ime::Instructions::table[step[0] % ime::instruction_count].signature;
  const ime::Operands o{
      .vd = static_cast<std::uint8_t>(step[1] % 32),
      .vs1 = static_cast<std::uint8_t>(step[2] % 32),
      .vs2 = static_cast<std::uint8_t>(step[3] % 32),
      .vmask = static_cast<std::uint8_t>(step[4] & 1),
      .imm = static_cast<std::uint8_t>(s.form == ime::Form::registers ? 0 : step[5] % 8)};
  return ime::check_fields(s, o) == ime::Rule::none;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t header = 5, step_bytes = 8, most_steps = 16;
  if (size < header + step_bytes) return -1;
  const ime::Profile& profile = cores[data[0] % (sizeof cores / sizeof *cores)];
  unsigned seed;
  std::memcpy(&seed, data + 1, 4);
  isa_tests::Machine machine(profile, seed);
  auto expected = machine.bytes();
  std::size_t steps = (size - header) / step_bytes;
  if (steps > most_steps) steps = most_steps;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::uint8_t* step = data + header + step_bytes * i;
    const std::size_t place = (step[4] >> 3) * 251u + step[7] * 16u;
    machine.bytes()[place % expected.size()] = step[6];
    expected[place % expected.size()] = step[6];
    if (!fits(step)) continue;
    const std::uint32_t word = word_of(step);
    const int vsew = step[4] >> 1 & 3;
    machine.set_vsew(vsew);
    const ime::Rule rule = machine.execute(word);
    if (rule == ime::Rule::none) {
      fuzz::execute_as_written(profile, 8 << vsew, isa_tests::disassembled(word), expected);
    }
    if (machine.bytes() != expected) std::abort();
  }
  return 0;
}

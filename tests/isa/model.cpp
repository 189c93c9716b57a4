// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/isa/model.hpp"

namespace isa_tests {

ime::Rule execute(const ime::Profile& profile, ime::VectorState& state, std::uint32_t word) {
  return ime::execute(profile, state, word);
}

ime::Rule check(const ime::Profile& profile, const ime::VectorState& state, std::uint32_t word) {
  return ime::check(profile, state, word);
}

std::string disassembled(std::uint32_t word) {
  char buffer[80];
  ime::Text text(buffer, sizeof buffer);
  ime::disassemble(word, text);
  return buffer;
}

std::string name_of(int index) {
  char buffer[40];
  ime::Text text(buffer, sizeof buffer);
  ime::write_name(index, text);
  return buffer;
}

std::uint32_t random_legal_word(std::mt19937& random, int index) {
  const ime::Signature& signature = ime::Instructions::table[index].signature;
  while (true) {
    const ime::Operands operands{.vd = static_cast<std::uint8_t>(random() % 32),
                                 .vs1 = static_cast<std::uint8_t>(random() % 32),
                                 .vs2 = static_cast<std::uint8_t>(random() % 32),
                                 .vmask = static_cast<std::uint8_t>(random() % 2),
                                 .imm = static_cast<std::uint8_t>(random() % 8)};
    if (ime::check_operands(signature, operands) == ime::Rule::none) {
      return ime::Instructions::encode(index, operands);
    }
  }
}

}  // namespace isa_tests

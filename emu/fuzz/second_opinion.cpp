// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/fuzz/second_opinion.hpp"

#include "tests/isa/witness.hpp"

void fuzz::execute_as_written(const tessera::ime::Profile& profile, int sew,
                              const std::string& line, std::vector<std::uint8_t>& registers) {
  const bool bf16 = profile.half == tessera::ime::HalfFormat::bf16;
  witness::run({profile.vlen_bytes(), sew, bf16}, line, registers);
}

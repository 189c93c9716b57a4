// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The model on a machine of its own. The whole model is compiled once, in model.cpp.
#ifndef TESSERA_TESTS_ISA_MODEL_HPP_
#define TESSERA_TESTS_ISA_MODEL_HPP_

#include "tessera/isa/ime/all.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace isa_tests {

namespace ime = tessera::ime;

ime::Rule execute(const ime::Profile& profile, ime::VectorState& state, std::uint32_t word);
ime::Rule check(const ime::Profile& profile, const ime::VectorState& state, std::uint32_t word);
std::string disassembled(std::uint32_t word);
/// The mnemonic, and ":i4" for an int4 form.
std::string name_of(int index);

/// A random word of the instruction at `index` that keeps every rule of the operands.
std::uint32_t random_legal_word(std::mt19937& random, int index);

/// A machine that is ready: e<sew>, m1, vl = VLMAX, and its registers filled with noise.
class Machine {
 public:
  explicit Machine(const ime::Profile& profile, unsigned seed = 7, int vsew = 0)
      : profile_(profile), bytes_(static_cast<std::size_t>(32 * profile.vlen_bytes())) {
    std::mt19937 random(seed);
    for (auto& byte : bytes_) byte = static_cast<std::uint8_t>(random());
    state.regs = {bytes_.data(), profile.vlen_bytes()};
    set_vsew(vsew);
    state.vstart = 0;
    state.vcsr = 5;
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void set_vsew(int vsew) {
    state.vtype.bits = 0xc0 | static_cast<std::uint64_t>(vsew) << 3;
    state.vl = static_cast<std::uint64_t>(profile_.vlen / (8 << vsew));
  }
  ime::Rule execute(std::uint32_t word) { return isa_tests::execute(profile_, state, word); }
  const ime::Profile& profile() const { return profile_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  std::vector<std::uint8_t> reg(int number, int count = 1) const {
    const auto begin = bytes_.begin() + number * state.regs.vlenb;
    return {begin, begin + count * state.regs.vlenb};
  }
  void set_reg(int number, const std::vector<std::uint8_t>& value) {
    std::copy(value.begin(), value.end(), bytes_.begin() + number * state.regs.vlenb);
  }

  ime::VectorState state{};

 private:
  ime::Profile profile_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace isa_tests

#endif  // TESSERA_TESTS_ISA_MODEL_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Instruction words on the core and in the model, from the same state.
#ifndef TESSERA_BENCH_CHECK_EXECUTION_HPP_
#define TESSERA_BENCH_CHECK_EXECUTION_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"

namespace board {

namespace ime = tessera::ime;

/// The whole vector state of a core.
struct State {
  std::uint64_t vtype = 0xc0;  ///< e8, m1, agnostic
  std::uint64_t vl = 0;
  std::uint64_t vstart = 0;
  std::uint64_t vcsr = 0;
  std::uint64_t fflags = 0;  ///< only read
  std::vector<std::uint8_t> bytes;

  std::uint8_t* reg(int number) {
    return bytes.data() + static_cast<std::size_t>(number) * (bytes.size() / 32);
  }
  const std::uint8_t* reg(int number) const { return const_cast<State*>(this)->reg(number); }
  int vlenb() const { return static_cast<int>(bytes.size() / 32); }
  friend bool operator==(const State&, const State&) = default;
};

/// e<8 << vsew>, m1, vl = VLMAX, registers of zeros.
State ready_state(const ime::Profile& profile, int vsew = 0);

/// Bytes of a vector register of the core at hand; without vectors the process dies.
std::uint64_t vector_bytes();

/// Executes the words on the core; it may die of it.
State run(const State& before, std::span<const std::uint32_t> words);

/// Executes those of the words that are matrix instructions in the model. A broken rule ends it and is
/// returned.
ime::Rule run_model(const ime::Profile& profile, State& state,
                    std::span<const std::uint32_t> words);

/// "e8,m1,ta,ma vl 32 vstart 0 vcsr 5".
std::string text_of_state(const State& state);
/// Bytes in memory order.
std::string hex(const std::uint8_t* bytes, int count);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_EXECUTION_HPP_

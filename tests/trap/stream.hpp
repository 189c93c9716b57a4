// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Random streams of legal instructions: rows of matrix instructions, and ordinary vector
// instructions between them. All of a stream follows from its seed.
#ifndef TESSERA_TESTS_TRAP_STREAM_HPP_
#define TESSERA_TESTS_TRAP_STREAM_HPP_

#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trap_tests {

namespace ime = tessera::ime;

/// A counter through a mixing function: a generator whose state is one number.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, count).
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(next() % count); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

/// Instructions, 16 or 32 bits each, as they lie in memory.
struct Stream {
  std::vector<std::uint16_t> halves;
  int matrix_words = 0;
  int plain_words = 0;

  void put(std::uint32_t word) {
    halves.push_back(static_cast<std::uint16_t>(word));
    halves.push_back(static_cast<std::uint16_t>(word >> 16));
  }
};

/// The instruction at `half` of a stream, and how many halves it has.
struct Fetched {
  std::uint32_t word;
  int halves;
};
Fetched fetch(std::span<const std::uint16_t> halves, std::size_t half);

/// Fills the registers: noise, halves whose products stay finite, or extreme bytes.
void fill(Random& random, const ime::RegFile& registers);

/// e8, m1, VLMAX, as a stream finds it.
void make_ready(const ime::Profile& profile, ime::VectorState& state);

/// A row of at most `count` matrix instructions that are legal in `state`; none where none is.
/// Neighbours are often of one mnemonic and often use what the one before wrote.
void append_row(Random& random, const ime::Profile& profile, const ime::VectorState& state,
                Stream& stream, int count);

/// A whole stream for a machine that is ready.
Stream make_stream(Random& random, const ime::Profile& profile);

/// What the definition of the instructions makes of the first `halves` of a stream. Returns the
/// first rule that is broken.
ime::Rule execute_stream(const ime::Profile& profile, ime::VectorState& state,
                         std::span<const std::uint16_t> halves);

}  // namespace trap_tests

#endif  // TESSERA_TESTS_TRAP_STREAM_HPP_

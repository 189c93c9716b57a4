// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A 64-bit digest of floats: equal bits give equal digests on every machine.
#ifndef TESSERA_EXAMPLES_SHARED_DIGEST_HPP_
#define TESSERA_EXAMPLES_SHARED_DIGEST_HPP_

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

namespace examples {

/// Every step is a bijection of the state, so sequences that differ in one value never agree.
/// All NaNs count as one; -0 and 0 do not.
class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }
  void add(std::span<const float> values) {
    for (const float x : values)
      add(std::uint64_t{std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x)});
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x7465737365726121u;
};

/// 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_DIGEST_HPP_

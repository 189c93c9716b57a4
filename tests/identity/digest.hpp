// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A 64-bit hash of results that every platform agrees about.
#ifndef TESSERA_TESTS_IDENTITY_DIGEST_HPP_
#define TESSERA_TESTS_IDENTITY_DIGEST_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace identity {

/// FNV-1a over little-endian bytes. Every NaN counts as one canonical NaN (platforms differ in
/// payload and sign); -0 and +0 differ.
class Digest {
 public:
  void add_byte(unsigned byte) noexcept { state_ = (state_ ^ (byte & 255u)) * 0x100000001b3u; }
  void add(std::uint32_t word) noexcept {
    for (int shift = 0; shift < 32; shift += 8) add_byte(word >> shift);
  }
  void add(float x) noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    add((bits & 0x7fffffffu) > 0x7f800000u ? std::uint32_t{0x7fc00000} : bits);
  }
  void add(std::span<const float> values) noexcept {
    for (const float x : values) add(x);
  }
  void add(std::span<const std::byte> bytes) noexcept {
    for (const std::byte b : bytes) add_byte(static_cast<unsigned>(b));
  }
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_DIGEST_HPP_

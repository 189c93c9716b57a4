// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A 64-bit hash of bytes that tells whether a buffer has changed. Not for adversaries.
#ifndef TESSERA_CORE_BUFFER_HASH_HPP_
#define TESSERA_CORE_BUFFER_HASH_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes in the order they are added, cut into words of 8 within each call. A step is a bijection of
/// the state, so two sequences that differ in one word have different hashes.
class BufferHash {
 public:
  void add(const void* data, std::size_t size) noexcept {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (; size >= 8; bytes += 8, size -= 8) {
      std::uint64_t word;
      __builtin_memcpy(&word, bytes, sizeof word);
      add_word(word);
    }
    if (size == 0) return;
    std::uint64_t rest = 0;
    __builtin_memcpy(&rest, bytes, size);
    add_word(rest);
    add_word(size);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  void add_word(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }
  std::uint64_t state_ = 0x7465737365726121u;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_BUFFER_HASH_HPP_

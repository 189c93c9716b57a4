// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Instantiates what a consumer would, with whatever flags it is compiled for, and hashes the results.
#include <cstdint>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/all.hpp"

namespace {

// FNV-1a, byte by byte.
template <class T>
std::uint64_t add_to_digest(std::uint64_t digest, const T& value) {
  unsigned char bytes[sizeof(T)];
  __builtin_memcpy(bytes, &value, sizeof(T));
  for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001b3u;
  return digest;
}

template <class Format>
std::uint64_t add_block(std::uint64_t digest) {
  float row[Format::group];
  for (std::size_t i = 0; i < Format::group; ++i) {
    row[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6) * 0.37f;
  }
  typename Format::Block block;
  Format::quantize_block(row, block);
  Format::dequantize_block(block, row);
  for (const float value : row) digest = add_to_digest(digest, value);
  return digest;
}

}  // namespace

std::uint64_t TESSERA_MIXED_ENTRY() {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (int i = 0; i < 100; ++i) {
    const float x = static_cast<float>(i - 50) * 0.31f;
    digest = add_to_digest(digest, tessera::fma(x, x, 1.0f));
    digest = add_to_digest(digest, tessera::to_float16(x));
  }
  digest = add_block<tessera::format::q8_0>(digest);
  digest = add_block<tessera::format::q4_0>(digest);
  return digest;
}

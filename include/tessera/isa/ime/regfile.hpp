// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The vector registers as plain bytes, and the control registers beside them.
#ifndef TESSERA_ISA_IME_REGFILE_HPP_
#define TESSERA_ISA_IME_REGFILE_HPP_

#include "tessera/config.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Reads element `index` of a little-endian int32 array.
TESSERA_INLINE constexpr std::int32_t load_int32(const std::uint8_t* bytes, int index) {
  const std::uint8_t* p = bytes + 4 * index;
  return static_cast<std::int32_t>(std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 |
                                   std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24);
}

/// Writes element `index` of a little-endian int32 array.
TESSERA_INLINE constexpr void store_int32(std::uint8_t* bytes, int index, std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  std::uint8_t* p = bytes + 4 * index;
  p[0] = static_cast<std::uint8_t>(bits);
  p[1] = static_cast<std::uint8_t>(bits >> 8);
  p[2] = static_cast<std::uint8_t>(bits >> 16);
  p[3] = static_cast<std::uint8_t>(bits >> 24);
}

/// Reads element `index` of a little-endian array of 16-bit lanes.
TESSERA_INLINE constexpr std::uint16_t load_uint16(const std::uint8_t* bytes, int index) {
  return static_cast<std::uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

/// Writes element `index` of a little-endian array of 16-bit lanes.
TESSERA_INLINE constexpr void store_uint16(std::uint8_t* bytes, int index, std::uint16_t value) {
  bytes[2 * index] = static_cast<std::uint8_t>(value);
  bytes[2 * index + 1] = static_cast<std::uint8_t>(value >> 8);
}

/// A view of v0 to v31: 32 * vlenb bytes, v0 first. A register group is contiguous.
struct RegFile {
  std::uint8_t* bytes;
  int vlenb;  ///< bytes of one register

  TESSERA_INLINE constexpr std::uint8_t* reg(int number) const { return bytes + number * vlenb; }
};

/// The vtype register (64-bit form).
struct VectorType {
  std::uint64_t bits;

  static constexpr std::uint64_t vill = std::uint64_t{1} << 63;

  TESSERA_INLINE constexpr bool illegal() const { return (bits & vill) != 0; }
  /// log2 of LMUL, -3 to 3; -4 is the reserved pattern.
  TESSERA_INLINE constexpr int lmul_log2() const { return static_cast<int>((bits & 7) ^ 4) - 4; }
  /// SEW in bits; above 64 is reserved.
  TESSERA_INLINE constexpr int sew() const { return 8 << ((bits >> 3) & 7); }
  TESSERA_INLINE constexpr bool tail_agnostic() const { return (bits >> 6 & 1) != 0; }
  TESSERA_INLINE constexpr bool mask_agnostic() const { return (bits >> 7 & 1) != 0; }
};

/// Everything an instruction may read or write.
struct VectorState {
  RegFile regs;
  VectorType vtype;
  std::uint64_t vl;
  std::uint64_t vstart;
  std::uint64_t vcsr;
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_REGFILE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Quantised activations as an operand that outlives a call: they say what they are.
#ifndef TESSERA_KERNELS_MATMUL_QUANTIZED_HEADER_HPP_
#define TESSERA_KERNELS_MATMUL_QUANTIZED_HEADER_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_NAMESPACE_BEGIN

/// A matrix of activations quantised by quantize_rows: one operand for any number of products. Aligned to
/// workspace_alignment.
struct QuantizedActivations {
  std::span<const std::byte> bytes = {};
  std::size_t rows = 0;
  std::size_t cols = 0;
};

/// The first 64 bytes of quantised activations. Not for files: the rest is laid out for one backend.
struct QuantizedHeader {
  char magic[8];
  std::uint32_t version;
  TileShape tile;             ///< rows that lie together, columns and k of the atom's tile
  std::uint16_t scale_lanes;  ///< numbers that stand for the scales of a row tile
  std::uint8_t sums_of;       ///< ActivationNeeds
  std::uint8_t weighted_of;
  std::uint8_t has_sums;
  std::uint8_t whole_rows;
  std::uint8_t reserved[8];
  std::uint64_t rows;
  std::uint64_t cols;
  std::uint64_t bytes;
  std::uint64_t zero;
};
static_assert(sizeof(QuantizedHeader) == 64);

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// What a backend writes before rows of this shape.
template <class Atom>
TESSERA_INLINE QuantizedHeader quantized_header(std::size_t rows, std::size_t cols,
                                                ActivationNeeds needs) noexcept {
  QuantizedHeader h = {};
  __builtin_memcpy(h.magic, "tesseraA", sizeof h.magic);
  h.version = 1;
  h.tile = tile_shape<typename Atom::block_tile>;
  h.scale_lanes = static_cast<std::uint16_t>(Atom::a_scale_lanes);
  h.sums_of = needs.sums_of;
  h.weighted_of = needs.weighted_of;
  h.whole_rows = needs.whole_rows;
  h.has_sums = Atom::needs_sums;
  h.rows = rows;
  h.cols = cols;
  h.bytes = sizeof h + QuantizedRows<Atom>(rows, cols, needs).bytes();
  return h;
}

TESSERA_INLINE ActivationNeeds needs_of(const QuantizedHeader& h) noexcept {
  return {h.sums_of, h.weighted_of, h.whole_rows != 0};
}

/// The header of bytes that passed check_quantized.
TESSERA_INLINE QuantizedHeader header_of(const QuantizedActivations& a) noexcept {
  QuantizedHeader h;
  __builtin_memcpy(&h, a.bytes.data(), sizeof h);
  return h;
}

/// The rows behind the header; the pointer is for writing too, but products only read.
TESSERA_INLINE std::byte* rows_of(const QuantizedActivations& a) noexcept {
  return const_cast<std::byte*>(a.bytes.data()) + sizeof(QuantizedHeader);
}

/// Are these rows x cols activations that Atom can read, for weights with these needs?
template <class Atom>
[[nodiscard]] TESSERA_INLINE Status check_quantized(const QuantizedActivations& a,
                                                    ActivationNeeds needs) noexcept {
  if (a.rows == 0 || a.cols == 0) return Status::empty_shape;
  if (a.bytes.data() == nullptr) return Status::null_pointer;
  if (reinterpret_cast<std::uintptr_t>(a.bytes.data()) % workspace_alignment != 0)
    return Status::misaligned;
  if (a.bytes.size() < sizeof(QuantizedHeader)) return Status::quantized_too_small;
  const QuantizedHeader have = header_of(a);
  if (extent_overflows(a.rows, static_cast<std::ptrdiff_t>(a.cols), a.cols, 64))
    return Status::shape_too_large;
  const QuantizedHeader want = quantized_header<Atom>(a.rows, a.cols, needs_of(have));
  for (std::size_t i = 0; i < sizeof want.magic; ++i)
    if (have.magic[i] != want.magic[i]) return Status::quantized_magic;
  if (have.version != want.version) return Status::quantized_magic;
  if (have.tile != want.tile || have.scale_lanes != want.scale_lanes ||
      have.has_sums != want.has_sums)
    return Status::quantized_tile;
  if (have.rows != a.rows || have.cols != a.cols || have.bytes != want.bytes)
    return Status::quantized_shape;
  if (!needs_of(have).cover(needs)) return Status::quantized_needs;
  if (a.bytes.size() < have.bytes) return Status::quantized_too_small;
  return Status::ok;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_QUANTIZED_HEADER_HPP_

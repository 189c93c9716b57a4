// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the hwy backend: entry points (core/vector.hpp).
#ifndef TESSERA_BACKEND_HWY_VEC_HPP_
#define TESSERA_BACKEND_HWY_VEC_HPP_

#include <cstddef>

#include "tessera/backend/hwy/target.hpp"
#include "tessera/backend/moves.hpp"
#include "tessera/config.hpp"
#include "tessera/core/vector.hpp"
#if HWY_HAVE_SCALABLE
#include "tessera/backend/hwy/scalable_lanes.hpp"
#else
#include "tessera/backend/hwy/register.hpp"
#include "tessera/backend/pack_lanes.hpp"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

#if HWY_HAVE_SCALABLE

/// Vectors whose size is known at run time only.
struct HwyVectors : PlainMoves {
  static constexpr std::size_t state_registers = 4;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    static_assert(M == 1 || M == 2 || M == 4 || M == 8);
    constexpr int log2 = M == 1 ? 0 : M == 2 ? 1 : M == 4 ? 2 : 3;
    stretches<detail::hn::ScalableTag<float, log2>>(n, body);
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    stretches<detail::HwyVirtualTag>(n, body);
  }
  TESSERA_INLINE static auto full_virtual() noexcept {
    return HwyScalableLanes<detail::HwyVirtualTag>(virtual_lanes);
  }

 private:
  template <class Tag, class Body>
  TESSERA_INLINE static void stretches(std::size_t n, Body& body) {
    const std::size_t width = detail::hn::Lanes(Tag());
    for (std::size_t i = 0; i < n; i += width)
      body(HwyScalableLanes<Tag>(n - i < width ? n - i : width), i);
  }
};

#else

/// Vectors of a compile-time size.
struct HwyVectors : PlainMoves {
  static constexpr std::size_t state_registers = 4;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    for_packs<HwyRegister, M, true>(n, body);
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    for_packs<HwyRegister, virtual_lanes / HwyRegister::lanes>(n, body);
  }
  TESSERA_INLINE static auto full_virtual() noexcept {
    return PackLanes<HwyRegister, virtual_lanes / HwyRegister::lanes, true>();
  }
  /// out[k * ld + j] = rows[j][k] for j < n and k < length: squares in registers, the rest singly.
  TESSERA_INLINE static void transpose(const float* const* rows, std::size_t n, std::size_t length,
                                       float* out, std::size_t ld) noexcept {
    constexpr std::size_t side = HwyRegister::lanes;
    const std::size_t whole = length - length % side;
    std::size_t j = 0;
    for (; j + side <= n; j += side) {
      for (std::size_t k = 0; k < whole; k += side) square(rows + j, k, out + k * ld + j, ld);
      for (std::size_t i = j; i < j + side; ++i)
        for (std::size_t k = whole; k < length; ++k) out[k * ld + i] = rows[i][k];
    }
    PlainMoves::transpose(rows + j, n - j, length, out + j, ld);
  }

 private:
  TESSERA_INLINE static void square(const float* const* rows, std::size_t k, float* out,
                                    std::size_t ld) noexcept {
    constexpr std::size_t side = HwyRegister::lanes;
    HwyRegister::V a[side];
    HwyRegister::V b[side];
    for (std::size_t i = 0; i < side; ++i) a[i] = HwyRegister::load(rows[i] + k);
    // A perfect shuffle of the rows, log2(side) times, moves every bit of the row to the column.
    for (std::size_t step = 1; step < side; step *= 2) {
      for (std::size_t i = 0; i < side / 2; ++i)
        detail::hwy_interleave(a[i], a[i + side / 2], b[2 * i], b[2 * i + 1]);
      for (std::size_t i = 0; i < side; ++i) a[i] = b[i];
    }
    for (std::size_t i = 0; i < side; ++i) HwyRegister::store(out + i * ld, a[i]);
  }
};

#endif

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_VEC_HPP_

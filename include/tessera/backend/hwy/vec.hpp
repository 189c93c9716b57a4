// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the hwy backend: entry points (core/vector.hpp).
#ifndef TESSERA_BACKEND_HWY_VEC_HPP_
#define TESSERA_BACKEND_HWY_VEC_HPP_

#include <cstddef>

#include "tessera/backend/hwy/target.hpp"
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
struct HwyVectors {
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
struct HwyVectors {
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
};

#endif

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_VEC_HPP_

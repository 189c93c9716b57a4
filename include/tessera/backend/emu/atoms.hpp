// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the emu backend: the instructions' products, tile by tile.
#ifndef TESSERA_BACKEND_EMU_ATOMS_HPP_
#define TESSERA_BACKEND_EMU_ATOMS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/emu/product.hpp"
#include "tessera/backend/pack_lanes.hpp"
#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Sees nothing: the default observer of emulated instructions.
struct Unobserved {
  TESSERA_INLINE static void retired(const char*) noexcept {}
};

namespace detail {

template <ime::Profile P>
inline constexpr ime::Tile emu_int8 = ime::dot_tile(P, ime::Element::int8);

template <ime::Profile P>
using EmuTile =
    Tile<static_cast<std::size_t>(emu_int8<P>.m), static_cast<std::size_t>(emu_int8<P>.n),
         static_cast<std::size_t>(emu_int8<P>.k)>;

}  // namespace detail

/// smt.vmadot of profile P, int8. `Observer::retired(mnemonic)` is called once per instruction.
template <ime::Profile P, class Observer>
struct EmuDot : TileScales<detail::EmuTile<P>> {
  using tile = detail::EmuTile<P>;
  using Insn = ime::Vmadot<ime::Element::int8>;
  static constexpr const char* name = Insn::mnemonic;
  static constexpr std::size_t row_tiles = 2;
  static constexpr std::size_t panels = 3;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(PackLanes<ScalarRegister, tile::m * tile::n, true>(), std::size_t{0});
  }
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D, std::size_t, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    unroll<MR>([&](auto i) TESSERA_LAMBDA {
      unroll<NR>([&](auto j) TESSERA_LAMBDA {
        auto& c = nth<decltype(i)::value * NR + decltype(j)::value>(acc...);
        for (std::size_t s = 0; s < KSteps; ++s) {
          multiply(c.v, a[i] + s * tile::m * tile::k, b[j] + s * tile::n * tile::k);
          Observer::retired(Insn::mnemonic);
        }
      });
    });
  }

 private:
  TESSERA_NOINLINE static void multiply(std::int32_t* c, const std::int8_t* a,
                                        const std::int8_t* b) noexcept {
    detail::emu_product<P>(Insn{}).multiply(c, reinterpret_cast<const std::uint8_t*>(a),
                                            reinterpret_cast<const std::uint8_t*>(b));
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_EMU_ATOMS_HPP_

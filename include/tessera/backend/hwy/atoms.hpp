// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the hwy backend.
#ifndef TESSERA_BACKEND_HWY_ATOMS_HPP_
#define TESSERA_BACKEND_HWY_ATOMS_HPP_

#include <cstddef>

#include "tessera/backend/hwy/target.hpp"
#include "tessera/config.hpp"
#include "tessera/tile/tile.hpp"
#if HWY_HAVE_SCALABLE
#include "tessera/backend/hwy/scalable_dot.hpp"
#else
#include "tessera/backend/hwy/byte_dot.hpp"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

#if HWY_HAVE_SCALABLE

/// Attention's: a block of keys.
using HwyKeyDot = HwyColumnsDot<Tile<1, 64, 1>>;

/// 4 rows x 4 registers: 16 accumulators and the row of B; activations are scalar operands.
struct HwyFma {
  using tile = tessera::tile::floats64;
  static constexpr const char* name = "fma";
  static constexpr std::size_t rows = 4;
  static constexpr std::size_t registers = 4;
};

#else

/// Attention's: where four panels of the product's own shape fill the registers, a block of 64 keys
/// is four of them.
struct HwyKeyDot : HwyDot {
  static constexpr std::size_t panels = HwyDot::panels == 3 ? 4 : HwyDot::panels;
};

/// Two registers per row: a panel's 16 columns are one on AVX-512, two on AVX2, four on AArch64
/// (walked singly, doubly, as two pairs); wider operands give each broadcast two uses.
struct HwyFma {
  using tile = tessera::tile::floats16;
  static constexpr const char* name = "fma";
  static constexpr std::size_t rows = HwyRegister::lanes == 16 ? 8 : 4;
  static constexpr std::size_t registers = 2;
};

#endif

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_ATOMS_HPP_

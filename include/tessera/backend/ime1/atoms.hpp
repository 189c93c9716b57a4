// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the ime1 backend.
#ifndef TESSERA_BACKEND_IME1_ATOMS_HPP_
#define TESSERA_BACKEND_IME1_ATOMS_HPP_

#include "tessera/backend/ime/atoms.hpp"
#include "tessera/backend/ime/row_sums.hpp"
#include "tessera/config.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// smt.vmadot at VLEN 256, and for a single row its sliding forms.
struct Ime1Dot : ImeDot<ime::k1> {
  using RowSums = ImeRowSums;
};
static_assert(tile_shape<Ime1Dot::tile> == tile_shape<tile::ime1_int8>);

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME1_ATOMS_HPP_

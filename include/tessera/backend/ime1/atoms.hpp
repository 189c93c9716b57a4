// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the ime1 backend.
#ifndef TESSERA_BACKEND_IME1_ATOMS_HPP_
#define TESSERA_BACKEND_IME1_ATOMS_HPP_

#include "tessera/backend/ime/atoms.hpp"
#include "tessera/config.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// smt.vmadot at VLEN 256.
using Ime1Dot = ImeDot<ime::k1>;
static_assert(tile_shape<Ime1Dot::tile> == tile_shape<tile::ime1_int8>);

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME1_ATOMS_HPP_

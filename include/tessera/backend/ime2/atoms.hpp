// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the ime2 backend.
#ifndef TESSERA_BACKEND_IME2_ATOMS_HPP_
#define TESSERA_BACKEND_IME2_ATOMS_HPP_

#include "tessera/backend/ime/atoms.hpp"
#include "tessera/config.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// smt.vmadot at VLEN 1024.
using Ime2Dot = ImeDot<ime::k3>;
static_assert(tile_shape<Ime2Dot::tile> == tile_shape<tile::ime2_int8>);

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME2_ATOMS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the pairs backend: scalar's, on images of tile::scalar.
#ifndef TESSERA_BACKEND_PAIRS_ATOMS_HPP_
#define TESSERA_BACKEND_PAIRS_ATOMS_HPP_

#include "tessera/backend/scalar/atoms.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

using PairDot = ScalarDot;
using PairFma = ScalarFma;

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_PAIRS_ATOMS_HPP_

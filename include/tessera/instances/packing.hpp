// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Packed weights: written from floats and stored rows, read back as levels and scales.
#ifndef TESSERA_INSTANCES_PACKING_HPP_
#define TESSERA_INSTANCES_PACKING_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

#define TESSERA_INSTANCES_(F)      \
  TESSERA_INSTANCE(pack_floats<F>) \
  TESSERA_INSTANCE(pack_stored<F>) \
  TESSERA_INSTANCE(unpack<F>)
TESSERA_EACH_FLOAT_FORMAT(TESSERA_INSTANCES_)
TESSERA_EACH_BLOCK_FORMAT(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

#define TESSERA_INSTANCES_(F)       \
  TESSERA_INSTANCE(decode_codes<F>) \
  TESSERA_INSTANCE(decode_block_scales<F>)
TESSERA_EACH_BLOCK_FORMAT(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_PACKING_HPP_

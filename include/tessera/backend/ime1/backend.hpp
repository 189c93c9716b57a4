// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The ime1 backend: K1's cores 0-3 and K3's X100 cores (VLEN 256).
#ifndef TESSERA_BACKEND_IME1_BACKEND_HPP_
#define TESSERA_BACKEND_IME1_BACKEND_HPP_

#include "tessera/backend/ime/vlen.hpp"
#include "tessera/backend/ime1/atoms.hpp"
#include "tessera/backend/ime1/vec.hpp"
#include "tessera/backend/rvv/atoms.hpp"
#include "tessera/backend/rvv/codes.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Int8 products by smt.vmadot, everything else as rvv does it.
struct ime1 {
  static constexpr const char* name = "ime1";
  using Vectors = Ime1Vectors;
  using DotAtom = Ime1Dot;
  using KeyAtom = DotAtom;  ///< for a block of attention's keys
  using FloatAtom = RvvFma;
  using ShortFloatAtom = RvvShortFma;
  using Codes = RvvCodes;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "via rvv";
  static constexpr const char* vector_via = "via rvv";

  /// Status::wrong_vlen on a core whose registers do not fit the tile. Precondition that nothing
  /// can check: the core has the instructions.
  [[nodiscard]] TESSERA_INLINE static Status check() noexcept {
    return detail::check_vlen(ime::k1);
  }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME1_BACKEND_HPP_

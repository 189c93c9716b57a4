// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The ime2 backend: K3's A100 cores (VLEN 1024).
#ifndef TESSERA_BACKEND_IME2_BACKEND_HPP_
#define TESSERA_BACKEND_IME2_BACKEND_HPP_

#include "tessera/backend/ime/vlen.hpp"
#include "tessera/backend/ime2/atoms.hpp"
#include "tessera/backend/ime2/key_major.hpp"
#include "tessera/backend/ime2/query_rows.hpp"
#include "tessera/backend/ime2/vec.hpp"
#include "tessera/backend/rvv/atoms.hpp"
#include "tessera/backend/rvv/codes.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Int8 products by smt.vmadot, everything else as rvv does it.
struct ime2 {
  static constexpr const char* name = "ime2";
  using Vectors = Ime2Vectors;
  using DotAtom = Ime2Dot;
  using KeyAtom = DotAtom;  ///< for a block of attention's keys
  using KeyMajor = Ime2KeyMajor;
  using QueryRows = Ime2QueryRows;
  using FloatAtom = RvvFma;
  using ShortFloatAtom = RvvShortFma;
  using Codes = RvvCodes;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "via rvv";
  static constexpr const char* vector_via = "via rvv";

  /// Status::wrong_vlen on a core whose registers do not fit the tile. Precondition that nothing
  /// can check: the core has the instructions.
  [[nodiscard]] TESSERA_INLINE static Status check() noexcept {
    return detail::check_vlen(ime::k3);
  }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME2_BACKEND_HPP_

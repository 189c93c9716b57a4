// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The rvv backend: RISC-V vectors 1.0, one binary for every vector length of at least 128 bits.
#ifndef TESSERA_BACKEND_RVV_BACKEND_HPP_
#define TESSERA_BACKEND_RVV_BACKEND_HPP_

#include "tessera/backend/rvv/atoms.hpp"
#include "tessera/backend/rvv/codes.hpp"
#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// RVV 1.0 without any assumption about the vector length.
struct rvv {
  static constexpr const char* name = "rvv";
  using Vectors = RvvVectors;
  using DotAtom = RvvDot;
  using KeyAtom = RvvKeyDot;  ///< for a block of attention's keys
  using FloatAtom = RvvFma;
  using ShortFloatAtom = RvvShortFma;
  using Codes = RvvCodes;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "native";
  static constexpr const char* vector_via = "native";

  /// The compiler's flags promised the extension; it has no further conditions.
  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_BACKEND_HPP_

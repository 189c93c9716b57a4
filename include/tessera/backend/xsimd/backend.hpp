// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The xsimd backend: x86 (AVX2 with FMA, AVX-512), AArch64 and fixed-length RVV through xsimd >= 13.
#ifndef TESSERA_BACKEND_XSIMD_BACKEND_HPP_
#define TESSERA_BACKEND_XSIMD_BACKEND_HPP_

#include "tessera/backend/xsimd/atoms.hpp"
#include "tessera/backend/xsimd/target.hpp"
#include "tessera/backend/xsimd/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// xsimd's batches for the instructions that the compiler's flags name.
struct xsimd {
  static constexpr const char* name = "xsimd";
  /// xsimd's name of the architecture.
  static constexpr const char* target_name = detail::XsimdArch::name();
  using Vectors = XsimdVectors;
  using DotAtom = XsimdDot;
  using KeyAtom = DotAtom;  ///< for a block of attention's keys
  using FloatAtom = XsimdFma;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "native";
  static constexpr const char* vector_via = "native";

  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_BACKEND_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The hwy backend: x86 (AVX2, AVX-512), AArch64 and RVV through Highway >= 1.2, statically.
#ifndef TESSERA_BACKEND_HWY_BACKEND_HPP_
#define TESSERA_BACKEND_HWY_BACKEND_HPP_

#include "tessera/backend/hwy/atoms.hpp"
#include "tessera/backend/hwy/target.hpp"
#include "tessera/backend/hwy/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Highway for the instructions that the compiler's flags name; nothing is chosen at run time.
struct hwy {
  static constexpr const char* name = "hwy";
  /// Highway's name of the target.
  static constexpr const char* target_name = detail::hwy_target_name;
  using Vectors = HwyVectors;
  using DotAtom = HwyDot;
  using KeyAtom = HwyKeyDot;  ///< for a block of attention's keys
  using FloatAtom = HwyFma;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "native";
  static constexpr const char* vector_via = "native";

  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_BACKEND_HPP_

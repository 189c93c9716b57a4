// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The scalar backend: anywhere; the executable definition of every kernel.
#ifndef TESSERA_BACKEND_SCALAR_BACKEND_HPP_
#define TESSERA_BACKEND_SCALAR_BACKEND_HPP_

#include "tessera/backend/scalar/atoms.hpp"
#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Plain C++; the definition that every other backend equals bit for bit.
struct scalar {
  static constexpr const char* name = "scalar";
  using Vectors = ScalarVectors;
  using DotAtom = ScalarDot;
  using KeyAtom = DotAtom;  ///< for a block of attention's keys
  using FloatAtom = ScalarFma;
  /// Where an operation runs that this backend has no atom or vector of its own for.
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "native";
  static constexpr const char* vector_via = "native";

  /// Can this thread run it?
  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_SCALAR_BACKEND_HPP_

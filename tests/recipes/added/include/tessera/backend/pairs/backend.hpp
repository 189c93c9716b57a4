// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The pairs backend: anywhere; registers of two lanes that a compiler may or may not see through.
#ifndef TESSERA_BACKEND_PAIRS_BACKEND_HPP_
#define TESSERA_BACKEND_PAIRS_BACKEND_HPP_

#include "tessera/backend/pairs/atoms.hpp"
#include "tessera/backend/pairs/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Two lanes; products of tiles by scalar.
struct pairs {
  static constexpr const char* name = "pairs";
  using Vectors = PairVectors;
  using DotAtom = PairDot;
  using KeyAtom = DotAtom;
  using FloatAtom = PairFma;
  static constexpr const char* dot_via = "via scalar";
  static constexpr const char* float_via = "via scalar";
  static constexpr const char* vector_via = "native";

  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_PAIRS_BACKEND_HPP_

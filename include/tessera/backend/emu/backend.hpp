// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The emu backend: anywhere; matrix tiles computed by the instruction set model (isa/ime).
#ifndef TESSERA_BACKEND_EMU_BACKEND_HPP_
#define TESSERA_BACKEND_EMU_BACKEND_HPP_

#include <cstddef>

#include "tessera/backend/emu/atoms.hpp"
#include "tessera/backend/scalar/backend.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace backend {

/// Int8 products by the tiles of profile P, everything else by scalar.
template <ime::Profile P, class Observer = Unobserved>
struct emu {
  static constexpr const char* name = P.vlen == 256 ? "emu_k1" : "emu_k3";
  using Vectors = ScalarVectors;
  using DotAtom = EmuDot<P, Observer>;
  using KeyAtom = DotAtom;  ///< for a block of attention's keys
  using FloatAtom = ScalarFma;
  static constexpr const char* dot_via = "native";
  static constexpr const char* float_via = "via scalar";
  static constexpr const char* vector_via = "via scalar";

  /// Told by kernels: so many blocks of a storage format were decoded. An observer may have
  /// `decoded(std::size_t)`.
  TESSERA_INLINE static void decoded(std::size_t blocks) noexcept {
    if constexpr (requires { Observer::decoded(blocks); }) Observer::decoded(blocks);
  }
  /// Told by kernels: so many groups of activations were quantised. The observer's `quantized`.
  TESSERA_INLINE static void quantized(std::size_t groups) noexcept {
    if constexpr (requires { Observer::quantized(groups); }) Observer::quantized(groups);
  }
  /// Told by matrix products: so many outputs were stored. The observer's `stored`.
  TESSERA_INLINE static void stored(std::size_t outputs) noexcept {
    if constexpr (requires { Observer::stored(outputs); }) Observer::stored(outputs);
  }
  [[nodiscard]] TESSERA_INLINE static Status check() noexcept { return Status::ok; }
};

}  // namespace backend

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_EMU_BACKEND_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Floating-point members of argument structs.
#ifndef TESSERA_CORE_PARAMETER_HPP_
#define TESSERA_CORE_PARAMETER_HPP_

#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

TESSERA_INLINE constexpr std::uint32_t parameter_bits(float x) noexcept {
  return __builtin_bit_cast(std::uint32_t, x);
}
TESSERA_INLINE constexpr std::uint64_t parameter_bits(double x) noexcept {
  return __builtin_bit_cast(std::uint64_t, x);
}

}  // namespace internal

/// A float or double with a default, kept as its bits; converts from and to T silently.
///
/// Hazard: clang 19 at -O0 emits the implicit constructor of an argument struct as a weak symbol. With
/// a plain `float x = 1.0f` it holds vector instructions of this translation unit's flags, and the
/// linker may pick it for a program half that must not execute them.
template <class T, auto DefaultBits>
class Parameter {
 public:
  TESSERA_INLINE constexpr Parameter() noexcept : bits_(DefaultBits) {}
  TESSERA_INLINE constexpr Parameter(T value) noexcept : bits_(internal::parameter_bits(value)) {}
  TESSERA_INLINE constexpr operator T() const noexcept { return __builtin_bit_cast(T, bits_); }

 private:
  std::remove_const_t<decltype(DefaultBits)> bits_;
};

/// A float that is 0 unless set.
using FloatDefaultZero = Parameter<float, internal::parameter_bits(0.0f)>;
/// A float that is 1 unless set.
using FloatDefaultOne = Parameter<float, internal::parameter_bits(1.0f)>;

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_PARAMETER_HPP_

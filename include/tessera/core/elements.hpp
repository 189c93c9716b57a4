// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A run of floating-point elements whose type is known at run time only, as in a tensor from a file.
#ifndef TESSERA_CORE_ELEMENTS_HPP_
#define TESSERA_CORE_ELEMENTS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"

TESSERA_NAMESPACE_BEGIN

/// Element types of tensors that can be compared, from the coarsest to the finest.
enum class Element : std::uint8_t { bf16, f16, f32, f64 };

/// `count` contiguous elements; `data` needs no alignment and may be null if count is 0.
struct Elements {
  const void* data = nullptr;
  std::size_t count = 0;
  Element type = Element::f32;
};

[[nodiscard]] TESSERA_INLINE constexpr std::size_t size_of(Element type) noexcept {
  return type == Element::f64 ? 8 : type == Element::f32 ? 4 : 2;
}

[[nodiscard]] TESSERA_INLINE constexpr const char* name(Element type) noexcept {
  return type == Element::f64   ? "f64"
         : type == Element::f32 ? "f32"
         : type == Element::f16 ? "f16"
                                : "bf16";
}

namespace internal {

/// Element i, exactly. Precondition: i < count.
[[nodiscard]] TESSERA_INLINE double element(const Elements& x, std::size_t i) noexcept {
  const auto* at = static_cast<const unsigned char*>(x.data) + i * size_of(x.type);
  if (x.type == Element::f64) {
    double value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
  }
  if (x.type == Element::f32) {
    float value;
    __builtin_memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  std::uint16_t bits;
  __builtin_memcpy(&bits, at, sizeof bits);
  const float value = x.type == Element::f16 ? to_float(Float16{bits}) : to_float(BFloat16{bits});
  return static_cast<double>(value);
}

/// The place of a value among all values of a type: neighbours differ by 1, both zeros are 0. The
/// value is rounded to the type first. Precondition: not NaN.
[[nodiscard]] TESSERA_INLINE std::int64_t place_of(double x, Element type) noexcept {
  std::uint64_t bits = 0;
  std::uint64_t sign = 0;
  if (type == Element::f64) {
    bits = __builtin_bit_cast(std::uint64_t, x);
    sign = std::uint64_t{1} << 63;
  } else if (type == Element::f32) {
    bits = __builtin_bit_cast(std::uint32_t, static_cast<float>(x));
    sign = std::uint64_t{1} << 31;
  } else {
    const auto narrow = static_cast<float>(x);
    bits = type == Element::f16 ? to_float16(narrow).bits : to_bfloat16(narrow).bits;
    sign = std::uint64_t{1} << 15;
  }
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_ELEMENTS_HPP_

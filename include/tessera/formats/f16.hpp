// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// f16: IEEE binary16.
#ifndef TESSERA_FORMATS_F16_HPP_
#define TESSERA_FORMATS_F16_HPP_

#include "tessera/config.hpp"
#include "tessera/formats/float_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// f16: IEEE binary16.
struct f16 : FloatFormat<Float16, FormatId::f16> {
  static constexpr const char* name = "f16";

  /// One value from float: nearest even, overflow to infinity.
  [[nodiscard]] TESSERA_INLINE static constexpr Float16 from_float(float x) noexcept {
    return to_float16(x);
  }

  /// `n` values from float.
  TESSERA_INLINE static constexpr void quantize(const float* x, std::size_t n,
                                                Float16* out) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = from_float(x[i]);
  }
  /// `n` values to float, exact.
  TESSERA_INLINE static constexpr void dequantize(const Float16* in, std::size_t n,
                                                  float* x) noexcept {
    for (std::size_t i = 0; i < n; ++i) x[i] = to_float(in[i]);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_F16_HPP_

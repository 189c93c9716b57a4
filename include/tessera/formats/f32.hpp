// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// f32: IEEE binary32 as it is.
#ifndef TESSERA_FORMATS_F32_HPP_
#define TESSERA_FORMATS_F32_HPP_

#include "tessera/config.hpp"
#include "tessera/formats/float_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// f32: IEEE binary32 as it is.
struct f32 : FloatFormat<float, FormatId::f32> {
  static constexpr const char* name = "f32";

  /// One value from float: itself.
  [[nodiscard]] TESSERA_INLINE static constexpr float from_float(float x) noexcept { return x; }

  /// `n` values from float.
  TESSERA_INLINE static constexpr void quantize(const float* x, std::size_t n,
                                                float* out) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = from_float(x[i]);
  }
  /// `n` values to float, exact.
  TESSERA_INLINE static constexpr void dequantize(const float* in, std::size_t n,
                                                  float* x) noexcept {
    for (std::size_t i = 0; i < n; ++i) x[i] = to_float(in[i]);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_F32_HPP_

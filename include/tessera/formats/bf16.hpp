// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// bf16: the upper half of a binary32.
#ifndef TESSERA_FORMATS_BF16_HPP_
#define TESSERA_FORMATS_BF16_HPP_

#include "tessera/config.hpp"
#include "tessera/formats/float_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// bf16: the upper half of a binary32.
struct bf16 : FloatFormat<BFloat16, FormatId::bf16> {
  static constexpr const char* name = "bf16";

  /// One value from float: nearest even, overflow to infinity.
  [[nodiscard]] TESSERA_INLINE static constexpr BFloat16 from_float(float x) noexcept {
    return to_bfloat16(x);
  }

  /// `n` values from float.
  TESSERA_INLINE static constexpr void quantize(const float* x, std::size_t n,
                                                BFloat16* out) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = from_float(x[i]);
  }
  /// `n` values to float, exact.
  TESSERA_INLINE static constexpr void dequantize(const BFloat16* in, std::size_t n,
                                                  float* x) noexcept {
    for (std::size_t i = 0; i < n; ++i) x[i] = to_float(in[i]);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_BF16_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The operands of a product with experts, and what is wrong with them.
#ifndef TESSERA_KERNELS_MATMUL_EXPERTS_ARGUMENTS_HPP_
#define TESSERA_KERNELS_MATMUL_EXPERTS_ARGUMENTS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"

TESSERA_NAMESPACE_BEGIN

/// `tokens` x `slots` rows of `cols` contiguous elements: element e of slot s of token t is
/// `data[t * token_stride + s * slot_stride + e]`. Strides count elements, of any sign for inputs.
template <class T>
struct SlotView {
  T* data = nullptr;
  std::size_t tokens = 0;
  std::size_t slots = 0;
  std::size_t cols = 0;
  std::ptrdiff_t token_stride = 0;
  std::ptrdiff_t slot_stride = 0;

  [[nodiscard]] TESSERA_INLINE constexpr T* row(std::size_t token,
                                                std::size_t slot) const noexcept {
    return data + static_cast<std::ptrdiff_t>(token) * token_stride +
           static_cast<std::ptrdiff_t>(slot) * slot_stride;
  }
};

/// Contiguous slots of contiguous tokens.
template <class T>
[[nodiscard]] TESSERA_INLINE constexpr SlotView<T> slot_view(T* data, std::size_t tokens,
                                                             std::size_t slots,
                                                             std::size_t cols) noexcept {
  return {data,
          tokens,
          slots,
          cols,
          static_cast<std::ptrdiff_t>(slots * cols),
          static_cast<std::ptrdiff_t>(cols)};
}

namespace internal {

template <class T>
[[nodiscard]] TESSERA_INLINE Strided<3> strided_slots(const SlotView<T>& v) noexcept {
  return strided(v.data, {{v.tokens, v.token_stride}, {v.slots, v.slot_stride}, {v.cols, 1}});
}

/// The row of activations that slot s of token t reads: activations may be fewer than slots.
TESSERA_INLINE constexpr std::size_t source_row(std::size_t pair, std::size_t used,
                                                std::size_t slots) noexcept {
  return pair / used * slots + pair % used % slots;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_EXPERTS_ARGUMENTS_HPP_

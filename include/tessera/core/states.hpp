// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Recurrent states of layers whose state is a matrix per head, and copies of them.
#ifndef TESSERA_CORE_STATES_HPP_
#define TESSERA_CORE_STATES_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"

TESSERA_NAMESPACE_BEGIN

/// Which index of a state is contiguous.
enum class StateOrder : unsigned char {
  outputs,    ///< the one that also numbers outputs: lanes run across outputs, in place
  reduction,  ///< the one that outputs are summed over, as in GGUF: transposed on the way in and out
};

/// How a kernel reaches a state of this order.
enum class StateAccess : unsigned char { in_place, transposed };
[[nodiscard]] TESSERA_INLINE constexpr StateAccess state_access(StateOrder order) noexcept {
  return order == StateOrder::outputs ? StateAccess::in_place : StateAccess::transposed;
}

/// Dense states, slot s at `data + s * slot_stride`; the kernel says what one looks like in either
/// order.
struct States {
  float* data = nullptr;
  std::size_t slots = 0;
  std::ptrdiff_t slot_stride = 0;
  StateOrder order = StateOrder::outputs;

  [[nodiscard]] TESSERA_INLINE constexpr float* slot(std::size_t s) const noexcept {
    return data + static_cast<std::ptrdiff_t>(s) * slot_stride;
  }
};

/// Copies of states, in the order of the states: snapshot s of sequence q is the state that was valid s
/// tokens before the sequence's end. Those from before its first token stay unwritten.
struct Snapshots {
  float* data = nullptr;
  std::size_t count = 0;  ///< per sequence; 0: none
  std::ptrdiff_t sequence_stride = 0;
  std::ptrdiff_t snapshot_stride = 0;

  [[nodiscard]] TESSERA_INLINE constexpr float* at(std::size_t q, std::size_t s) const noexcept {
    return data + static_cast<std::ptrdiff_t>(q) * sequence_stride +
           static_cast<std::ptrdiff_t>(s) * snapshot_stride;
  }
};

namespace internal {

/// `size` floats per state.
[[nodiscard]] TESSERA_INLINE Strided<2> strided(const States& s, std::size_t size) noexcept {
  return strided<2>(s.data, {{s.slots, s.slot_stride}, {size, 1}});
}
[[nodiscard]] TESSERA_INLINE Strided<3> strided(const Snapshots& s, std::size_t sequences,
                                                std::size_t size) noexcept {
  return strided<3>(s.data,
                    {{sequences, s.sequence_stride}, {s.count, s.snapshot_stride}, {size, 1}});
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_STATES_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How a caller splits a kernel's work over threads: units, phases, slices, workspace.
#ifndef TESSERA_CORE_UNITS_HPP_
#define TESSERA_CORE_UNITS_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_NAMESPACE_BEGIN

/// Alignment in bytes that every workspace and scratch must have.
inline constexpr std::size_t workspace_alignment = 64;

/// Work units [begin, end) of one phase. Units of a phase are independent: any range in any order on
/// any thread gives the same bits.
struct UnitRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The index-th of count nearly equal parts. Empty parts are legal (more threads than units).
struct Slice {
  std::size_t index = 0;
  std::size_t count = 1;

  /// The units this slice stands for. Precondition: index < count.
  [[nodiscard]] TESSERA_INLINE constexpr UnitRange of(std::size_t units) const noexcept {
    const std::size_t each = units / count;
    const std::size_t more = units % count;
    const std::size_t begin = index * each + (index < more ? index : more);
    return {begin, begin + each + (index < more ? 1 : 0)};
  }

  [[nodiscard]] TESSERA_INLINE constexpr Status check() const noexcept {
    return index < count ? Status::ok : Status::bad_slice;
  }
};

/// Bytes a call needs. `shared` is written by one phase and read by the next, by all threads;
/// `scratch` is per concurrent call and worth keeping in the nearest memory. Both grow monotonically
/// with every dimension of the arguments.
struct WorkspaceSize {
  std::size_t shared = 0;
  std::size_t scratch = 0;
};

/// Caller-owned memory for a call; see WorkspaceSize.
struct Workspace {
  std::span<std::byte> shared = {};
  std::span<std::byte> scratch = {};
};

namespace internal {

[[nodiscard]] TESSERA_INLINE constexpr std::size_t round_up(std::size_t n,
                                                            std::size_t multiple) noexcept {
  return (n + multiple - 1) / multiple * multiple;
}

[[nodiscard]] TESSERA_INLINE constexpr std::size_t div_up(std::size_t n, std::size_t d) noexcept {
  return n / d + (n % d != 0);
}

/// Is `have` large enough and aligned for `need`?
[[nodiscard]] TESSERA_INLINE Status check_workspace(const Workspace& have,
                                                    const WorkspaceSize& need) noexcept {
  if (have.shared.size() < need.shared) return Status::workspace_too_small;
  if (have.scratch.size() < need.scratch) return Status::scratch_too_small;
  const auto off = [](const std::byte* p) TESSERA_LAMBDA {
    return reinterpret_cast<std::size_t>(p) % workspace_alignment != 0;
  };
  if (need.shared != 0 && off(have.shared.data())) return Status::workspace_misaligned;
  if (need.scratch != 0 && off(have.scratch.data())) return Status::workspace_misaligned;
  return Status::ok;
}

[[nodiscard]] TESSERA_INLINE constexpr Status check_range(UnitRange r, std::size_t units) noexcept {
  return r.begin <= r.end && r.end <= units ? Status::ok : Status::bad_unit_range;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_UNITS_HPP_

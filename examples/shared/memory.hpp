// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Memory for packed weights and workspaces, aligned as the library asks.
#ifndef TESSERA_EXAMPLES_SHARED_MEMORY_HPP_
#define TESSERA_EXAMPLES_SHARED_MEMORY_HPP_

#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "tessera/core/units.hpp"

namespace examples {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{tessera::workspace_alignment};

  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }
};

using AlignedBytes = std::vector<std::byte, AlignedAllocator<std::byte>>;

/// A workspace that grows to what a call asks for and is used by one call after the other.
class WorkspaceMemory {
 public:
  tessera::Workspace fit(tessera::WorkspaceSize need) {
    if (shared_.size() < need.shared) shared_.resize(need.shared);
    if (scratch_.size() < need.scratch) scratch_.resize(need.scratch);
    return {shared_, scratch_};
  }

 private:
  AlignedBytes shared_;
  AlignedBytes scratch_;
};

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_MEMORY_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Checks of operands with any number of strided dimensions.
#ifndef TESSERA_CORE_STRIDED_HPP_
#define TESSERA_CORE_STRIDED_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// `count` steps of `stride` elements.
struct Dimension {
  std::size_t count;
  std::ptrdiff_t stride;
};

/// The elements at `data + sum of i_k * stride_k`, i_k < count_k, of `size` bytes each.
template <std::size_t N>
struct Strided {
  std::uintptr_t data;
  std::size_t size;
  Dimension dims[N];

  TESSERA_INLINE constexpr bool empty() const noexcept {
    for (const Dimension& d : dims)
      if (d.count == 0) return true;
    return false;
  }
};

template <std::size_t N, class T>
[[nodiscard]] TESSERA_INLINE Strided<N> strided(const T* data,
                                                const Dimension (&dims)[N]) noexcept {
  Strided<N> s = {reinterpret_cast<std::uintptr_t>(data), sizeof(T), {}};
  for (std::size_t i = 0; i < N; ++i) s.dims[i] = dims[i];
  return s;
}

/// Pointer, alignment and size of what is only read. No elements at all is legal.
template <std::size_t N>
[[nodiscard]] TESSERA_INLINE Status check_input(const Strided<N>& s) noexcept {
  if (s.empty()) return Status::ok;
  if (s.data == 0) return Status::null_pointer;
  std::size_t reach = 1;
  for (const Dimension& d : s.dims) {
    std::size_t more = 0;
    if (mul_overflows(d.count - 1, magnitude(d.stride), &more) ||
        __builtin_add_overflow(reach, more, &reach))
      return Status::shape_too_large;
  }
  if (mul_overflows(reach, s.size, &reach) || reach > static_cast<std::size_t>(PTRDIFF_MAX))
    return Status::shape_too_large;
  return s.data % s.size != 0 ? Status::misaligned : Status::ok;
}

/// The same for what is written: no two elements may coincide. Dimensions must nest: each steps over
/// all that those of smaller strides span.
template <std::size_t N>
[[nodiscard]] TESSERA_INLINE Status check_output(const Strided<N>& s) noexcept {
  if (const Status status = check_input(s); status != Status::ok) return status;
  if (s.empty()) return Status::ok;
  for (const Dimension& d : s.dims) {
    if (d.count == 1) continue;
    std::size_t below = 1;  // elements spanned by the dimensions inside d
    for (const Dimension& e : s.dims) {
      if (&e == &d || e.count == 1) continue;
      const std::size_t step = magnitude(e.stride);
      if (step < magnitude(d.stride) || (step == magnitude(d.stride) && &e < &d))
        below += (e.count - 1) * step;
    }
    if (magnitude(d.stride) < below) return Status::stride_too_small;
  }
  return Status::ok;
}

/// The bytes spanned; of nothing, an extent that meets no other.
template <std::size_t N>
[[nodiscard]] TESSERA_INLINE Extent extent(const Strided<N>& s) noexcept {
  Extent e = {s.data, s.data + s.size};
  if (s.empty()) return {0, 0};
  for (const Dimension& d : s.dims) {
    const std::uintptr_t far = (d.count - 1) * magnitude(d.stride) * s.size;
    if (d.stride < 0)
      e.begin -= far;
    else
      e.end += far;
  }
  return e;
}

/// Does a written extent meet any of the others?
template <class... Others>
[[nodiscard]] TESSERA_INLINE bool meets(Extent written, Others... others) noexcept {
  return (intersects(written, others) || ...);
}

/// The operands of a call, at most ten: each is checked as it is added; in the end nothing written may meet
/// another.
class Operands {
 public:
  template <std::size_t N>
  TESSERA_INLINE void reads(const Strided<N>& s) noexcept {
    add(check_input(s), extent(s), false);
  }
  template <std::size_t N>
  TESSERA_INLINE void writes(const Strided<N>& s) noexcept {
    add(check_output(s), extent(s), true);
  }
  [[nodiscard]] TESSERA_INLINE Status status() const noexcept {
    if (first_ != Status::ok) return first_;
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = 0; j < count_; ++j)
        if (written_[i] && i != j && intersects(extents_[i], extents_[j])) return Status::overlap;
    return Status::ok;
  }

 private:
  TESSERA_INLINE void add(Status s, Extent e, bool written) noexcept {
    if (first_ == Status::ok) first_ = s;
    extents_[count_] = e;
    written_[count_++] = written;
  }

  Status first_ = Status::ok;
  Extent extents_[10] = {};
  bool written_[10] = {};
  std::size_t count_ = 0;
};

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_STRIDED_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Operands for tests: memory that touches a forbidden page, poisoned inside and around.
///
///     GuardedBuffer<float> out(n);                   // ends at a page that nobody may touch
///     kernel(in.data(), out.data(), n);
///     EXPECT_TRUE(out.untouched_except(0, n));       // wrote nothing else
///
/// An access beyond the watched side dies; a write anywhere else in the pages is found by the
/// untouched checks; a read of an element that the test never set meets a signalling NaN (0x7f in
/// integers). `seal()` forbids writing to an input.
#ifndef TESSERA_TESTS_SUPPORT_GUARDED_HPP_
#define TESSERA_TESTS_SUPPORT_GUARDED_HPP_

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "tessera/core/float16.hpp"
#include "tessera/core/views.hpp"

namespace tessera_test {

/// The side of the elements that touches the forbidden page.
enum class Guard { rear, front };

/// Both of them, for loops.
inline constexpr Guard both_guards[] = {Guard::rear, Guard::front};

/// What an element holds before a test sets it: a signalling NaN, or bytes of 0x7f. It is copied as
/// bytes, so that no conversion makes the NaN a quiet one.
template <class T>
void store_poison(T* to) noexcept {
  using Value = std::remove_cv_t<T>;
  const auto store = [to](auto bits) { std::memcpy(static_cast<void*>(to), &bits, sizeof bits); };
  if constexpr (std::is_same_v<Value, float>) {
    store(std::uint32_t{0x7fa5a5a5});
  } else if constexpr (std::is_same_v<Value, double>) {
    store(std::uint64_t{0x7ff5a5a5a5a5a5a5});
  } else if constexpr (std::is_same_v<Value, tessera::Float16>) {
    store(std::uint16_t{0x7d55});
  } else if constexpr (std::is_same_v<Value, tessera::BFloat16>) {
    store(std::uint16_t{0x7fa5});
  } else {
    std::memset(static_cast<void*>(to), 0x7f, sizeof(T));
  }
}

/// Does the element still hold its poison, bit for bit?
template <class T>
bool is_poison(const T& element) noexcept {
  alignas(T) std::byte poison[sizeof(T)];
  store_poison(reinterpret_cast<T*>(poison));
  return std::memcmp(poison, &element, sizeof(T)) == 0;
}

/// `size()` elements of a trivially copyable T between two forbidden pages.
template <class T>
class GuardedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  /// `offset` bytes lie between the elements and the watched page: for operands at odd addresses.
  explicit GuardedBuffer(std::size_t count, Guard side = Guard::rear, std::size_t offset = 0)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        pages_((count * sizeof(T) + offset + page_ - 1) / page_ * page_ + (count == 0 ? page_ : 0)),
        count_(count) {
    // Not the heap: an allocator may place anything behind, and here the page behind must trap.
    void* p = mmap(nullptr, pages_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::abort();
    base_ = static_cast<std::byte*>(p) + page_;
    if (mprotect(base_, pages_, PROT_READ | PROT_WRITE) != 0) std::abort();
    begin_ = side == Guard::rear ? pages_ - offset - count * sizeof(T) : offset;
    for (std::size_t i = 0; i < pages_; ++i) base_[i] = margin_byte(i);
    poison();
  }
  ~GuardedBuffer() {
    if (base_ != nullptr) munmap(base_ - page_, pages_ + 2 * page_);
  }
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : page_(other.page_),
        pages_(other.pages_),
        count_(other.count_),
        base_(std::exchange(other.base_, nullptr)),
        begin_(other.begin_) {}
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;

  T* data() noexcept { return reinterpret_cast<T*>(base_ + begin_); }
  const T* data() const noexcept { return reinterpret_cast<const T*>(base_ + begin_); }
  std::size_t size() const noexcept { return count_; }
  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + count_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + count_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  std::span<T> span() noexcept { return {data(), count_}; }
  std::span<const T> span() const noexcept { return {data(), count_}; }

  /// All elements become poison again.
  void poison() noexcept {
    for (std::size_t i = 0; i < count_; ++i) store_poison(data() + i);
  }
  /// All bytes of all elements become `byte`.
  void fill_bytes(int byte) noexcept {
    std::memset(static_cast<void*>(data()), byte, count_ * sizeof(T));
  }

  /// From now on a write dies.
  void seal() {
    if (mprotect(base_, pages_, PROT_READ) != 0) std::abort();
  }
  /// Writing is allowed again.
  void unseal() {
    if (mprotect(base_, pages_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }

  /// Do all elements i with !written(i), and all bytes around the elements, hold what they held at
  /// first?
  template <class Written>
  [[nodiscard]] testing::AssertionResult untouched_unless(Written written) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (!written(i) && !is_poison(data()[i]))
        return testing::AssertionFailure() << "element " << i << " of " << count_ << " was written";
    const std::size_t end = begin_ + count_ * sizeof(T);
    for (std::size_t i = 0; i < pages_; ++i)
      if ((i < begin_ || i >= end) && base_[i] != margin_byte(i))
        return testing::AssertionFailure()
               << "byte " << static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(begin_)
               << " from the first element was written; there are " << count_ * sizeof(T);
    return testing::AssertionSuccess();
  }
  /// The same where elements [first, first + count) may have been written.
  [[nodiscard]] testing::AssertionResult untouched_except(std::size_t first,
                                                          std::size_t count) const {
    return untouched_unless([=](std::size_t i) { return i >= first && i - first < count; });
  }
  /// Nothing may have been written: after a refused call.
  [[nodiscard]] testing::AssertionResult untouched() const { return untouched_except(0, 0); }
  /// Only elements may have been written.
  [[nodiscard]] testing::AssertionResult untouched_outside() const {
    return untouched_except(0, count_);
  }

 private:
  /// Differs from byte to byte and from the poison: a shifted copy of the margin is found too.
  static std::byte margin_byte(std::size_t i) noexcept {
    return static_cast<std::byte>(0x80u | (i * 37u + (i >> 7)));
  }

  std::size_t page_;
  std::size_t pages_;  // bytes between the guards
  std::size_t count_;
  std::byte* base_ = nullptr;
  std::size_t begin_ = 0;
};

/// A matrix in a GuardedBuffer: rows are cols + padding elements apart, nothing follows the last
/// element (or, at the front, precedes the first). Padding stays poisoned.
template <class T>
class GuardedMatrix {
 public:
  GuardedMatrix(std::size_t rows, std::size_t cols, std::size_t padding = 0,
                Guard side = Guard::rear)
      : buffer_(rows == 0 ? 0 : (rows - 1) * (cols + padding) + cols, side),
        rows_(rows),
        cols_(cols),
        stride_(cols + padding) {}

  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t stride() const noexcept { return stride_; }
  GuardedBuffer<T>& buffer() noexcept { return buffer_; }
  T* row(std::size_t i) noexcept { return buffer_.data() + i * stride_; }
  const T* row(std::size_t i) const noexcept { return buffer_.data() + i * stride_; }
  std::span<T> row_span(std::size_t i) noexcept { return {row(i), cols_}; }
  T& operator()(std::size_t i, std::size_t j) noexcept { return row(i)[j]; }
  const T& operator()(std::size_t i, std::size_t j) const noexcept { return row(i)[j]; }

  /// As an output.
  tessera::MatrixView<T> view() noexcept {
    return {buffer_.data(), rows_, cols_, static_cast<std::ptrdiff_t>(stride_)};
  }
  /// As an input.
  tessera::MatrixView<const T> input() const noexcept {
    return {buffer_.data(), rows_, cols_, static_cast<std::ptrdiff_t>(stride_)};
  }

  void poison() noexcept { buffer_.poison(); }
  void seal() { buffer_.seal(); }
  void unseal() { buffer_.unseal(); }

  /// Was only the inside of rows written?
  [[nodiscard]] testing::AssertionResult untouched_outside() const {
    return buffer_.untouched_unless([this](std::size_t i) { return i % stride_ < cols_; });
  }
  /// Were only elements of rows [first, last) written?
  [[nodiscard]] testing::AssertionResult untouched_except_rows(std::size_t first,
                                                               std::size_t last) const {
    return buffer_.untouched_unless([=, this](std::size_t i) {
      return i % stride_ < cols_ && i / stride_ >= first && i / stride_ < last;
    });
  }
  /// Was nothing written?
  [[nodiscard]] testing::AssertionResult untouched() const { return buffer_.untouched(); }

 private:
  GuardedBuffer<T> buffer_;
  std::size_t rows_;
  std::size_t cols_;
  std::size_t stride_;
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_GUARDED_HPP_

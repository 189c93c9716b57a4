// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Memory between two pages that nobody may touch.
#ifndef TESSERA_TESTS_BACKEND_GUARDED_HPP_
#define TESSERA_TESTS_BACKEND_GUARDED_HPP_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tests {

/// `bytes` of writable memory, rounded up to pages, with a forbidden page on either side. An access
/// outside dies, so an object is laid against the side that is watched.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* p = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::abort();
    base_ = static_cast<std::byte*>(p) + page_;
    if (mprotect(base_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~Guarded() { munmap(base_ - page_, size_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// `count` elements that begin right behind the front guard.
  template <class T>
  T* at_front() {
    return reinterpret_cast<T*>(base_);
  }
  /// `count` elements that end right before the rear guard.
  template <class T>
  T* at_rear(std::size_t count) {
    return reinterpret_cast<T*>(base_ + size_ - count * sizeof(T));
  }
  void fill(int byte) { std::memset(base_, byte, size_); }
  std::byte* data() { return base_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* base_;
  std::size_t page_;
  std::size_t size_;
};

}  // namespace tests

#endif  // TESSERA_TESTS_BACKEND_GUARDED_HPP_

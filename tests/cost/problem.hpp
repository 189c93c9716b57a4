// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What is counted or timed, and memory for it.
#ifndef TESSERA_TESTS_COST_PROBLEM_HPP_
#define TESSERA_TESTS_COST_PROBLEM_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "tessera/core/status.hpp"
#include "tests/support/random.hpp"

namespace tessera_cost {

/// A kernel's call.
using Work = tessera::Status (*)(const void* args);
/// Runs work(args), as often as it likes; `amount` is the work that a call does. Returns its status.
using Measure =
    const std::function<tessera::Status(Work work, const void* args, std::size_t amount)>&;

/// Memory aligned to 64 bytes.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : size_(size), data_(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64}))) {}
  std::span<std::byte> span() const { return {data_.get(), size_}; }

 private:
  struct Aligned {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte[], Aligned> data_;
};

/// Gaussian numbers.
inline std::vector<float> draw(std::size_t n, std::uint64_t seed) {
  tessera_test::Random random(seed);
  std::vector<float> x(n);
  for (float& v : x) v = random.gaussian();
  return x;
}

}  // namespace tessera_cost

#endif  // TESSERA_TESTS_COST_PROBLEM_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the benches share: aligned buffers, a seeded fill, registration over the backends.
#ifndef TESSERA_BENCH_SUPPORT_BENCH_HPP_
#define TESSERA_BENCH_SUPPORT_BENCH_HPP_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "bench/support/counted.hpp"
#include "tessera/backend/core.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/core/status.hpp"

namespace tessera_bench {

/// 64-byte aligned memory.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n)
      : data_(static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64))), size_(n) {
    std::memset(static_cast<void*>(data_.get()), 0, n * sizeof(T));
  }
  T* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  std::span<T> span() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_;
};

/// Uniform in [-1, 1), the same on every machine.
inline void fill(std::span<float> x, std::uint32_t seed) {
  for (float& v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<std::int32_t>(seed >> 8) - (1 << 23)) * 0x1p-23f;
  }
}

/// Ends the program if a kernel refuses, or if its bits are not scalar's: a bench of wrong numbers
/// is worth nothing.
inline void require(bool good, const std::string& name, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s: %s\n", name.c_str(), what);
  std::exit(1);
}
inline void require(tessera::Status s, const std::string& name) {
  require(s == tessera::Status::ok, name, tessera::message(s));
}
inline void require_same(std::span<const float> a, std::span<const float> b,
                         const std::string& name) {
  require(a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0, name,
          "the bits differ from scalar's");
}

/// Has this core matrix instructions? Of K1's cores the last four have none, and nothing tells: pin to the first four.
/// Under an emulator the SIGILL runtime has them.
inline bool has_matrix_instructions() {
  if (counted()) return true;
  const std::string core = tessera::core_facts().core;
  return core != "none" && core != "rvv";
}

/// Calls f(Type<B>, name) for every backend that this CPU can run; the emu backends are left out:
/// their time is the emulator's.
template <class F>
void for_backends(F&& f) {
  tessera::available_backends::for_each([&](auto b) {
    using B = typename decltype(b)::type;
    if (std::strncmp(B::name, "emu", 3) == 0 || B::check() != tessera::Status::ok) return;
    if (std::strncmp(B::name, "ime", 3) == 0 && !has_matrix_instructions()) return;
    f(b, std::string(B::name));
  });
}

/// Operations and bytes of the unpadded problem, per second; where nothing is timed, of one call.
inline void count(benchmark::State& state, double operations, double bytes) {
  if (counted()) {
    state.counters["operations"] = operations;
    state.counters["bytes"] = bytes;
    return;
  }
  const auto n = static_cast<double>(state.iterations());
  state.counters["operations"] = benchmark::Counter(operations * n, benchmark::Counter::kIsRate);
  state.counters["bytes"] = benchmark::Counter(bytes * n, benchmark::Counter::kIsRate);
}

}  // namespace tessera_bench

#endif  // TESSERA_BENCH_SUPPORT_BENCH_HPP_

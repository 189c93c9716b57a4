// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/support/peaks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#if defined(__riscv_vector)
#include "bench/support/riscv_peaks.hpp"
#endif

namespace tessera_bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The best rate of several runs of `body`, each of `amount`, in `seconds` of trying.
template <class Body>
double best_rate(double amount, double seconds, Body body) {
  body();
  double best = 0;
  const double end = now() + seconds;
  do {
    const double start = now();
    body();
    best = std::max(best, amount / (now() - start));
  } while (now() < end);
  return best;
}

// Twelve independent chains hide the latency of four or five cycles at two instructions a cycle. They
// are spelled in assembly: a compiler would fuse, hoist or drop them.
#define TESSERA_TWELVE(one) \
  one(0) one(1) one(2) one(3) one(4) one(5) one(6) one(7) one(8) one(9) one(10) one(11)
#define TESSERA_CLOBBERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11"

[[maybe_unused]] constexpr int rounds = 20000;
[[maybe_unused]] constexpr int chains = 12;

#if defined(__AVX512F__)
#define TESSERA_FMA(i) "vfmadd231ps %%zmm15, %%zmm15, %%zmm" #i "\n"
constexpr double fma_lanes = 16;
#elif defined(__FMA__)
#define TESSERA_FMA(i) "vfmadd231ps %%ymm15, %%ymm15, %%ymm" #i "\n"
constexpr double fma_lanes = 8;
#endif

#if defined(__AVX512VNNI__)
#define TESSERA_BYTE_DOT(i) "vpdpbusd %%zmm15, %%zmm15, %%zmm" #i "\n"
constexpr double byte_products = 64;
#elif defined(__AVX2__)
// The product's own register is not part of the chain.
#define TESSERA_BYTE_DOT(i) \
  "vpmaddwd %%ymm15, %%ymm15, %%ymm14\n vpaddd %%ymm14, %%ymm" #i ", %%ymm" #i "\n"
constexpr double byte_products = 16;
#endif

double fma_rate() {
#if defined(__riscv_vector)
  riscv::clear();
  const auto lanes = static_cast<double>(riscv::register_bytes() / sizeof(float));
  return best_rate(2.0 * lanes * riscv::chains * rounds, 0.02, [] {
    for (int i = 0; i < rounds; ++i) riscv::fused_multiply_adds();
  });
#elif defined(TESSERA_FMA)
  return best_rate(2.0 * fma_lanes * chains * rounds, 0.02, [] {
    asm volatile("vpxor %%xmm15, %%xmm15, %%xmm15" ::: "xmm15");
    for (int i = 0; i < rounds; ++i) asm volatile(TESSERA_TWELVE(TESSERA_FMA)::: TESSERA_CLOBBERS);
  });
#else
  return 0;
#endif
}

double byte_dot_rate() {
#if defined(__riscv_vector)
  riscv::clear();
  const auto rate = [](double products, void (*once)()) {
    return best_rate(2.0 * products * riscv::chains * rounds, 0.02, [=] {
      for (int i = 0; i < rounds; ++i) once();
    });
  };
  const double vectors =
      rate(static_cast<double>(riscv::register_bytes()), riscv::widening_products);
  if (!has_matrix_instructions()) return vectors;
  return std::max(vectors, rate(riscv::matrix_size(), riscv::matrix_products));
#elif defined(TESSERA_BYTE_DOT)
  return best_rate(2.0 * byte_products * chains * rounds, 0.02, [] {
    asm volatile("vpxor %%xmm15, %%xmm15, %%xmm15" ::: "xmm15");
    for (int i = 0; i < rounds; ++i)
      asm volatile(TESSERA_TWELVE(TESSERA_BYTE_DOT)::: TESSERA_CLOBBERS, "xmm14");
  });
#else
  return 0;
#endif
}

struct Line {
  using Words = std::uint64_t __attribute__((vector_size(64)));
  Words words;
};

/// Reads all lines in `Streams` places at once.
template <std::size_t Streams>
void read_streams(const Line* lines, std::size_t count) {
  const std::size_t each = count / Streams;
  Line sums[Streams] = {};
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t s = 0; s < Streams; ++s) sums[s].words ^= lines[s * each + i].words;
  for (auto& sum : sums) benchmark::DoNotOptimize(sum);
}

double read_rate() {
  constexpr std::size_t bytes = std::size_t{128} << 20;
  static const std::vector<Line> lines(bytes / sizeof(Line));
  const Line* data = lines.data();
  const std::size_t n = lines.size();
  return std::max({best_rate(bytes, 0.02, [=] { read_streams<1>(data, n); }),
                   best_rate(bytes, 0.02, [=] { read_streams<4>(data, n); }),
                   best_rate(bytes, 0.02, [=] { read_streams<8>(data, n); })});
}

double copy_rate(std::size_t bytes) {
  std::vector<Line> from(bytes / sizeof(Line) + 1);
  std::vector<Line> to(from.size());
  return best_rate(2.0 * static_cast<double>(bytes), 0.02, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  });
}

bool exceeded = false;

}  // namespace

bool peak_exceeded() {
  return exceeded;
}

const char* name(Peak peak) {
  switch (peak) {
    case Peak::fma:
      return "fma";
    case Peak::byte_dot:
      return "byte_dot";
    case Peak::read:
      return "read";
    case Peak::copy:
      return "copy";
  }
  return "";
}

double measure(Peak peak, std::size_t copied) {
  switch (peak) {
    case Peak::fma:
      return fma_rate();
    case Peak::byte_dot:
      return byte_dot_rate();
    case Peak::read:
      return read_rate();
    case Peak::copy:
      return copy_rate(copied);
  }
  return 0;
}

void Limited::begin() {
  if (counted()) return;
  before_ = measure(peak_, copied_);
  started_ = now();
}

void Limited::end() {
  if (counted()) return;
  const double seconds = now() - started_;
  const double after = measure(peak_, copied_);
  if (before_ == 0 || after == 0) return;
  const double rate = amount_ * static_cast<double>(state_.iterations()) / seconds;
  const double fraction = rate / ((before_ + after) / 2);
  state_.counters[std::string("of_") + name(peak_)] = fraction;
  state_.counters[std::string("peak_") + name(peak_)] = (before_ + after) / 2;
  // Turbo and neighbours move the limit itself; a kernel above both measurements by a tenth is wrong.
  if (rate > 1.1 * std::max(before_, after) && state_.iterations() > 1) {
    exceeded = true;
    state_.SkipWithError("above the peak that was measured beside it");
  }
}

}  // namespace tessera_bench

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Work that can be checked: rows of matrix instructions on a register file of its own.
#ifndef TESSERA_TESTS_RUN_PROGRAMS_ROWS_HPP_
#define TESSERA_TESTS_RUN_PROGRAMS_ROWS_HPP_

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" void rows_on_registers(unsigned char* registers, long rows);

namespace run_tests {

inline constexpr int instructions_per_row = 2;

inline unsigned long vlenb() {
  unsigned long value;
  asm volatile(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop" : "=r"(value));
  return value;
}

/// 32 registers of noise, and what they must become.
class Rows {
 public:
  explicit Rows(std::uint32_t seed) {
    for (auto& byte : registers_) {
      seed = seed * 1664525 + 1013904223;
      byte = static_cast<unsigned char>(seed >> 24);
    }
  }

  /// Executes the rows on the registers.
  void run(long rows) {
    std::memcpy(before_, registers_, sizeof before_);
    rows_on_registers(registers_, rows);
    rows_ = rows;
  }

  /// Are all 32 registers what `run` must have left?
  bool right() {
    expect<std::int8_t>(2, 0, 1);
    expect<std::uint8_t>(6, 4, 5);
    return std::memcmp(before_, registers_, 32 * vlenb()) == 0;
  }

 private:
  // C[i][j] += rows * sum over k of A[i][k] * B[j][k], modulo 2^32.
  template <class Element>
  void expect(unsigned vd, unsigned vs1, unsigned vs2) {
    const unsigned long bytes = vlenb();
    const unsigned side = bytes == 32 ? 4 : 8;
    const unsigned depth = static_cast<unsigned>(bytes) / side;
    for (unsigned i = 0; i < side * side; ++i) {
      std::uint32_t sum = 0;
      for (unsigned k = 0; k < depth; ++k) {
        const int a = static_cast<Element>(before_[vs1 * bytes + i / side * depth + k]);
        const int b = static_cast<Element>(before_[vs2 * bytes + i % side * depth + k]);
        sum += static_cast<std::uint32_t>(a * b);
      }
      unsigned char* place = before_ + vd * bytes + 4 * i;
      std::uint32_t value;
      std::memcpy(&value, place, 4);
      value += sum * static_cast<std::uint32_t>(rows_);
      std::memcpy(place, &value, 4);
    }
  }

  static constexpr int capacity = 32 * 128;
  alignas(16) unsigned char registers_[capacity];
  unsigned char before_[capacity];
  long rows_ = 0;
};

/// Prints the verdict and gives the exit status.
inline int verdict(const char* name, bool right) {
  std::printf("%s %s\n", name, right ? "right" : "wrong");
  std::fflush(stdout);
  return right ? 0 : 1;
}

}  // namespace run_tests

#endif  // TESSERA_TESTS_RUN_PROGRAMS_ROWS_HPP_

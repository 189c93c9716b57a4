// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Runs instruction words on the real vector registers of this (emulated) machine.
#ifndef TESSERA_TESTS_TRAP_MACHINE_HPP_
#define TESSERA_TESTS_TRAP_MACHINE_HPP_

#include "tessera/isa/ime/regfile.hpp"

#include <sys/mman.h>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

extern "C" {
/// The layout that run_word.S works on.
struct Registers {
  std::uint64_t vstart;
  std::uint64_t vl;
  std::uint64_t vtype;
  std::uint64_t vcsr;
  std::uint64_t vlenb;
  std::uint8_t* bytes;
};
void run_on_registers(Registers* image, void (*code)());
/// image->bytes says where the registers go.
void store_registers(Registers* image);
}

namespace trap_tests {

inline std::uint64_t vlenb() {
  std::uint64_t value;
  asm volatile(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop" : "=r"(value));
  return value;
}

/// Executable memory that holds the words, then a return.
class Code {
 public:
  explicit Code(std::initializer_list<std::uint32_t> words) : Code(std::span(words)) {}
  // Views, because a program that links libc alone has no std::vector.
  explicit Code(std::span<const std::uint32_t> words) {
    constexpr std::uint32_t ret = 0x00008067;
    memory_ = static_cast<std::uint32_t*>(mmap(nullptr, page, PROT_READ | PROT_WRITE | PROT_EXEC,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) __builtin_trap();
    set(words);
    memory_[words.size()] = ret;
  }
  ~Code() { munmap(memory_, page); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  /// Replaces the first words.
  void set(std::initializer_list<std::uint32_t> words) { set(std::span(words)); }
  void set(std::span<const std::uint32_t> words) {
    std::memcpy(memory_, words.data(), words.size_bytes());
    asm volatile("fence.i" ::: "memory");
  }
  void run(Registers* image) const {
    run_on_registers(image, reinterpret_cast<void (*)()>(memory_));
  }
  /// Runs on the registers as they are.
  void call() const { reinterpret_cast<void (*)()>(memory_)(); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_); }

 private:
  static constexpr std::size_t page = 4096;
  std::uint32_t* memory_;
};

/// Vector state, with noise in the registers, e<sew>, m1, vl = VLMAX.
class Machine {
 public:
  explicit Machine(std::uint64_t vtype = 0xc0) : bytes_(32 * vlenb()) {
    std::uint32_t seed = 12345;
    for (auto& byte : bytes_) {
      seed = seed * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(seed >> 24);
    }
    image = {0, vlenb() * 8 / (8u << (vtype >> 3 & 7)), vtype, 5, vlenb(), bytes_.data()};
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::vector<std::uint8_t>& bytes() { return bytes_; }

  Registers image{};

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace trap_tests

#endif  // TESSERA_TESTS_TRAP_MACHINE_HPP_

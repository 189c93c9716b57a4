// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Retired matrix instructions by mnemonic: emulated ones by an observer, real words by the trap
/// runtime's counters.
#ifndef TESSERA_BENCH_OP_ATOMS_HPP_
#define TESSERA_BENCH_OP_ATOMS_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace op {

/// Counts of the emu backends.
struct CountRetired {
  static inline std::map<std::string_view, std::uint64_t> counts = {};
  static void retired(const char* mnemonic) noexcept {
    static const char* last = nullptr;  // one instruction repeats itself: look it up once
    static std::uint64_t* count = nullptr;
    if (mnemonic != last) last = mnemonic, count = &counts[mnemonic];
    ++*count;
  }
  static inline std::uint64_t decodes = 0;
  static void decoded(std::size_t blocks) noexcept { decodes += blocks; }
};

/// All counts to zero.
void reset_atoms();
/// "smt.vmadot=96", or "not counted (NAME)" where nothing can be counted.
std::string retired_atoms(const std::string& name);

}  // namespace op

#endif  // TESSERA_BENCH_OP_ATOMS_HPP_

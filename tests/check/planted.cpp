// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Runs one function of planted.S and prints what it made: tessera_check_planted NAME.
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
using Function = void(const void* in, void* out, unsigned long n);
Function agnostic_accumulator, undisturbed_accumulator;
Function width_is_vlen, width_is_block;
Function steps_by_vlmax, steps_by_vl;
Function words_of_blocks, bytes_of_blocks;
Function cycle_counter;
}

namespace {

struct Case {
  const char* name;
  Function* function;
  unsigned long n;
  unsigned shown;  // 32-bit words of the result
};

constexpr Case cases[] = {
    {"agnostic_accumulator", agnostic_accumulator, 9, 1},
    {"undisturbed_accumulator", undisturbed_accumulator, 9, 1},
    {"width_is_vlen", width_is_vlen, 1, 1},
    {"width_is_block", width_is_block, 1, 1},
    {"steps_by_vlmax", steps_by_vlmax, 13, 13},
    {"steps_by_vl", steps_by_vl, 13, 13},
    {"words_of_blocks", words_of_blocks, 3, 24},
    {"bytes_of_blocks", bytes_of_blocks, 3, 24},
    {"cycle_counter", cycle_counter, 1, 0},
};

alignas(64) std::uint8_t in[4096];
alignas(64) std::uint8_t out[4096];

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const Case& c : cases) {
    if (std::strcmp(argv[1], c.name) != 0) continue;
    const std::uint32_t one = 1;
    for (std::size_t i = 0; i < sizeof in; i += 4) std::memcpy(in + i, &one, 4);
    c.function(in, out, c.n);
    for (unsigned i = 0; i < c.shown; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, out + 4 * i, 4);
      std::printf("%u\n", word);
    }
    return 0;
  }
  return 2;
}

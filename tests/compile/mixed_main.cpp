// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Runs the baseline's half, and with `both` the vector half too where the CPU has it: the digests must agree.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>

std::uint64_t TESSERA_MIXED_BASELINE();
std::uint64_t TESSERA_MIXED_VECTOR();

namespace {

bool cpu_has_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") != 0;
#else
  return true;  // the caller chose the emulated CPU
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const bool both = argc == 2 && std::strcmp(argv[1], "both") == 0;
  const std::uint64_t baseline = TESSERA_MIXED_BASELINE();
  std::printf("baseline %016" PRIx64 "\n", baseline);
  if (!both) return 0;
  if (!cpu_has_vectors()) {
    std::printf("this CPU lacks AVX2: only the baseline ran\n");
    return 77;
  }
  const std::uint64_t vector = TESSERA_MIXED_VECTOR();
  std::printf("vector   %016" PRIx64 "\n", vector);
  return baseline == vector ? 0 : 1;
}

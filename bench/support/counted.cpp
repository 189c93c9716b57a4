// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/support/counted.hpp"

#include "bench/check/cores.hpp"

[[gnu::noinline]] void tessera_bench_call(void (*body)(void*), void* context) {
  body(context);
  asm volatile("" ::: "memory");  // no tail call: the function ends when the body has
}

namespace tessera_bench {

bool counted() {
  static const bool emulated = !board::emulated_machine().empty();
  return emulated;
}

}  // namespace tessera_bench

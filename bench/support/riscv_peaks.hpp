// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// For peaks.cpp: twelve chains of an instruction on RISC-V vectors, and how much one instruction does.
#ifndef TESSERA_BENCH_SUPPORT_RISCV_PEAKS_HPP_
#define TESSERA_BENCH_SUPPORT_RISCV_PEAKS_HPP_

#include <cstddef>
#include <string>

#include "bench/support/bench.hpp"
#include "tessera/backend/core.hpp"
#include "tessera/isa/ime/all.hpp"

namespace tessera_bench::riscv {

inline constexpr int chains = 12;
#define TESSERA_TWELVE(one) \
  one(0) one(2) one(4) one(6) one(8) one(10) one(12) one(14) one(16) one(18) one(20) one(22)
#define TESSERA_CLOBBERS                                                                           \
  "t0", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", \
      "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31"
#define TESSERA_FMA(i) "vfmacc.vv v" #i ", v30, v31\n"
#define TESSERA_WIDENING(i) "vwmacc.vv v" #i ", v30, v31\n"
// smt.vmadot v<i>, v30, v31
#define TESSERA_VMADOT(i) ".4byte 0xe3ff302b + (" #i " << 7)\n"
static_assert(tessera::ime::encode<tessera::ime::Vmadot<tessera::ime::Element::int8>>(
                  {.vd = 2, .vs1 = 30, .vs2 = 31}) == 0xe3ff302b + (2 << 7));

inline std::size_t register_bytes() {
  std::size_t bytes;
  asm("csrr %0, vlenb" : "=r"(bytes));
  return bytes;
}

/// Zeros everywhere.
inline void clear() {
  asm volatile(
      "vsetvli t0, zero, e8, m8, ta, ma\n vmv.v.i v0, 0\n vmv.v.i v8, 0\n vmv.v.i v16, 0\n"
      "vmv.v.i v24, 0\n" ::
          : TESSERA_CLOBBERS, "v24", "v25", "v26", "v27", "v28", "v29");
}
inline void fused_multiply_adds() {
  asm volatile("vsetvli t0, zero, e32, m1, ta, ma\n" TESSERA_TWELVE(TESSERA_FMA)::
                   : TESSERA_CLOBBERS);
}
inline void widening_products() {
  asm volatile("vsetvli t0, zero, e8, m1, ta, ma\n" TESSERA_TWELVE(TESSERA_WIDENING)::
                   : TESSERA_CLOBBERS);
}
inline void matrix_products() {
  asm volatile("vsetvli t0, zero, e8, m1, ta, ma\n" TESSERA_TWELVE(TESSERA_VMADOT)::
                   : TESSERA_CLOBBERS);
}

/// int8 products of one smt.vmadot: M N K of the core's tile.
inline double matrix_size() {
  const std::size_t bytes = register_bytes();
  return static_cast<double>(bytes * (bytes == 128 ? 8 : 4));
}

#undef TESSERA_TWELVE
#undef TESSERA_CLOBBERS
#undef TESSERA_FMA
#undef TESSERA_WIDENING
#undef TESSERA_VMADOT

}  // namespace tessera_bench::riscv

#endif  // TESSERA_BENCH_SUPPORT_RISCV_PEAKS_HPP_

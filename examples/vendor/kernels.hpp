// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What kernels.S computes. A tile of A holds M rows, a tile of B holds N rows of K elements and fills
// one register; C has M x N sums. M = N = 4 and K = 8 bytes at VLEN 256, 8 and 16 at VLEN 1024.
#ifndef TESSERA_EXAMPLES_VENDOR_KERNELS_HPP_
#define TESSERA_EXAMPLES_VENDOR_KERNELS_HPP_

#include <cstdint>

extern "C" {

/// C += A * transposed B over `steps` pairs of tiles. The suffix says how A's and B's elements are
/// read: both signed, u both unsigned, us A unsigned, su B unsigned; i4: nibbles, signed (K3 only).
using Product = void (*)(const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c, long steps);
void vendor_product(const std::uint8_t*, const std::uint8_t*, std::int32_t*, long);
void vendor_product_u(const std::uint8_t*, const std::uint8_t*, std::int32_t*, long);
void vendor_product_us(const std::uint8_t*, const std::uint8_t*, std::int32_t*, long);
void vendor_product_su(const std::uint8_t*, const std::uint8_t*, std::int32_t*, long);
void vendor_product_i4(const std::uint8_t*, const std::uint8_t*, std::int32_t*, long);

/// A filter of four taps: A holds 2M rows, and C += (rows t to t + M of A) * tile t of B for t = 0..3.
using Filter = void (*)(const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c);
void vendor_filter(const std::uint8_t*, const std::uint8_t*, std::int32_t*);
void vendor_filter_u(const std::uint8_t*, const std::uint8_t*, std::int32_t*);
void vendor_filter_us(const std::uint8_t*, const std::uint8_t*, std::int32_t*);
void vendor_filter_su(const std::uint8_t*, const std::uint8_t*, std::int32_t*);

/// K3 only. A holds M rows of 2K; in column j the mask's nibble j * K/2 + q of segment 1 selects two of
/// the four elements of quad q.
void vendor_sparse(const std::uint8_t* a, const std::uint8_t* b, std::int32_t* c,
                   const std::uint8_t* mask);
/// K3 only. C, fp16: column j grows by its sum times scale 16 + j, in one rounding.
void vendor_scaled(const std::uint8_t* a, const std::uint8_t* b, std::uint16_t* c,
                   const std::uint16_t* scales);
/// K3 only. vendor_filter on fp16 with sums in fp32.
void vendor_float(const std::uint16_t* a, const std::uint16_t* b, float* c);
/// K3 only. `packed`: words of a and b in turn; `unpacked`: a and b again.
void vendor_pack(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* packed,
                 std::uint8_t* unpacked);
/// K3 only. 16-bit elements of a and b become bytes, blocks of 4 in turn; behind them, in the next
/// register, bytes become nibbles likewise.
void vendor_narrow(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* truncated,
                   std::uint8_t* saturated);
}

#endif  // TESSERA_EXAMPLES_VENDOR_KERNELS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Intrinsics for SpacemiT's matrix instructions (IME: xsmtvdot on K1 and K3's X100 cores,
/// xsmtvdotii on K3's A100 cores), for compilers that know none of them.
///
/// On riscv64 (C99 or C++11; clang >= 17 or GCC >= 14, -march=rv64gcv) the operands are RVV types and
/// each function becomes a vsetvli and one instruction. Elsewhere (C++20) the same names work on
/// register types made of bytes and give the bits that the hardware gives, so that a kernel written
/// with them can be tested on any machine; what an emulated core is:
///   TSR_SMT_EMULATED_VLEN   256: K1, without the functions it lacks; 1024 (default): K3's A100
///   TSR_SMT_EMULATED_BF16   1: 16-bit floats are bf16 (as with MCPM.BF16 set); 0 (default): fp16
///
/// Shapes, M x N x K: int8 4 x 4 x 8 at VLEN 256; int8 8 x 8 x 16, int4 8 x 8 x 32, float 8 x 8 x 8
/// at VLEN 1024. A holds M rows of K contiguous elements, B holds N rows of K, C is row-major.
/// SIGN is nothing (A and B signed), u (both unsigned), su (A signed, B unsigned) or us; unsigned
/// operands have unsigned types. With _i4 the bytes hold two nibbles, the low one first.
///
///   C = tsr_smt_vmadotSIGN[_i4](C, A, B)            C += A * transposed B, int32 in an m2 register
///   C = tsr_smt_vmadot{1,2,3}SIGN(C, A, B)          A is an m2 pair, read 1, 2, 3 rows further on
///   C = tsr_smt_vmadotSIGN_sp[_i4](C, A, B, mask, imm)
///       4:2 sparse: A is an m2 pair with rows of 2K; segment imm (0..3; _i4 0..1) of the mask
///       register names two of every four elements for each column
///   C = tsr_smt_vmadotSIGN_hp[_i4](C, A, B, scales, imm)
///       C (16-bit floats, u16m1) = round(C + scale * exact sum); the scales are lanes 8*imm .. of
///       a u16m1, imm 0..7
///   C = tsr_smt_vfwmadot[1,2,3](C, A, B)            16-bit floats as u16 into fp32 (f32m2)
///   D = tsr_smt_vpack_T(a, b, imm), tsr_smt_vupack_T(a, b, imm)
///       T is i8 u8 i16 u16 i32 u32 i64 u64; D is the m2 type; blocks of one element, 16, 32 or 64
///       bytes for imm 0..3
///   D = tsr_smt_vnpack_T(a, b, imm)                 T is i16 to u64; D has half the width
///   D = tsr_smt_vnspack_T(a, b, imm)                T is i16 i32 i64; saturates
///   D = tsr_smt_vnpack4_T(a, b, imm), tsr_smt_vnspack4_i8(a, b, imm)    T is i8 u8; nibbles
///   tsr_smt_vlenb(), tsr_smt_load_TmL(pointer), tsr_smt_store_TmL(pointer, value),
///   tsr_smt_zero_i32m2(), tsr_smt_zero_f32m2(), tsr_smt_zero_u16m1()
///       whole registers; T is i8 to u64, L is 1 or 2; also f32m2
///
/// An immediate out of range traps. Preconditions: the core has the instruction and the stated VLEN;
/// one and the same value is not passed as mask (or scales) and as A or B.
/// Exactness: integer forms exact modulo 2^32; the floating ones as isa/ime/numerics.hpp documents.
#ifndef TESSERA_IME_H_
#define TESSERA_IME_H_

#if defined(__riscv_vector) && defined(__riscv_v_intrinsic) && __riscv_v_intrinsic >= 12000
#include "tessera/backend/ime/rvv_ime.h"
#elif defined(__cplusplus)
#include "tessera/backend/emu/emulated_ime.h"
#else
#error "tessera/ime.h in C needs riscv64 with the vector intrinsics; elsewhere it is C++20 only"
#endif

#endif  // TESSERA_IME_H_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Kernels compiled once for a program of many units. With TESSERA_EXTERN_KERNELS defined as 1 in all of them,
/// the public headers declare the inner functions of the kernels `extern`, for every backend of the build;
/// one unit (or several, see tessera/instances.cpp) defines them. A function of a backend that is in no list (emu
/// with an observer of the program's own, for instance) is compiled where it is used, as always.
/// The files of this folder are the lists: a function that is missing from them costs time to compile, nothing else.
/// A list includes headers of the kernels' insides and, if any, the one public header at whose end alone it stands: what it
/// names is declared then, whichever header a unit begins with.
///
/// TESSERA_EXTERN_EMU, TESSERA_EXTERN_RVV: 0 leaves these backends out, in all units alike.
#ifndef TESSERA_INSTANCES_LISTS_HPP_
#define TESSERA_INSTANCES_LISTS_HPP_

#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"

#ifndef TESSERA_EXTERN_EMU
#define TESSERA_EXTERN_EMU 1
#endif
#ifndef TESSERA_EXTERN_RVV
#define TESSERA_EXTERN_RVV TESSERA_HAS_RVV
#endif

/// Goes before `template`: are the functions declared or defined?
#ifdef TESSERA_DEFINE_INSTANCES
#define TESSERA_EXTERN_
#else
#define TESSERA_EXTERN_ extern
#endif
/// TESSERA_INSTANCE(f<X>): the function f<X>, which is not overloaded.
#define TESSERA_INSTANCE(...) TESSERA_EXTERN_ template decltype(__VA_ARGS__) __VA_ARGS__;

#if TESSERA_EXTERN_EMU
#define TESSERA_EACH_EMU_(X) X(backend::emu<ime::k1>) X(backend::emu<ime::k3>)
#else
#define TESSERA_EACH_EMU_(X)
#endif
#if TESSERA_HAS_RVV && TESSERA_EXTERN_RVV
#define TESSERA_EACH_RVV_(X) X(backend::rvv)
#define TESSERA_EACH_IME_(X) X(backend::ime1) X(backend::ime2)
#else
#define TESSERA_EACH_RVV_(X)
#define TESSERA_EACH_IME_(X)
#endif
#if TESSERA_ENABLE_HWY
#define TESSERA_EACH_HWY_(X) X(backend::hwy)
#else
#define TESSERA_EACH_HWY_(X)
#endif
#if TESSERA_ENABLE_XSIMD
#define TESSERA_EACH_XSIMD_(X) X(backend::xsimd)
#else
#define TESSERA_EACH_XSIMD_(X)
#endif

// clang-format off
/// X(B) for one backend of every vector layer; for every backend. X(F) for every format.
#define TESSERA_EACH_VECTORS(X) \
  X(backend::scalar) TESSERA_EACH_RVV_(X) TESSERA_EACH_HWY_(X) TESSERA_EACH_XSIMD_(X)
#define TESSERA_EACH_BACKEND(X) TESSERA_EACH_VECTORS(X) TESSERA_EACH_EMU_(X) TESSERA_EACH_IME_(X)
#define TESSERA_EACH_FLOAT_FORMAT(X) X(format::f32) X(format::f16) X(format::bf16)
#define TESSERA_EACH_BLOCK_FORMAT(X)                                              \
  X(format::q8_0) X(format::q4_0) X(format::q4_1) X(format::q5_0) X(format::q5_1) \
  X(format::q2_K) X(format::q3_K) X(format::q4_K) X(format::q5_K) X(format::q6_K) \
  X(format::iq4_nl) X(format::iq4_xs) X(format::mxfp4) X(format::nvfp4)           \
  X(format::q1_0) X(format::q2_0)
// clang-format on

#endif  // TESSERA_INSTANCES_LISTS_HPP_

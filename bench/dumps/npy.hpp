// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Arrays in .npy files: format version 1 to 3, little-endian floats of 2, 4 and 8 bytes, bfloat16 as
/// V2, integers and booleans.
#ifndef TESSERA_BENCH_DUMPS_NPY_HPP_
#define TESSERA_BENCH_DUMPS_NPY_HPP_

#include <string>

#include "bench/dumps/tensor.hpp"

namespace dumps {

/// Throws Refusal, which names the file and what is wrong with it. Fortran order becomes C order.
Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const Axes& shape, const tessera::Elements& elements);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_NPY_HPP_

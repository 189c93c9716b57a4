// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Arrays of f32 in .npy files.
#ifndef TESSERA_BENCH_OP_NPY_HPP_
#define TESSERA_BENCH_OP_NPY_HPP_

#include <cstddef>
#include <string>
#include <vector>

namespace op {

struct Array {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

/// Throws Refusal, which names the file and what is wrong with it.
Array read_npy(const std::string& path);
void write_npy(const std::string& path, const Array& array);

}  // namespace op

#endif  // TESSERA_BENCH_OP_NPY_HPP_

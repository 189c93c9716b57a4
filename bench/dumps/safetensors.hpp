// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// .safetensors files: 8 bytes of length, a JSON header that names type, shape and place, the data.
#ifndef TESSERA_BENCH_DUMPS_SAFETENSORS_HPP_
#define TESSERA_BENCH_DUMPS_SAFETENSORS_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/dumps/tensor.hpp"

namespace dumps {

/// Where one tensor of a file is.
struct SafetensorsEntry {
  std::string name;
  Storage storage;
  Axes shape;
  std::size_t begin = 0;  ///< in the file
  std::size_t bytes = 0;
};

/// The tensors of a file. Throws Refusal, which names the file and what is wrong with it: a place
/// outside the data or of another length than the shape says, an unknown type, a broken header.
std::vector<SafetensorsEntry> list_safetensors(const std::string& path);
Tensor read_safetensors(const std::string& path, const SafetensorsEntry& entry);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_SAFETENSORS_HPP_

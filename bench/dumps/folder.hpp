// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// All tensors of a dump in graph order.
#ifndef TESSERA_BENCH_DUMPS_FOLDER_HPP_
#define TESSERA_BENCH_DUMPS_FOLDER_HPP_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/dumps/safetensors.hpp"
#include "bench/dumps/tensor.hpp"
#include "tessera/compare.hpp"

namespace dumps {

/// One tensor of a dump; its data stay in the file.
struct DumpEntry {
  enum class File { npy, safetensors, raw };

  std::string name;  ///< path within the dump without the extension, or the name within safetensors
  File file = File::npy;
  std::string path;
  SafetensorsEntry place = {};        ///< safetensors only
  tessera::BufferHashes hashes = {};  ///< of recorded inputs

  /// Throws Refusal.
  Tensor read() const;
};

/// Runs of digits order as numbers, all else as bytes; '/' comes first.
bool natural_less(std::string_view a, std::string_view b);

/// The tensors of a folder and those below it, or of one file. Files of other kinds are passed over.
/// They stand in the order of the folder's `manifest.txt`, a name per line, and then, or if there is
/// none, in natural order. Throws Refusal: for what cannot be read, a name that stands for two tensors,
/// a manifest that names none of them, folders nested more than 16 deep.
std::vector<DumpEntry> list_dump(const std::string& path);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_FOLDER_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/scratch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tessera::run {

namespace fs = std::filesystem;

Scratch::Scratch() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "tessera-run.XXXXXX").string();
  if (pattern.find(',') == std::string::npos && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace tessera::run

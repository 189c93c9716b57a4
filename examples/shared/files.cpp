// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace examples {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string sentence(const std::string& path, const char* what) {
  return path + ": " + what + ": " + std::strerror(errno);
}

}  // namespace

std::optional<std::vector<std::byte>> read_file(const std::string& path, std::string* error) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    *error = sentence(path, "cannot be read");
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    *error = path + ": is not a regular file";
    return std::nullopt;
  }
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    *error = sentence(path, "cannot be opened");
    return std::nullopt;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) {
    *error = path + ": cannot be read to its end";
    return std::nullopt;
  }
  return bytes;
}

bool write_file(const std::string& path, std::span<const std::byte> bytes, std::string* error) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    *error = sentence(path, "cannot be written");
    return false;
  }
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) != 0 || !whole) {
    *error = sentence(path, "cannot be written");
    return false;
  }
  return true;
}

bool file_exists(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace examples

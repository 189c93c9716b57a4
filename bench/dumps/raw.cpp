// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/raw.hpp"

#include <cstdlib>

#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/refusal.hpp"

namespace dumps {
namespace {

Storage storage_of_word(const std::string& word, const std::string& path) {
  if (word == "bf16") return {'b', 2};
  const std::string kinds = "fiu";
  for (const std::size_t bits : {8u, 16u, 32u, 64u})
    for (const char kind : kinds)
      if (word == kind + std::to_string(bits) && !(kind == 'f' && bits == 8))
        return {kind, bits / 8};
  throw Refusal(path + ": must begin with an element type such as f32, not '" + word + "'");
}

}  // namespace

Tensor read_raw(const std::string& path, const std::string& shape_path) {
  const std::string text = read_text(shape_path, 4096);
  const std::size_t space = text.find_first_of(" \n");
  const Storage storage = storage_of_word(text.substr(0, space), shape_path);
  Axes shape;
  const char* p = space == std::string::npos ? "" : text.c_str() + space;
  for (;;) {
    while (*p == ' ' || *p == '\n' || *p == '\r') ++p;
    if (*p == '\0') break;
    char* end = nullptr;
    if (*p < '0' || *p > '9') throw Refusal(shape_path + ": sizes must follow the element type");
    shape.push_back(static_cast<std::size_t>(std::strtoull(p, &end, 10)));
    p = end;
  }
  const FileBytes file(path);
  const std::size_t bytes = checked_bytes(shape, storage.size, file.size(), path);
  return tensor_of(storage, shape, file.part(0, bytes, "the data are truncated"));
}

}  // namespace dumps

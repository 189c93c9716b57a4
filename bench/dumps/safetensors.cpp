// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/safetensors.hpp"

#include <cstdint>
#include <cstring>

#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/json.hpp"
#include "bench/dumps/refusal.hpp"
#include "tessera/core/npy_header.hpp"

namespace dumps {
namespace {

constexpr std::size_t longest_header = 100'000'000;  // the format's own limit

struct StorageName {
  const char* name;
  Storage storage;
};
constexpr StorageName storages[] = {
    {"F64", {'f', 8}}, {"F32", {'f', 4}}, {"F16", {'f', 2}}, {"BF16", {'b', 2}}, {"I64", {'i', 8}},
    {"I32", {'i', 4}}, {"I16", {'i', 2}}, {"I8", {'i', 1}},  {"U64", {'u', 8}},  {"U32", {'u', 4}},
    {"U16", {'u', 2}}, {"U8", {'u', 1}},  {"BOOL", {'u', 1}}};

Storage storage_of(const std::string& name, const std::string& where) {
  for (const StorageName& known : storages)
    if (name == known.name) return known.storage;
  throw Refusal(where + ": elements of type '" + name + "' are not read");
}

}  // namespace

std::vector<SafetensorsEntry> list_safetensors(const std::string& path) {
  const FileBytes file(path);
  const auto head = file.part(0, 8, "the length of the header is truncated");
  std::uint64_t length = 0;
  std::memcpy(&length, head.data(), sizeof length);
  if (length > longest_header)
    throw Refusal(path + ": a header of " + std::to_string(length) + " bytes is beyond the limit");
  const std::string header = file.text(8, length, "the header is truncated");
  const std::size_t data = 8 + length;
  const std::size_t available = file.size() - data;
  std::vector<SafetensorsEntry> entries;
  JsonReader json(header, path);
  json.object([&](const std::string& name) {
    if (name == "__metadata__") return json.skip();
    const std::string where = path + ": tensor '" + name + "'";
    SafetensorsEntry entry;
    entry.name = name;
    std::vector<std::size_t> offsets;
    std::string type;
    json.object([&](const std::string& key) {
      if (key == "dtype")
        type = json.string();
      else if (key == "shape")
        entry.shape = json.sizes(tessera::max_axes);
      else if (key == "data_offsets")
        offsets = json.sizes(2);
      else
        json.skip();
    });
    entry.storage = storage_of(type, where);
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > available)
      throw Refusal(where + ": data_offsets lie outside the file");
    entry.begin = data + offsets[0];
    entry.bytes = checked_bytes(entry.shape, entry.storage.size, offsets[1] - offsets[0], where);
    entries.push_back(entry);
  });
  json.end();
  return entries;
}

Tensor read_safetensors(const std::string& path, const SafetensorsEntry& entry) {
  return tensor_of(entry.storage, entry.shape,
                   FileBytes(path).part(entry.begin, entry.bytes, "the data are truncated"));
}

}  // namespace dumps

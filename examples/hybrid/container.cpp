// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/container.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "examples/hybrid/json_reader.hpp"
#include "tessera/core/float16.hpp"

namespace hybrid {
namespace {

/// A tensor's entry in the header.
struct Entry {
  std::string dtype;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> place;
};

bool read_numbers(JsonReader& reader, std::vector<std::size_t>* numbers) {
  return reader.array([&] { return reader.number(&numbers->emplace_back()); });
}

bool read_entry(JsonReader& reader, Entry* entry) {
  return reader.object([&](const std::string& key) {
    if (key == "dtype" && entry->dtype.empty()) return reader.string(&entry->dtype);
    if (key == "shape" && entry->shape.empty()) return read_numbers(reader, &entry->shape);
    return key == "data_offsets" && entry->place.empty() && read_numbers(reader, &entry->place);
  });
}

/// Do the tensors cover the data exactly? Then none shares bytes with another and none is longer than the file.
bool cover(const std::map<std::string, Entry>& entries, std::size_t size) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& [name, entry] : entries) {
    if (entry.place.size() != 2) return true;  // said of the tensor
    places.emplace_back(entry.place[0], entry.place[1]);
  }
  std::sort(places.begin(), places.end());
  std::size_t end = 0;
  for (const auto& [first, last] : places) {
    if (first != end || last < first) return false;
    end = last;
  }
  return end == size;
}

/// Empty if the entry fits `bytes` and the tensor is read.
const char* read_tensor(const Entry& entry, std::span<const std::byte> bytes, Tensor* tensor) {
  constexpr std::size_t limit = std::size_t{1} << 28;  // of a dimension; their product fits
  const std::size_t size = entry.dtype == "F32" ? 4 : entry.dtype == "F16" ? 2 : 0;
  if (size == 0) return "its dtype is neither F32 nor F16";
  if (entry.shape.empty() || entry.shape.size() > 2) return "its shape has not one or two numbers";
  for (const std::size_t n : entry.shape)
    if (n == 0 || n > limit) return "a number of its shape is 0 or too large";
  tensor->rows = entry.shape.size() == 2 ? entry.shape[0] : 1;
  tensor->cols = entry.shape.back();
  if (entry.place.size() != 2 || entry.place[0] > entry.place[1] || entry.place[1] > bytes.size())
    return "its data_offsets lie outside the file";
  const std::size_t count = tensor->rows * tensor->cols;
  if (entry.place[1] - entry.place[0] != count * size)
    return "its data_offsets and its shape disagree";
  const std::byte* from = bytes.data() + entry.place[0];
  tensor->values.resize(count);
  if (size == 4) std::memcpy(tensor->values.data(), from, count * size);
  for (std::size_t i = 0; size == 2 && i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, 2);
    tensor->values[i] = tessera::to_float(tessera::Float16{bits});
  }
  const auto finite = [](float x) { return std::isfinite(x); };
  if (!std::all_of(tensor->values.begin(), tensor->values.end(), finite))
    return "one of its values is not finite";
  return nullptr;
}

}  // namespace

std::optional<Container> Container::parse(std::span<const std::byte> bytes, std::string* error) {
  const auto refuse = [&](const std::string& sentence) {
    *error = sentence;
    return std::nullopt;
  };
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return refuse("is shorter than the length of a header");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes = bytes.subspan(sizeof length);
  if (length > bytes.size()) return refuse("its header is longer than the file");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), length);
  bytes = bytes.subspan(length);

  Container container;
  std::map<std::string, Entry> entries;
  JsonReader reader(header);
  std::string repeated;
  reader.object([&](const std::string& name) {
    if (name == "__metadata__")
      return reader.object([&](const std::string& key) {
        if (container.metadata.contains(key)) repeated = "metadata " + key;
        return reader.string(&container.metadata[key]);
      });
    if (entries.contains(name)) {
      repeated = "tensor " + name;
      return false;
    }
    return read_entry(reader, &entries[name]);
  });
  if (!repeated.empty()) return refuse(repeated + " occurs twice");
  if (!reader.at_end()) return refuse("its header is not the JSON of a safetensors file");
  if (!cover(entries, bytes.size()))
    return refuse("its tensors do not follow one another from the header to the end of the file");
  for (const auto& [name, entry] : entries)
    if (const char* problem = read_tensor(entry, bytes, &container.tensors[name]))
      return refuse("tensor " + name + ": " + problem);
  return container;
}

}  // namespace hybrid

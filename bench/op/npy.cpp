// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/npy.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "bench/op/options.hpp"

namespace op {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& rule) {
  throw Refusal(path + ": " + rule);
}

/// The text behind `'key':` in the header's dictionary.
std::string after_key(const std::string& header, const std::string& key, const std::string& path) {
  const std::size_t at = header.find("'" + key + "'");
  const std::size_t colon = at == std::string::npos ? at : header.find(':', at);
  if (colon == std::string::npos) refuse(path, "the header has no " + key);
  const std::size_t text = header.find_first_not_of(' ', colon + 1);
  return text == std::string::npos ? "" : header.substr(text);
}

std::vector<std::size_t> shape_of(const std::string& text, const std::string& path) {
  std::vector<std::size_t> shape;
  if (text.empty() || text[0] != '(') refuse(path, "the shape is not a tuple");
  const char* p = text.c_str() + 1;
  while (*p != ')') {
    char* end = nullptr;
    const auto n = std::strtoull(p, &end, 10);
    if (end == p || shape.size() == 4) refuse(path, "the shape is not a tuple of at most 4 sizes");
    shape.push_back(static_cast<std::size_t>(n));
    p = end;
    while (*p == ',' || *p == ' ') ++p;
    if (*p == '\0') refuse(path, "the shape does not end");
  }
  return shape;
}

}  // namespace

Array read_npy(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "cannot be read");
  const std::string file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto byte = [&](std::size_t i) {
    return i < file.size() ? static_cast<unsigned char>(file[i]) : 0u;
  };
  if (file.compare(0, 6, "\x93NUMPY", 6) != 0) refuse(path, "not an .npy file");
  const bool wide = byte(6) >= 2;
  const std::size_t start = wide ? 12 : 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (wide)
    length |= static_cast<std::size_t>(byte(10)) << 16 | static_cast<std::size_t>(byte(11)) << 24;
  if (file.size() < start || file.size() - start < length) refuse(path, "the header is truncated");
  const std::string header = file.substr(start, length);
  if (after_key(header, "descr", path).compare(0, 5, "'<f4'") != 0)
    refuse(path, "the elements must be little-endian f32 ('<f4')");
  if (after_key(header, "fortran_order", path).compare(0, 5, "False") != 0)
    refuse(path, "the order must be C");
  Array array{shape_of(after_key(header, "shape", path), path), {}};
  std::size_t count = 1;
  for (const std::size_t n : array.shape) count = elements(count, n, path);
  if (file.size() - start - length != count * sizeof(float))
    refuse(path, "the data are not as long as the shape says");
  array.values.resize(count);
  file.copy(reinterpret_cast<char*>(array.values.data()), count * sizeof(float), start + length);
  return array;
}

void write_npy(const std::string& path, const Array& array) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const std::size_t n : array.shape) header += std::to_string(n) + ", ";
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  const auto length = static_cast<std::uint16_t>(header.size());
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(length & 255)).put(static_cast<char>(length >> 8));
  out << header;
  out.write(reinterpret_cast<const char*>(array.values.data()),
            static_cast<std::streamsize>(array.values.size() * sizeof(float)));
  out.close();
  if (!out) refuse(path, "cannot be written");
}

}  // namespace op

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/npy.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/refusal.hpp"
#include "tessera/core/npy_header.hpp"

namespace dumps {
namespace {

/// The dictionary of an .npy file.
class NpyDictionary {
 public:
  NpyDictionary(std::string text, const std::string& path) : text_(std::move(text)), path_(path) {}

  Storage storage() const {
    const std::string text = after_key("descr");
    const std::size_t end = text.size() < 2 ? std::string::npos : text.find(text[0], 1);
    const bool quoted = !text.empty() && (text[0] == '\'' || text[0] == '"');
    if (!quoted || end == std::string::npos)
      refuse("descr is not a type name (structured types are not read)");
    const std::string name = text.substr(1, end - 1);
    if (name == "<V2" || name == "|V2" || name == "bfloat16") return {'b', 2};
    const bool one_byte = name == "|i1" || name == "|u1" || name == "|b1";
    if (name.size() != 3 || (name[0] != '<' && !one_byte))
      refuse("elements of type '" + name +
             "' are not read (little-endian floats and integers are)");
    const Storage storage = {name[1] == 'b' ? 'u' : name[1],
                             static_cast<std::size_t>(name[2] - '0')};
    const bool integer = (storage.kind == 'i' || storage.kind == 'u') &&
                         (storage.size == 2 || storage.size == 4 || storage.size == 8);
    const bool floats =
        storage.kind == 'f' && (storage.size == 2 || storage.size == 4 || storage.size == 8);
    if (!one_byte && !integer && !floats) refuse("elements of type '" + name + "' are not read");
    return storage;
  }

  bool fortran_order() const {
    const std::string text = after_key("fortran_order");
    const bool fortran = text.compare(0, 4, "True") == 0;
    if (!fortran && text.compare(0, 5, "False") != 0) refuse("fortran_order is not a boolean");
    return fortran;
  }

  Axes shape() const {
    const std::string text = after_key("shape");
    if (text.empty() || text[0] != '(') refuse("the shape is not a tuple");
    Axes shape;
    const char* p = text.c_str() + 1;
    while (*p == ' ') ++p;
    while (*p != ')') {
      char* end = nullptr;
      if (*p < '0' || *p > '9' || shape.size() == tessera::max_axes)
        refuse("the shape is not a tuple of at most 8 sizes");
      shape.push_back(static_cast<std::size_t>(std::strtoull(p, &end, 10)));
      p = end;
      while (*p == ',' || *p == ' ' || *p == 'L') ++p;
      if (*p == '\0') refuse("the shape does not end");
    }
    return shape;
  }

 private:
  [[noreturn]] void refuse(const std::string& rule) const { throw Refusal(path_ + ": " + rule); }

  /// The text behind `'key':`.
  std::string after_key(const std::string& key) const {
    const std::size_t at = text_.find("'" + key + "'");
    const std::size_t colon = at == std::string::npos ? at : text_.find(':', at);
    if (colon == std::string::npos) refuse("the header has no " + key);
    const std::size_t text = text_.find_first_not_of(' ', colon + 1);
    return text == std::string::npos ? "" : text_.substr(text);
  }

  std::string text_;
  std::string path_;
};

/// Elements in C order of those in Fortran order.
std::vector<std::byte> reordered(const std::vector<std::byte>& bytes, const Axes& shape,
                                 std::size_t size) {
  std::vector<std::byte> out(bytes.size());
  Axes index(shape.size(), 0);
  for (std::size_t to = 0; to < bytes.size(); to += size) {
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + index[axis];
    std::memcpy(out.data() + to, bytes.data() + from * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];)
      index[axis] = 0;
  }
  return out;
}

}  // namespace

Tensor read_npy(const std::string& path) {
  const FileBytes file(path);
  constexpr const char* truncated = "the header is truncated";
  if (file.size() < 6 || file.text(0, 6, truncated) != "\x93NUMPY")
    throw Refusal(path + ": not an .npy file");
  const std::string start = file.text(0, 10, truncated);
  const std::size_t version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw Refusal(path + ": format version " + std::to_string(version) + " is unknown");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  const std::string digits = file.text(8, length_bytes, truncated);
  for (std::size_t i = length_bytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(digits[i]);
  const std::size_t data = 8 + length_bytes;
  const NpyDictionary dictionary(file.text(data, length, truncated), path);
  const Storage storage = dictionary.storage();
  Axes shape = dictionary.shape();
  const std::size_t available = file.size() - data - length;
  const std::size_t size = checked_bytes(shape, storage.size, available, path);
  auto bytes = file.part(data + length, size, "the data are truncated");
  if (dictionary.fortran_order()) bytes = reordered(bytes, shape, storage.size);
  return tensor_of(storage, std::move(shape), std::move(bytes));
}

void write_npy(const std::string& path, const Axes& shape, const tessera::Elements& elements) {
  const tessera::NpyHeader header = tessera::npy_header(elements.type, shape);
  write_bytes(path, header.text, header.size, elements.data,
              elements.count * size_of(elements.type));
}

}  // namespace dumps

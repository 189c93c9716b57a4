// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/file_bytes.hpp"

#include <sys/stat.h>

#include "bench/dumps/refusal.hpp"

namespace dumps {

FileBytes::FileBytes(const std::string& path) : path_(path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw Refusal(path + ": cannot be read");
  if (!S_ISREG(status.st_mode)) throw Refusal(path + ": is not a regular file");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (file_ == nullptr) throw Refusal(path + ": cannot be read");
  size_ = static_cast<std::size_t>(status.st_size);
}

void FileBytes::read(std::size_t begin, std::size_t count, const char* what, void* to) const {
  if (std::fseek(file_.get(), static_cast<long>(begin), SEEK_SET) != 0 ||
      std::fread(to, 1, count, file_.get()) != count)
    throw Refusal(path_ + ": " + what);
}

std::vector<std::byte> FileBytes::part(std::size_t begin, std::size_t count,
                                       const char* what) const {
  if (begin > size_ || count > size_ - begin) throw Refusal(path_ + ": " + what);
  std::vector<std::byte> bytes(count);
  if (count != 0) read(begin, count, what, bytes.data());
  return bytes;
}

std::string FileBytes::text(std::size_t begin, std::size_t count, const char* what) const {
  if (begin > size_ || count > size_ - begin) throw Refusal(path_ + ": " + what);
  std::string text(count, '\0');
  if (count != 0) read(begin, count, what, text.data());
  return text;
}

std::string read_text(const std::string& path, std::size_t limit) {
  const FileBytes file(path);
  if (file.size() > limit) throw Refusal(path + ": is too long");
  return file.text(0, file.size(), "cannot be read to its end");
}

void write_bytes(const std::string& path, const void* head, std::size_t head_size, const void* body,
                 std::size_t body_size) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw Refusal(path + ": cannot be written");
  bool whole = std::fwrite(head, 1, head_size, file) == head_size;
  if (body_size != 0) whole = whole && std::fwrite(body, 1, body_size, file) == body_size;
  if (std::fclose(file) != 0 || !whole) throw Refusal(path + ": cannot be written");
}

}  // namespace dumps

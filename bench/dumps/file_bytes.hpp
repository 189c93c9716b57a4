// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Parts of a regular file.
#ifndef TESSERA_BENCH_DUMPS_FILE_BYTES_HPP_
#define TESSERA_BENCH_DUMPS_FILE_BYTES_HPP_

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace dumps {

/// A file that is read in parts. Memory is taken only for bytes that the file has.
class FileBytes {
 public:
  /// Throws Refusal unless it is a regular file that can be opened.
  explicit FileBytes(const std::string& path);

  std::size_t size() const { return size_; }
  /// Bytes [begin, begin + count). Throws Refusal with `what` beyond the end.
  std::vector<std::byte> part(std::size_t begin, std::size_t count, const char* what) const;
  std::string text(std::size_t begin, std::size_t count, const char* what) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void read(std::size_t begin, std::size_t count, const char* what, void* to) const;

  std::string path_;
  std::size_t size_ = 0;
  std::unique_ptr<std::FILE, Close> file_;
};

/// A whole file of text. Throws Refusal; one of more than `limit` bytes is refused.
std::string read_text(const std::string& path, std::size_t limit = std::size_t{1} << 26);

/// Writes the file anew. Throws Refusal.
void write_bytes(const std::string& path, const void* head, std::size_t head_size,
                 const void* body = nullptr, std::size_t body_size = 0);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_FILE_BYTES_HPP_

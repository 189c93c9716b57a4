// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/folder.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>

#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/npy.hpp"
#include "bench/dumps/operator_record.hpp"
#include "bench/dumps/raw.hpp"
#include "bench/dumps/refusal.hpp"

namespace dumps {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_folder(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string without_extension(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

/// A .bin can be anything; a shape beside it makes it a tensor.
bool has_shape(const std::string& folder, const std::string& name) {
  struct stat status = {};
  return stat((folder + "/" + without_extension(name) + ".shape").c_str(), &status) == 0;
}

/// Collects the tensors of files and folders.
class DumpWalk {
 public:
  explicit DumpWalk(std::string root) : root_(std::move(root)) {}

  void folder(const std::string& within, int depth) {
    const std::string path = joined(root_, within);
    if (depth > 16) throw Refusal(path + ": folders are nested too deep");
    struct Close {
      void operator()(DIR* d) const { closedir(d); }
    };
    const std::unique_ptr<DIR, Close> open(opendir(path.c_str()));
    if (open == nullptr) throw Refusal(path + ": cannot be read");
    const std::size_t before = entries_.size();
    while (const dirent* item = readdir(open.get())) {
      const std::string name = item->d_name;
      if (name.starts_with('.')) continue;
      const std::string inner = joined(within, name);
      if (is_folder(joined(root_, inner)))
        folder(inner, depth + 1);
      else
        file(joined(root_, inner), within, name);
    }
    if (is_operator_record(path)) add_hashes(path, before);
  }

  void file(const std::string& path, const std::string& within, const std::string& name) {
    if (name.ends_with(".npy")) {
      entries_.push_back({joined(within, without_extension(name)), DumpEntry::File::npy, path});
    } else if (name.ends_with(".raw") ||
               (name.ends_with(".bin") && has_shape(joined(root_, within), name))) {
      entries_.push_back({joined(within, without_extension(name)), DumpEntry::File::raw, path});
    } else if (name.ends_with(".safetensors")) {
      for (const SafetensorsEntry& place : list_safetensors(path))
        entries_.push_back({joined(within, place.name), DumpEntry::File::safetensors, path, place});
    }
  }

  std::vector<DumpEntry> take() { return std::move(entries_); }

 private:
  void add_hashes(const std::string& path, std::size_t first) {
    const OperatorRecord record = read_operator_record(path);
    for (const RecordedTensor& t : record.inputs)
      for (std::size_t i = first; i < entries_.size(); ++i)
        if (entries_[i].path == t.path && t.produced)
          entries_[i].hashes = {t.produced->hash, t.hash};
  }

  std::string root_;
  std::vector<DumpEntry> entries_;
};

/// The place of each name in the manifest; empty without one.
std::map<std::string, std::size_t> manifest_of(const std::string& folder) {
  std::map<std::string, std::size_t> places;
  const std::string path = folder + "/manifest.txt";
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return places;
  const std::string text = read_text(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    for (const char* extension : {".npy", ".raw", ".bin"})
      if (line.ends_with(extension)) line = without_extension(line);
    if (!line.empty() && line[0] != '#') places.try_emplace(line, places.size());
    begin = end + 1;
  }
  return places;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run = [](std::string_view text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t begin = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(begin, at - begin);
      };
      const std::string_view x = run(a, i);
      const std::string_view y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return b[j] != '/' && (a[i] == '/' || a[i] < b[j]);
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // 01 and 1
}

Tensor DumpEntry::read() const {
  switch (file) {
    case File::npy:
      return read_npy(path);
    case File::raw:
      return read_raw(path, without_extension(path) + ".shape");
    case File::safetensors:
      break;
  }
  return read_safetensors(path, place);
}

std::vector<DumpEntry> list_dump(const std::string& path) {
  const bool whole_folder = is_folder(path);
  DumpWalk walk(path);
  if (whole_folder)
    walk.folder("", 0);
  else
    walk.file(path, "", path.substr(path.rfind('/') + 1));
  std::vector<DumpEntry> entries = walk.take();
  if (entries.empty())
    throw Refusal(path + ": there are no tensors (.npy, .safetensors, .raw or .bin with .shape)");
  const auto places = whole_folder ? manifest_of(path) : std::map<std::string, std::size_t>();
  const auto place = [&](const DumpEntry& e) {
    const auto at = places.find(e.name);
    return at == places.end() ? places.size() : at->second;
  };
  std::sort(entries.begin(), entries.end(), [&](const DumpEntry& a, const DumpEntry& b) {
    const std::size_t x = place(a);
    const std::size_t y = place(b);
    return x != y ? x < y : natural_less(a.name, b.name);
  });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[i].name == entries[i - 1].name)
      throw Refusal(path + ": two tensors are called '" + entries[i].name + "'");
  if (!places.empty() && place(entries[0]) == places.size())
    throw Refusal(path + "/manifest.txt: names none of the tensors");
  return entries;
}

}  // namespace dumps

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/operator_record.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <string_view>

#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/npy.hpp"
#include "bench/dumps/refusal.hpp"

namespace dumps {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    if (space != 0) words.emplace_back(line.substr(0, space));
    line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  }
  return words;
}

/// A line of operator.txt.
class RecordLine {
 public:
  RecordLine(std::vector<std::string> words, const std::string& path)
      : words_(std::move(words)), path_(path) {}

  const std::string& word(std::size_t i) const {
    if (i >= words_.size()) throw Refusal(path_ + ": a line of '" + words_[0] + "' is too short");
    return words_[i];
  }
  bool has(std::size_t i, const char* key) const { return i < words_.size() && words_[i] == key; }
  std::uint64_t number(std::size_t i, int base) const {
    char* end = nullptr;
    const std::uint64_t n = std::strtoull(word(i).c_str(), &end, base);
    if (*end != '\0') throw Refusal(path_ + ": '" + word(i) + "' is not a number");
    return n;
  }

 private:
  std::vector<std::string> words_;
  const std::string& path_;
};

RecordedTensor tensor_line(const RecordLine& line, const std::string& folder) {
  RecordedTensor t;
  t.role = line.word(1);
  t.path = folder + "/" + line.word(2);
  t.hash = line.number(4, 16);
  if (line.has(5, "produced")) {
    t.produced = Produced{line.number(6, 16), line.number(8, 10), {}};
    if (line.has(9, "stale")) t.produced->stale = line.number(10, 10);
  } else if (line.has(5, "within")) {
    t.within = line.number(6, 10);
  }
  return t;
}

void read_line(const RecordLine& line, OperatorRecord& record) {
  const std::string& key = line.word(0);
  if (key == "operator")
    record.number = line.number(1, 10);
  else if (key == "name")
    record.name = line.word(1);
  else if (key == "kind")
    record.kind = line.word(1);
  else if (key == "argument")
    record.arguments[line.word(1)] = line.word(2);
  else if (key == "input")
    record.inputs.push_back(tensor_line(line, record.folder));
  else if (key == "output")
    record.outputs.push_back(tensor_line(line, record.folder));
}

}  // namespace

const Tensor* OperatorRecord::input(const std::string& role) const {
  for (const RecordedTensor& t : inputs)
    if (t.role == role) return &t.tensor;
  return nullptr;
}

double OperatorRecord::number_of(const std::string& argument, double otherwise) const {
  const auto at = arguments.find(argument);
  return at == arguments.end() ? otherwise : std::atof(at->second.c_str());
}

std::string OperatorRecord::text_of(const std::string& argument,
                                    const std::string& otherwise) const {
  const auto at = arguments.find(argument);
  return at == arguments.end() ? otherwise : at->second;
}

bool is_operator_record(const std::string& folder) {
  struct stat status = {};
  return stat((folder + "/operator.txt").c_str(), &status) == 0;
}

OperatorRecord read_operator_record(const std::string& folder) {
  const std::string path = folder + "/operator.txt";
  const std::string text = read_text(path, std::size_t{1} << 20);
  constexpr std::string_view magic = "tessera-record 1\n";
  std::string_view rest = text;
  if (!rest.starts_with(magic)) throw Refusal(path + ": does not begin with 'tessera-record 1'");
  OperatorRecord record;
  record.folder = folder;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const auto words = words_of(rest.substr(0, end));
    if (!words.empty()) read_line(RecordLine(words, path), record);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (record.kind.empty() || record.name.empty()) throw Refusal(path + ": has no name or kind");
  return record;
}

void load_tensors(OperatorRecord& record) {
  for (RecordedTensor& t : record.inputs) t.tensor = read_npy(t.path);
  for (RecordedTensor& t : record.outputs) t.tensor = read_npy(t.path);
}

}  // namespace dumps

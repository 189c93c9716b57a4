// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/options.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace op {
namespace {

const Fields flags = {"reference", "check-only", "json"};

std::string joined(const Fields& words) {
  std::string all;
  for (const auto& w : words) all += (all.empty() ? "" : " ") + w;
  return all;
}

bool contains(const Fields& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

const Fields common_fields = {"backend", "units", "split", "seed", "case", "out"};

Options::Options(int argc, char** argv, const std::string& kernel, const Fields& fields) {
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) throw Refusal("'" + word + "': a field begins with --");
    const std::string name = word.substr(2);
    if (given(name)) throw Refusal("--" + name + ": given twice");
    if (contains(flags, name)) {
      values_[name] = "";
      continue;
    }
    if (!contains(fields, name) && !contains(common_fields, name))
      throw Refusal("--" + name + ": " + kernel + " has no such field; it has " + joined(fields) +
                    ", and all kernels have " + joined(common_fields) + " " + joined(flags));
    if (i + 1 == argc) throw Refusal("--" + name + ": a value must follow");
    values_[name] = argv[++i];
  }
}

std::string Options::text(const std::string& name, const std::string& otherwise) const {
  const auto at = values_.find(name);
  return at == values_.end() ? otherwise : at->second;
}

std::int64_t Options::integer(const std::string& name, std::int64_t otherwise) const {
  if (!given(name)) return otherwise;
  const std::string& word = values_.at(name);
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(word.c_str(), &end, 10);
  if (word.empty() || *end != '\0' || errno != 0)
    throw Refusal("--" + name + " " + word + ": not a whole number");
  return value;
}

std::size_t Options::size(const std::string& name, std::size_t otherwise, std::size_t least) const {
  const std::int64_t value = integer(name, static_cast<std::int64_t>(otherwise));
  if (value < static_cast<std::int64_t>(least) || value > INT32_MAX)
    throw Refusal("--" + name + " " + std::to_string(value) + ": must be at least " +
                  std::to_string(least) + " and below 2^31");
  return static_cast<std::size_t>(value);
}

double Options::number(const std::string& name, double otherwise) const {
  if (!given(name)) return otherwise;
  const std::string& word = values_.at(name);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') throw Refusal("--" + name + " " + word + ": not a number");
  return value;
}

std::size_t Options::choice(const std::string& name, const Fields& choices) const {
  if (!given(name)) return 0;
  const auto at = std::find(choices.begin(), choices.end(), values_.at(name));
  if (at == choices.end())
    throw Refusal("--" + name + " " + values_.at(name) + ": must be one of " + joined(choices));
  return static_cast<std::size_t>(at - choices.begin());
}

Range range_of(const std::string& text) {
  const char* p = text.c_str();
  char* end = nullptr;
  const auto begin = std::strtoull(p, &end, 10);
  if (end == p || *end != ':' || *p == '-') throw Refusal("--units " + text + ": write A:B");
  p = end + 1;
  const auto last = std::strtoull(p, &end, 10);
  if (end == p || *end != '\0' || *p == '-') throw Refusal("--units " + text + ": write A:B");
  return {static_cast<std::size_t>(begin), static_cast<std::size_t>(last)};
}

std::size_t elements(std::size_t a, std::size_t b, const std::string& field) {
  constexpr std::size_t limit = std::size_t{1} << 30;
  if (a != 0 && b > limit / a)
    throw Refusal("--" + field + ": an operand of more than 2^30 elements");
  return a * b;
}

}  // namespace op

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/store_log.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

namespace tessera::run {
namespace {

constexpr std::uint64_t interval = 4096;  // of the plugin's marks

void read_line(const std::string& line, StoreLog& log) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "hash" || kind == "end") {
    unsigned thread = 0;
    Mark mark{};
    words >> thread >> mark.stores >> mark.hash;
    ThreadLog& of = log.threads[thread];
    of.marks.push_back(mark);
    of.ended = kind == "end";
  } else if (kind == "store") {
    unsigned thread = 0;
    Store s;
    words >> thread >> s.number >> std::hex >> s.pc >> s.address >> std::dec >> s.size >>
        std::hex >> s.value >> s.symbol;
    log.stores.push_back(s);
  } else if (kind == "misaligned") {
    Misaligned m;
    words >> std::hex >> m.pc >> m.address >> std::dec >> m.size >> m.direction >> m.symbol;
    log.misaligned.push_back(m);
  }
}

std::optional<Stretch> parting_of(unsigned thread, const ThreadLog& a, const ThreadLog& b) {
  const std::size_t common = std::min(a.marks.size(), b.marks.size());
  std::size_t i = 0;
  while (i < common && a.marks[i] == b.marks[i]) ++i;
  const bool whole = i == a.marks.size() && i == b.marks.size();
  if (whole && a.ended && b.ended) return std::nullopt;
  const std::uint64_t from = i == 0 ? 0 : a.marks[i - 1].stores;
  return Stretch{thread, from, from + 2 * interval};
}

}  // namespace

std::uint64_t StoreLog::count() const {
  std::uint64_t sum = 0;
  for (const auto& [thread, log] : threads) sum += log.marks.empty() ? 0 : log.marks.back().stores;
  return sum;
}

StoreLog read_store_log(const std::string& file) {
  StoreLog log;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) read_line(line, log);
  return log;
}

std::vector<Stretch> parting(const StoreLog& a, const StoreLog& b) {
  std::set<unsigned> threads{0};
  for (const auto& [thread, log] : a.threads) threads.insert(thread);
  for (const auto& [thread, log] : b.threads) threads.insert(thread);
  const auto log_of = [](const StoreLog& log, unsigned thread) {
    const auto found = log.threads.find(thread);
    return found == log.threads.end() ? ThreadLog{} : found->second;
  };
  std::vector<Stretch> stretches;
  for (const unsigned thread : threads) {
    if (const auto s = parting_of(thread, log_of(a, thread), log_of(b, thread)))
      stretches.push_back(*s);
  }
  return stretches;
}

std::optional<Difference> first_difference(const StoreLog& a, const StoreLog& b) {
  const std::size_t common = std::min(a.stores.size(), b.stores.size());
  std::size_t i = 0;
  while (i < common && a.stores[i].same_as(b.stores[i])) ++i;
  if (i == a.stores.size() && i == b.stores.size()) return std::nullopt;
  Difference d;
  if (i < a.stores.size()) d.a = a.stores[i];
  if (i < b.stores.size()) d.b = b.stores[i];
  return d;
}

std::string readable_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name != nullptr ? name.get() : symbol;
}

}  // namespace tessera::run

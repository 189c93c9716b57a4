// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/report.hpp"

#include <cstdio>

namespace op {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

}  // namespace

void Report::print(bool json, const std::string& verdict) const {
  if (!json) {
    for (const auto& [key, value] : rows_) std::printf("%s %s\n", key.c_str(), value.c_str());
    std::printf("%s\n", verdict.c_str());
    return;
  }
  std::printf("{");
  for (const auto& [key, value] : rows_)
    std::printf("%s: %s, ", quoted(key).c_str(), quoted(value).c_str());
  std::printf("\"verdict\": %s}\n", quoted(verdict).c_str());
}

}  // namespace op

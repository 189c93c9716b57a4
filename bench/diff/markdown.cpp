// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/diff/reports.hpp"

namespace diff {
namespace {

/// A name as code that cannot end its cell.
std::string as_code(const std::string& name) {
  std::string text = "`";
  for (const char c : name) text += c == '|' || c == '`' ? '?' : c;
  return text + "`";
}

}  // namespace

std::string markdown(const Report& report) {
  std::string text = "## " + report.verdict() + "\n\n" + report.counts() + "\n\n";
  const Row* first = report.first_divergence();
  if (first != nullptr)
    for (const std::string& sentence : findings(*first)) text += "- " + sentence + "\n";
  text +=
      "\n| # | tensor | shape | type | sensitive | insensitive | max abs | cosine | growth | "
      "verdict |\n|--:|---|---|---|--:|--:|--:|--:|--:|---|\n";
  for (const Row& row : report.rows) {
    const tessera::Comparison& c = row.comparison;
    text += "| " + std::to_string(row.place) + " | " + as_code(row.name) + " | ";
    text += dumps::shape_text(row.shape) + " | " + row.types + " | " + figure(c.sensitive) + " | ";
    text += figure(c.insensitive) + " | " + figure(c.max_abs) + " | " + figure(c.cosine) + " | ";
    text += row.growth == 0 ? "" : figure(row.growth);
    const std::string kind = &row == first ? "**" + row.kind() + "**" : row.kind();
    text += " | " + kind + " |\n";
  }
  for (const std::string& name : report.missing)
    text += "\nOnly in the reference: " + as_code(name);
  for (const std::string& name : report.extra) text += "\nNot in the reference: " + as_code(name);
  return text + "\n";
}

}  // namespace diff

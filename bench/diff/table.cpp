// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>

#include "bench/diff/reports.hpp"

namespace diff {
namespace {

using Cells = std::vector<std::string>;

Cells cells_of(const Row& row) {
  const tessera::Comparison& c = row.comparison;
  return {"#" + std::to_string(row.place),
          row.name,
          dumps::shape_text(row.shape),
          row.types,
          figure(c.sensitive),
          figure(c.insensitive),
          figure(c.max_abs),
          figure(c.cosine),
          row.growth == 0 ? "" : figure(row.growth),
          row.kind()};
}

/// Names stand left, figures right.
std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, text.size()), ' ');
  return left ? text + space : space + text;
}

const char* colour_of_verdict(tessera::Verdict verdict) {
  return verdict == tessera::Verdict::equal      ? "\033[32m"
         : verdict == tessera::Verdict::rounding ? "\033[36m"
                                                 : "\033[31m";
}

std::string names(const char* heading, const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += std::string(heading) + " " + name + "\n";
  return text;
}

}  // namespace

std::vector<std::string> findings(const Row& row) {
  std::vector<std::string> text;
  const tessera::Comparison& c = row.comparison;
  const tessera::LayoutMatch& layout = row.judgement.layout;
  if (layout.layout == tessera::Layout::transposed)
    text.push_back("the reference's values with axes " + std::to_string(layout.first) + " and " +
                   std::to_string(layout.second) + " exchanged");
  else if (layout.layout == tessera::Layout::permuted || layout.layout == tessera::Layout::mapped)
    text.push_back("the reference's slices along axis " + std::to_string(layout.first) +
                   (layout.layout == tessera::Layout::permuted ? " in another order"
                                                               : ", some of them repeated"));
  else if (layout.layout == tessera::Layout::shuffled)
    text.emplace_back("the reference's values in another order");
  if (row.judgement.verdict == tessera::Verdict::changed)
    text.emplace_back("the buffer was overwritten after its producer had run");
  if (!row.remark.empty()) text.push_back(row.remark);
  if (c.worst < c.count)
    text.push_back("worst at " + row.worst_index() + ": " + figure(row.computed_worst) + " for " +
                   figure(row.reference_worst) + "; " + std::to_string(c.differing) + " of " +
                   std::to_string(c.count) + " differ, from element " + std::to_string(c.first) +
                   " on");
  return text;
}

std::string table(const Report& report, bool colour) {
  std::vector<Cells> lines = {{"#", "tensor", "shape", "type", "sensitive", "insensitive",
                               "max abs", "cosine", "growth", "verdict"}};
  for (const Row& row : report.rows) lines.push_back(cells_of(row));
  std::vector<std::size_t> widths(lines[0].size());
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  const Row* first = report.first_divergence();
  std::string text;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const Row* row = l == 0 ? nullptr : &report.rows[l - 1];
    text += row != nullptr && row == first ? "> " : "  ";
    const std::size_t last = widths.size() - 1;
    for (std::size_t i = 0; i < last; ++i)
      text += padded(lines[l][i], widths[i], i >= 1 && i <= 3) + "  ";
    const bool coloured = colour && row != nullptr;
    if (coloured) text += colour_of_verdict(row->judgement.verdict);
    text += lines[l][last];
    if (coloured) text += "\033[0m";
    text += '\n';
  }
  text += names("only in the reference:", report.missing);
  text += names("not in the reference:", report.extra);
  if (first != nullptr)
    for (const std::string& sentence : findings(*first))
      text += first->name + ": " + sentence + "\n";
  text += report.counts() + "\n";
  return text + report.verdict() + "\n";
}

}  // namespace diff

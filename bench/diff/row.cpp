// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/diff/row.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "bench/dumps/refusal.hpp"

namespace diff {
namespace {

using dumps::DumpEntry;
using dumps::Tensor;

/// What the numbers alone say about the cause.
std::string cause_of(const tessera::Comparison& c, tessera::RoundingLimits limits) {
  if (c.mismatched != 0 && c.overflowed == c.mismatched)
    return "infinite where the reference is beyond f16's 65504";
  if (c.mismatched != 0)
    return std::to_string(c.mismatched) + " elements are NaN or infinite on one side only";
  if (c.beside <= limits.sensitive && std::fabs(c.factor - 1) > limits.sensitive)
    return figure(c.factor) + " times the reference";
  if (c.first > c.count / 2) return "the first half is right";
  return "";
}

/// Sizes that cannot be compared element by element.
Row unlike_sizes(const Tensor& a, const Tensor& b) {
  Row row;
  row.judgement.verdict = tessera::Verdict::wrong;
  row.remark =
      "the shapes are " + dumps::shape_text(a.shape) + " and " + dumps::shape_text(b.shape);
  row.comparison.sensitive = std::numeric_limits<double>::infinity();
  row.comparison.insensitive = std::numeric_limits<double>::infinity();
  return row;
}

Row compare_tensors(const Tensor& a, const Tensor& b, tessera::BufferHashes hashes,
                    const Comparing& how) {
  const tessera::Elements x = a.elements();
  const tessera::Elements y = b.elements();
  if (x.count != y.count) return unlike_sizes(a, b);
  Row row;
  std::vector<std::uint32_t> workspace(tessera::compare_workspace(x.count));
  if (tessera::compare(x, y, workspace, &row.comparison) != tessera::Status::ok) return row;
  const tessera::Element coarser = x.type < y.type ? x.type : y.type;
  const auto limits =
      how.limit ? tessera::rounding_limits(*how.limit) : tessera::rounding_limits(coarser);
  row.judgement = tessera::judge(row.comparison, x, y, b.shape, limits, hashes);
  if (row.judgement.verdict == tessera::Verdict::wrong)
    row.remark = cause_of(row.comparison, limits);
  if (a.shape != b.shape && row.remark.empty())
    row.remark = "its shape is " + dumps::shape_text(a.shape);
  if (row.comparison.worst < x.count) {
    row.computed_worst = tessera::internal::element(x, row.comparison.worst);
    row.reference_worst = tessera::internal::element(y, row.comparison.worst);
  }
  if (how.heat_maps) row.heat = heat_map(x, y, b.shape, row.comparison.rms);
  return row;
}

Row compare_entries(const DumpEntry& computed, const DumpEntry& reference, const Comparing& how) {
  const Tensor a = computed.read();
  const Tensor b = reference.read();
  Row row = compare_tensors(a, b, computed.hashes, how);
  row.name = reference.name;
  row.shape = b.shape;
  row.types = name(b.type);
  if (a.type != b.type) row.types = std::string(name(a.type)) + "/" + row.types;
  return row;
}

/// Without the numbers that its parts begin with: another graph may count otherwise.
std::string unnumbered(const std::string& name) {
  std::string text;
  bool at_start = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (at_start && (digit || name[i] == '_' || name[i] == '-' || name[i] == '.')) continue;
    at_start = name[i] == '/';
    text += name[i];
  }
  return text;
}

/// For each reference its counterpart: of the same name, or else the only one left whose name is the
/// same without numbers; null if there is none.
std::vector<const DumpEntry*> partners_of(const std::vector<DumpEntry>& reference,
                                          const std::vector<DumpEntry>& computed) {
  std::map<std::string, const DumpEntry*> by_name;
  for (const DumpEntry& e : computed) by_name[e.name] = &e;
  std::vector<const DumpEntry*> partners;
  std::map<std::string, std::vector<std::size_t>> wanted;
  for (const DumpEntry& e : reference) {
    const auto match = by_name.find(e.name);
    if (match == by_name.end()) wanted[unnumbered(e.name)].push_back(partners.size());
    partners.push_back(match == by_name.end() ? nullptr : match->second);
    if (match != by_name.end()) by_name.erase(match);
  }
  std::map<std::string, std::vector<const DumpEntry*>> left;
  for (const auto& [name, entry] : by_name) left[unnumbered(name)].push_back(entry);
  for (const auto& [name, places] : wanted)
    if (const auto at = left.find(name);
        !name.empty() && places.size() == 1 && at != left.end() && at->second.size() == 1)
      partners[places[0]] = at->second[0];
  return partners;
}

}  // namespace

std::string figure(double x) {
  char text[32];
  if (x == 0) return "0";
  if (std::isnan(x)) return "-";
  const double size = std::fabs(x);
  std::snprintf(text, sizeof text, size >= 0.01 && size < 1000 ? "%.3g" : "%.1e", x);
  return text;
}

std::string Row::kind() const {
  std::string text = tessera::name(judgement.verdict);
  const tessera::LayoutMatch& layout = judgement.layout;
  if (layout.layout == tessera::Layout::none) return text;
  text += std::string(" (") + tessera::name(layout.layout);
  if (layout.layout != tessera::Layout::shuffled) text += " " + std::to_string(layout.first);
  if (layout.layout == tessera::Layout::transposed) text += " " + std::to_string(layout.second);
  return text + ")";
}

std::string Row::worst_index() const {
  std::string text;
  std::size_t rest = comparison.worst;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::size_t size = shape[axis] == 0 ? 1 : shape[axis];
    std::string index = std::to_string(rest % size);
    if (!text.empty()) index += ", ";
    text.insert(0, index);
    rest /= size;
  }
  return "[" + text + "]";
}

const Row* Report::first_divergence() const {
  for (const Row& row : rows)
    if (row.diverges()) return &row;
  return nullptr;
}

std::string Report::verdict() const {
  const Row* first = first_divergence();
  if (first == nullptr) return "first divergence none";
  return "first divergence " + first->name + " " + tessera::name(first->judgement.verdict) +
         " sensitive " + figure(first->comparison.sensitive) + " insensitive " +
         figure(first->comparison.insensitive);
}

std::string Report::counts() const {
  std::string text;
  using tessera::Verdict;
  for (const Verdict verdict :
       {Verdict::equal, Verdict::rounding, Verdict::layout, Verdict::wrong, Verdict::changed}) {
    std::size_t count = 0;
    for (const Row& row : rows) count += row.judgement.verdict == verdict;
    if (count == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + tessera::name(verdict);
  }
  return text;
}

Report compare_dumps(const std::vector<DumpEntry>& computed,
                     const std::vector<DumpEntry>& reference, const Comparing& how) {
  Report report;
  const std::vector<const DumpEntry*> partners = partners_of(reference, computed);
  const std::set<const DumpEntry*> used(partners.begin(), partners.end());
  double first_error = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (partners[i] == nullptr) {
      report.missing.push_back(reference[i].name);
      continue;
    }
    Row row = compare_entries(*partners[i], reference[i], how);
    row.place = i + 1;
    if (first_error == 0 && row.diverges()) first_error = row.comparison.sensitive;
    row.growth = first_error == 0 ? 0 : row.comparison.sensitive / first_error;
    report.rows.push_back(row);
  }
  for (const DumpEntry& e : computed)
    if (used.count(&e) == 0) report.extra.push_back(e.name);
  if (report.rows.empty())
    throw dumps::Refusal("the two have no tensor in common: '" + computed[0].name + "' and '" +
                         reference[0].name + "' are their first");
  return report;
}

}  // namespace diff

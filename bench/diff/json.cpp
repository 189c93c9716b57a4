// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/diff/reports.hpp"
#include "bench/dumps/json_writer.hpp"

namespace diff {
namespace {

using dumps::json_array;
using dumps::json_quoted;
using dumps::JsonObject;

std::string json_census(const tessera::NonFinite& n) {
  JsonObject object;
  object.add("nan", n.nan);
  object.add("plus_infinity", n.plus);
  object.add("minus_infinity", n.minus);
  return object.text();
}

std::string json_row(const Row& row) {
  const tessera::Comparison& c = row.comparison;
  const auto number = [](std::size_t n) { return std::to_string(n); };
  JsonObject o;
  o.add("place", row.place);
  o.add("name", row.name);
  o.raw("shape", json_array(row.shape, number));
  o.add("type", row.types);
  o.add("verdict", tessera::name(row.judgement.verdict));
  o.add("layout", tessera::name(row.judgement.layout.layout));
  o.add("elements", c.count);
  o.add("differing", c.differing);
  o.add("first", c.first);
  o.add("worst", c.worst);
  o.add("sensitive", c.sensitive);
  o.add("insensitive", c.insensitive);
  o.add("max_abs", c.max_abs);
  o.add("max_rel", c.max_rel);
  o.add("nmse", c.nmse);
  o.add("cosine", c.cosine);
  o.add("factor", c.factor);
  o.add("growth", row.growth);
  o.raw("ulps", json_array(c.ulps, number));
  o.raw("computed", json_census(c.computed));
  o.raw("reference", json_census(c.reference));
  o.raw("findings", json_array(findings(row), [](const std::string& s) { return json_quoted(s); }));
  return o.text();
}

}  // namespace

std::string json(const Report& report) {
  const auto quoted = [](const std::string& s) { return json_quoted(s); };
  const Row* first = report.first_divergence();
  JsonObject o;
  o.raw("first_divergence", first == nullptr ? "null" : json_quoted(first->name));
  o.add("verdict", report.verdict());
  o.raw("missing", json_array(report.missing, quoted));
  o.raw("extra", json_array(report.extra, quoted));
  o.raw("rows", json_array(report.rows, json_row));
  return o.text() + "\n";
}

}  // namespace diff

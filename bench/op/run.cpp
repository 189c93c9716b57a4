// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/run.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "bench/op/atoms.hpp"
#include "tests/identity/digest.hpp"
#include "tests/support/random.hpp"

namespace op {
namespace {

/// Elements that a range of units leaves alone: a NaN of a payload that no kernel computes.
constexpr std::uint32_t untouched_bits = 0x7fc0dead;

std::uint32_t bits(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
bool is_nan(float x) {
  return x != x;
}
bool same(float a, float b) {
  return bits(a) == bits(b) || (is_nan(a) && is_nan(b));
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// Mean squared error over mean square; values the reference does not define are left out.
double nmse(const std::vector<float>& got, const reference::Expected& want) {
  double error = 0;
  double scale = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (bits(got[i]) == untouched_bits || !std::isfinite(want.value[i])) continue;
    const double e = double{got[i]} - want.value[i];
    error += e * e;
    scale += want.value[i] * want.value[i];
  }
  return error == 0 ? 0 : error / scale;
}

/// The first written element that is not scalar's, or is outside the reference's limit; else the size.
std::size_t first_wrong(const std::vector<float>& got, const std::vector<float>& scalar,
                        const reference::Expected* want) {
  std::size_t i = 0;
  for (; i < got.size(); ++i) {
    if (bits(got[i]) == untouched_bits) continue;
    if (!same(got[i], scalar[i])) break;
    if (want == nullptr || !std::isfinite(want->value[i]) || !std::isfinite(want->limit[i]))
      continue;
    if (!(std::fabs(double{got[i]} - want->value[i]) <= want->limit[i])) break;
  }
  return i;
}

}  // namespace

std::vector<float> untouched_values(std::size_t count) {
  std::vector<float> values(count);
  for (float& x : values) std::memcpy(&x, &untouched_bits, sizeof x);
  return values;
}

bool names_file(const Options& options, const std::string& field) {
  const std::string path = options.text(field, "");
  return path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
}

std::size_t dimension(const Options& options, const std::string& name, std::size_t otherwise,
                      const std::string& file_field, std::size_t axis, std::size_t least) {
  if (names_file(options, file_field)) {
    const Array array = read_npy(options.text(file_field, ""));
    if (axis >= array.shape.size())
      throw Refusal("--" + file_field + ": the array has too few dimensions");
    otherwise = array.shape[axis];
  }
  return options.size(name, otherwise, least);
}

std::vector<float> operand(const Options& options, const std::string& field,
                           const std::vector<std::size_t>& shape, std::uint64_t stream) {
  if (names_file(options, field)) {
    Array array = read_npy(options.text(field, ""));
    if (array.shape != shape)
      throw Refusal("--" + field + ": the array is " + shape_text(array.shape) + " and must be " +
                    shape_text(shape));
    return array.values;
  }
  std::size_t count = 1;
  for (const std::size_t n : shape) count = elements(count, n, field);
  using tessera_test::Fill;
  const Fill kinds[] = {Fill::gaussian, Fill::one_hot, Fill::extreme};
  const auto kind = kinds[options.choice("case", {"gaussian", "one-hot", "extreme"})];
  tessera_test::Random random(static_cast<std::uint64_t>(options.integer("seed", 1)) * 16 + stream);
  std::vector<float> x(count);
  tessera_test::fill(std::span<float>(x), kind, random, 0x1p10f);
  return x;
}

Cut cut_of(const Options& options) {
  Cut cut;
  cut.given = options.given("units");
  if (cut.given) cut.units = range_of(options.text("units", ""));
  if (cut.given && options.given("split"))
    throw Refusal("--split: all units or the range of --units, not both");
  cut.split = options.size("split", 1);
  return cut;
}

int answer(const Options& options, Question question) {
  const bool json = options.flag("json");
  const bool check_only = options.flag("check-only");
  const std::string atoms = retired_atoms(question.atom);  // before scalar's run
  Report report;
  report.add("instance", question.instance);
  report.add("shape", question.shape);
  const Outcome& got = question.outcome;
  report.add("status", tessera::message(got.status));
  if (got.status != tessera::Status::ok) {
    report.print(json, std::string("refused ") + tessera::message(got.status));
    return refused;
  }
  report.add("workspace",
             std::to_string(got.workspace.shared) + " + " + std::to_string(got.workspace.scratch));
  report.add("packed", got.packed);
  report.add("macs", question.macs);
  if (check_only) {
    report.print(json, "not run");
    return good;
  }
  report.add("atoms", atoms);
  report.add("decodes", question.decodes);
  identity::Digest digest;
  for (const float x : got.values) digest.add(x);
  char hash[32];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(digest.value()));
  report.add("digest", hash);
  reference::Expected want;
  const bool with_reference = options.flag("reference");
  if (with_reference) {
    want = question.reference();
    report.add("nmse", text_of(nmse(got.values, want)));
  }
  if (options.given("out")) write_npy(options.text("out", ""), {question.out_shape, got.values});
  const std::size_t i =
      first_wrong(got.values, question.scalar(), with_reference ? &want : nullptr);
  if (i != got.values.size()) {
    report.print(json, "wrong " + std::to_string(i));
    return wrong;
  }
  report.print(json, "identical scalar");
  return good;
}

}  // namespace op

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// tessera-onnx-compare LIBRARY [OPERATOR]: every case as a graph of two nodes with the same inputs, ONNX Runtime's own
// operator and that of LIBRARY, run in one session and compared with each other and with a computation in double.
// Exit 1 if a case diverges.
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>

#include "examples/onnx/comparison/cases.hpp"
#include "examples/onnx/comparison/session.hpp"
#include "tessera/compare.hpp"

namespace tessera_onnx {
namespace {

/// Several outputs together: the worst of each.
struct Result {
  double max_abs = 0, nmse = 0;
  tessera::Verdict verdict = tessera::Verdict::equal;

  void add(const Result& r) {
    max_abs = std::fmax(max_abs, r.max_abs);
    nmse = std::fmax(nmse, r.nmse);
    if (r.verdict > verdict) verdict = r.verdict;
  }
};

template <class T>
tessera::Elements elements(const std::vector<T>& x) {
  return {x.data(), x.size(),
          std::is_same_v<T, double> ? tessera::Element::f64 : tessera::Element::f32};
}

/// Where `specified` is a number.
template <class T>
std::vector<T> where(const Numbers& specified, const std::vector<T>& x) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isnan(specified[i])) kept.push_back(x[i]);
  return kept;
}

template <class T>
Result compare(const std::vector<std::vector<float>>& computed,
               const std::vector<std::vector<T>>& reference, const std::vector<Numbers>& specified,
               double limit) {
  Result worst;
  for (std::size_t i = 0; i < specified.size(); ++i) {
    if (computed[i].size() != specified[i].size() || reference[i].size() != specified[i].size()) {
      worst.add({INFINITY, INFINITY, tessera::Verdict::wrong});
      continue;
    }
    const auto a = where(specified[i], computed[i]);
    const auto b = where(specified[i], reference[i]);
    std::vector<std::uint32_t> workspace(tessera::compare_workspace(a.size()));
    tessera::Comparison c;
    if (tessera::compare(elements(a), elements(b), workspace, &c) != tessera::Status::ok)
      throw std::logic_error("tensors that cannot be compared");
    const tessera::Judgement j =
        tessera::judge(c, elements(a), elements(b), {}, tessera::rounding_limits(limit));
    worst.add({c.max_abs, c.nmse, j.verdict});
  }
  return worst;
}

/// Domains, and the attributes that their nodes have besides the case's.
using Nodes = std::vector<std::pair<std::string, std::vector<Attribute>>>;

/// The outputs of one node.
struct Outputs {
  std::vector<std::string> names;
  std::vector<std::vector<float>> values;
};

/// The case's inputs, and a node of each of the domains.
Model model_of(const Case& c, const Nodes& nodes, std::map<std::string, Array>& inputs,
               std::vector<Outputs>& outputs) {
  Model model;
  std::vector<std::string> names;
  for (const Input& input : c.inputs) {
    const bool left_out = input.array.shape.empty();
    names.push_back(left_out ? "" : input.name);
    if (left_out) continue;
    if (input.constant) {
      model.constant(input.name, input.array);
    } else {
      model.input(input.name, input.array);
      inputs[input.name] = input.array;
    }
  }
  while (names.back().empty()) names.pop_back();
  for (const auto& [domain, more] : nodes) {
    Outputs of_node;
    for (std::size_t i = 0; i < c.expected.size(); ++i) {
      of_node.names.push_back("output" + std::to_string(outputs.size()) + "_" + std::to_string(i));
      model.output(of_node.names.back(), Type::f32);
    }
    std::vector<Attribute> attributes = c.attributes;
    attributes.insert(attributes.end(), more.begin(), more.end());
    model.node(domain, c.op, names, of_node.names, attributes);
    outputs.push_back(of_node);
  }
  return model;
}

constexpr const char* stock = "com.microsoft";
constexpr const char* own = "tessera";

/// The nodes' outputs, in one session.
std::vector<Outputs> run(const Runtime& runtime, const Case& c, const Nodes& nodes) {
  std::map<std::string, Array> inputs;
  std::vector<Outputs> outputs;
  const Model model = model_of(c, nodes, inputs, outputs);
  std::vector<std::string> names;
  for (const Outputs& o : outputs) names.insert(names.end(), o.names.begin(), o.names.end());
  const auto values = runtime.run(model, inputs, names);
  std::size_t next = 0;
  for (Outputs& o : outputs)
    for (std::size_t i = 0; i < o.names.size(); ++i) o.values.push_back(values[next++]);
  return outputs;
}

/// What the stock operator refuses, alone; nothing if it is content.
std::optional<std::string> refusal(const Runtime& runtime, const Case& c) {
  try {
    static_cast<void>(run(runtime, c, {{stock, {}}}));
    return std::nullopt;
  } catch (const std::exception& e) {
    return e.what();
  }
}

class Report {
 public:
  void add(const Case& c, const std::string& pair, const Result& r) {
    std::printf("%-20s %-52s %-34s %9.2e %9.2e %s\n", c.op.c_str(), c.name.c_str(), pair.c_str(),
                r.max_abs, r.nmse, tessera::name(r.verdict));
    if (tessera::diverges(r.verdict)) failed_ = true;
    for (Row& row : rows_)
      if (row.op == c.op && row.pair == pair) {
        row.worst.add(r);
        ++row.cases;
        return;
      }
    rows_.push_back({c.op, pair, r, 1});
  }
  void refuse(const Case& c, const std::string& why) {
    std::printf("%-20s %-52s not compared, the stock operator refuses it: %s\n", c.op.c_str(),
                c.name.c_str(), why.substr(0, 80).c_str());
    ++refused_;
  }
  void fail(const Case& c, const std::string& why) {
    std::printf("%-20s %-52s failed: %s\n", c.op.c_str(), c.name.c_str(), why.c_str());
    failed_ = true;
  }
  /// Exit code.
  int finish() const {
    std::printf(
        "\n| operator | compared | cases | max error | NMSE | verdict "
        "|\n|---|---|---|---|---|---|\n");
    for (const Row& row : rows_)
      std::printf("| %s | %s | %zu | %.1e | %.1e | %s |\n", row.op.c_str(), row.pair.c_str(),
                  row.cases, row.worst.max_abs, row.worst.nmse, tessera::name(row.worst.verdict));
    std::printf("\n%d not compared; %s\n", refused_,
                failed_ ? "ONNX Runtime differs" : "ONNX Runtime agrees");
    return failed_ || rows_.empty() ? 1 : 0;
  }

 private:
  struct Row {
    std::string op, pair;
    Result worst;
    std::size_t cases;
  };
  std::vector<Row> rows_;
  int refused_ = 0;
  bool failed_ = false;
};

void compare_case(const Runtime& runtime, const Case& c, Report& report) {
  try {
    if (c.may_be_missing)
      if (const auto why = refusal(runtime, c)) {
        report.refuse(c, *why);
        const auto outputs = run(runtime, c, {{own, {}}});
        report.add(c, "tessera, double",
                   compare(outputs[0].values, c.expected, c.expected, c.own_limit));
        return;
      }
    Nodes nodes = {{stock, {}}, {own, {}}};
    if (!c.other_way.empty()) nodes.push_back({stock, c.other_way});
    const auto outputs = run(runtime, c, nodes);
    report.add(c, "stock, double", compare(outputs[0].values, c.expected, c.expected, c.limit));
    if (!c.other_way.empty())
      report.add(c, "stock with " + c.other_way[0].name + ", double",
                 compare(outputs[2].values, c.expected, c.expected, c.own_limit));
    report.add(c, "tessera, double",
               compare(outputs[1].values, c.expected, c.expected, c.own_limit));
    if (!c.as_defined.empty())
      report.add(c, "tessera, its definition in double",
                 compare(outputs[1].values, c.as_defined, c.expected, c.limit));
    report.add(c, "tessera, stock",
               compare(outputs[1].values, outputs[0].values, c.expected, c.own_limit));
  } catch (const std::exception& e) {
    report.fail(c, e.what());
  }
}

}  // namespace
}  // namespace tessera_onnx

int main(int argc, char** argv) {
  using namespace tessera_onnx;
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: tessera-onnx-compare LIBRARY [OPERATOR]\n");
    return 2;
  }
  try {
    const Runtime runtime(argv[1]);
    std::printf("ONNX Runtime %s\n", Runtime::version().c_str());
    Report report;
    for (const auto& cases :
         {mat_mul_nbits_cases(), rotary_embedding_cases(), group_query_attention_cases()})
      for (const Case& c : cases)
        if (argc == 2 || c.op == argv[2]) compare_case(runtime, c, report);
    return report.finish();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tessera-onnx-compare: %s\n", e.what());
    return 1;
  }
}

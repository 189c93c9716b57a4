// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/reference/matmul.hpp"
#include "bench/op/matmul_run.hpp"

namespace op {
namespace {

struct FormatOf {
  std::string name;
  bool is_float;
};

FormatOf format_of(const Options& options) {
  std::vector<FormatOf> all;
  std::vector<std::string> names;
  for_each_format([&]<class F>(tessera::Type<F>) {
    all.push_back({F::name, F::is_float});
    names.push_back(F::name);
  });
  return all[options.choice("format", names)];
}

/// Scalar in its own layout, whole.
Outcome scalar_product(const std::string& format, MatmulProblem p) {
  p.cut = {};
  Outcome out;
  for_each_format([&]<class F>(tessera::Type<F>) {
    if (format == F::name)
      out = multiply<tessera::backend::scalar, F, tessera::tile::scalar>(p, false);
  });
  return out;
}

reference::Expected exact_product(const std::string& format, const MatmulProblem& p) {
  reference::Expected want;
  for_each_format([&]<class F>(tessera::Type<F>) {
    if (format != F::name) return;
    const auto in =
        reference::activations<F>(p.a.data(), p.m, p.k, static_cast<std::ptrdiff_t>(p.k));
    want = reference::matmul<F>(in.seen, reference::stored<F>(p.b.data(), p.n, p.k));
  });
  return want;
}

}  // namespace

int run_matmul(int argc, char** argv) {
  const Options options(argc, argv, "matmul", {"format", "m", "n", "k", "layout", "a", "b"});
  const FormatOf format = format_of(options);
  MatmulProblem p;
  p.m = dimension(options, "m", 8, "a", 0);
  p.k = dimension(options, "k", 64, "a", 1);
  p.n = dimension(options, "n", 48, "b", 0);
  elements(p.m, p.n, "n");
  p.cut = cut_of(options);
  p.a = operand(options, "a", {p.m, p.k}, 0);
  p.b = operand(options, "b", {p.n, p.k}, 1);
  Question q;
  Instance instance;
  const Outcome out =
      format.is_float
          ? multiply_floats(options, format.name, p, options.flag("check-only"), instance)
          : multiply_blocks(options, format.name, p, options.flag("check-only"), instance);
  q.instance = instance.text;
  q.atom = instance.atom;
  q.shape = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
  q.macs = p.m * p.n * p.k;
  q.out_shape = {p.m, p.n};
  q.outcome = out;
  q.scalar = [&] { return scalar_product(format.name, p).values; };
  q.reference = [&] { return exact_product(format.name, p); };
  return answer(options, q);
}

}  // namespace op

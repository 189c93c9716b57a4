// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// matmul_experts: ids are drawn by --seed.
#include "tests/reference/matmul_experts.hpp"

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tessera/matmul_experts.hpp"
#include "tests/support/random.hpp"

namespace op {
namespace {

/// Formats of every kind of kernel.
using Formats = tessera::TypeList<tessera::format::q4_0, tessera::format::q8_0,
                                  tessera::format::q4_K, tessera::format::f16>;

struct Problem {
  std::size_t experts, used, slots, tokens, n, k;
  std::vector<float> a, b;
  std::vector<std::int32_t> ids;
  Cut cut;
};

template <class B, class F>
Outcome multiply(const Problem& p, bool check_only) {
  using T = tessera::tile_for<F, B>;
  const std::size_t bytes = tessera::packed_size<F, T>(p.n, p.k);
  Outcome out;
  out.packed = p.experts * bytes;
  AlignedBytes images(out.packed);
  for (std::size_t e = 0; e < p.experts; ++e) {
    out.status = tessera::pack_weights<F, T>(tessera::matrix(p.b.data() + e * p.n * p.k, p.n, p.k),
                                             images.span().subspan(e * bytes, bytes));
    if (out.status != tessera::Status::ok) return out;
  }
  out.values = untouched_values(p.tokens * p.used * p.n);
  tessera::MatmulExpertsArgs<F, T> args;
  args.a = tessera::slot_view(p.a.data(), p.tokens, p.slots, p.k);
  args.b = {images.span(), p.n, p.k};
  args.experts = p.experts;
  args.ids = tessera::slot_view(p.ids.data(), p.tokens, p.used, 1);
  args.c = tessera::slot_view(out.values.data(), p.tokens, p.used, p.n);
  out.workspace = tessera::workspace_size<B>(args);
  AlignedBytes shared(out.workspace.shared);
  AlignedBytes scratch(out.workspace.scratch);
  args.workspace = {shared.span(), scratch.span()};
  out.status = run_phases<B>(args, p.cut, check_only, [&](std::size_t phase, auto range) {
    return tessera::matmul_experts_phase<B>(args, phase, range);
  });
  return out;
}

template <class F>
reference::Expected exact(const Problem& p) {
  std::vector<float> rows;
  for (std::size_t i = 0; i < p.ids.size(); ++i) {
    const float* row = p.a.data() + (i / p.used * p.slots + i % p.used % p.slots) * p.k;
    rows.insert(rows.end(), row, row + p.k);
  }
  std::vector<reference::Matrix> experts;
  for (std::size_t e = 0; e < p.experts; ++e)
    experts.push_back(reference::stored<F>(p.b.data() + e * p.n * p.k, p.n, p.k));
  const auto in =
      reference::activations<F>(rows.data(), p.ids.size(), p.k, static_cast<std::ptrdiff_t>(p.k));
  return reference::matmul_experts<F>(in.seen, experts, p.ids);
}

}  // namespace

int run_matmul_experts(int argc, char** argv) {
  const Options options(argc, argv, "matmul_experts",
                        {"format", "experts", "used", "slots", "tokens", "n", "k", "id", "a", "b"});
  Problem p;
  p.experts = options.size("experts", 8);
  p.used = options.size("used", 2);
  p.slots = options.size("slots", 1);
  p.tokens = options.size("tokens", 5);
  p.n = options.size("n", 48);
  p.k = options.size("k", 64);
  elements(elements(p.experts, p.n, "n"), p.k, "k");
  elements(elements(p.tokens, p.used, "used"), p.n, "n");
  elements(elements(p.tokens, p.slots, "slots"), p.k, "k");
  p.cut = cut_of(options);
  p.a = operand(options, "a", {p.tokens, p.slots, p.k}, 0);
  p.b = operand(options, "b", {p.experts, p.n, p.k}, 1);
  tessera_test::Random random(static_cast<std::uint64_t>(options.integer("seed", 1)));
  for (std::size_t i = 0; i < p.tokens * p.used; ++i)
    p.ids.push_back(static_cast<std::int32_t>(random.below(p.experts)));
  if (options.given("id")) p.ids[0] = static_cast<std::int32_t>(options.integer("id", 0));
  std::vector<std::string> names;
  Formats::for_each([&]<class F>(tessera::Type<F>) { names.push_back(F::name); });
  const std::string format = names[options.choice("format", names)];
  Question q;
  Formats::for_each([&]<class F>(tessera::Type<F>) {
    if (format != F::name) return;
    with_backend(options, [&]<class B>(tessera::Type<B>) {
      q.instance = std::string("matmul_experts ") + B::name + " " + F::name + " (" +
                   (F::is_float ? B::float_via : B::dot_via) + ")";
      q.atom = F::is_float ? B::FloatAtom::name : B::DotAtom::name;
      q.outcome = multiply<B, F>(p, options.flag("check-only"));
    });
    q.scalar = [&] {
      Problem whole = p;
      whole.cut = {};
      return multiply<tessera::backend::scalar, F>(whole, false).values;
    };
    q.reference = [&] { return exact<F>(p); };
  });
  q.shape = std::to_string(p.experts) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) +
            " tokens " + std::to_string(p.tokens) + " used " + std::to_string(p.used);
  q.macs = p.ids.size() * p.n * p.k;
  q.out_shape = {p.tokens, p.used, p.n};
  return answer(options, q);
}

}  // namespace op

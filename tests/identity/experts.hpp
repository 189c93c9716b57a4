// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Products with experts, gated pairs of products, and products from and to 16-bit floats, on one backend.
#ifndef TESSERA_TESTS_IDENTITY_EXPERTS_HPP_
#define TESSERA_TESTS_IDENTITY_EXPERTS_HPP_

#include "tessera/matmul_experts.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/matmul_experts.hpp"

namespace identity {

/// The operands of one case; weights of all experts, and one matrix more for the pairs' second halves.
template <class B, class F>
struct ExpertsProblem {
  using T = tessera::tile_for<F, B>;
  ExpertsCase s;
  std::vector<float> a;
  std::vector<float> w;
  std::vector<std::int32_t> ids;
  AlignedBytes images;

  explicit ExpertsProblem(const ExpertsCase& of)
      : s(of),
        a(draw(s.tokens * s.slots * s.k, Fill::gaussian, 9000)),
        w(draw((s.experts + 1) * s.n * s.k, Fill::gaussian, 9001)),
        images((s.experts + 1) * bytes()) {
    tessera_test::Random random(9002);
    for (std::size_t e = 0; e <= s.experts; ++e)
      must(tessera::pack_weights<F, T>(
               tessera::matrix<const float>(w.data() + e * s.n * s.k, s.n, s.k),
               images.span().subspan(e * bytes(), bytes())),
           "experts");
    for (std::size_t p = 0; p < s.tokens * s.used; ++p)
      ids.push_back(static_cast<std::int32_t>(random.below(s.experts)));
  }
  std::size_t bytes() const { return tessera::packed_size<F, T>(s.n, s.k); }

  template <class Args>
  std::vector<float> run(Args args) {
    std::vector<float> c(ids.size() * s.n);
    args.a = tessera::slot_view<const float>(a.data(), s.tokens, s.slots, s.k);
    args.experts = s.experts;
    args.ids = tessera::slot_view<const std::int32_t>(ids.data(), s.tokens, s.used, 1);
    args.c = tessera::slot_view(c.data(), s.tokens, s.used, s.n);
    const auto need = tessera::workspace_size<B>(args);
    AlignedBytes shared(need.shared);
    AlignedBytes scratch(need.scratch);
    args.workspace = {shared.span(), scratch.span()};
    must(tessera::matmul_experts<B>(args), "experts");
    return c;
  }
  std::vector<float> product() {
    tessera::MatmulExpertsArgs<F, T> args;
    args.b = {images.span(), s.n, s.k};
    return run(args);
  }
  std::vector<float> gated() {
    tessera::MatmulExpertsArgs<F, T, float, float, tessera::PackedPair<F, T>> args;
    args.b = {images.span(), images.span().subspan(bytes()), s.n, s.k};
    return run(args);
  }
  /// By the weights of the ids plus `next`.
  reference::Expected expected(std::int32_t next) const {
    std::vector<float> rows;
    std::vector<std::int32_t> of;
    for (std::size_t p = 0; p < ids.size(); ++p) {
      const float* row = a.data() + (p / s.used * s.slots + p % s.used % s.slots) * s.k;
      rows.insert(rows.end(), row, row + s.k);
      of.push_back(ids[p] + next);
    }
    std::vector<reference::Matrix> experts;
    for (std::size_t e = 0; e <= s.experts; ++e)
      experts.push_back(reference::stored<F>(w.data() + e * s.n * s.k, s.n, s.k));
    const auto in =
        reference::activations<F>(rows.data(), of.size(), s.k, static_cast<std::ptrdiff_t>(s.k));
    return reference::matmul_experts<F>(in.seen, experts, of);
  }
};

/// silu(g) * u; the slope of silu is at most 1.1.
inline reference::Expected gated(const reference::Expected& g, const reference::Expected& u) {
  reference::Expected y;
  for (std::size_t i = 0; i < g.value.size(); ++i) {
    const double silu = g.value[i] / (1 + std::exp(-g.value[i]));
    const double off = 1.1 * g.limit[i] + reference::relative_limit(6.0) * std::fabs(silu);
    y.value.push_back(silu * u.value[i]);
    y.limit.push_back(off * (std::fabs(u.value[i]) + u.limit[i]) + std::fabs(silu) * u.limit[i] +
                      reference::relative_limit(2.0) * std::fabs(y.value.back()));
  }
  return y;
}

template <class B, class F>
void add_experts(Run& run) {
  for (const ExpertsCase& s : experts_cases) {
    ExpertsProblem<B, F> p(s);
    const std::string name = std::string("matmul_experts ") + F::name + " " +
                             std::to_string(s.experts) + "x" + std::to_string(s.n) + "x" +
                             std::to_string(s.k) + " tokens " + std::to_string(s.tokens) +
                             " used " + std::to_string(s.used) + " of " + std::to_string(s.slots);
    run.add(name, p.product(), [&] { return p.expected(0); });
    run.add(name + " gated", p.gated(), [&] { return gated(p.expected(0), p.expected(1)); });
  }
}

/// From f16 to bf16 through an epilogue that reads, scales and bends.
template <class B, class F>
void add_halves(Run& run) {
  using T = tessera::tile_for<F, B>;
  constexpr std::size_t m = 9, n = 37, k = 100;
  const auto wide = draw(m * k, Fill::gaussian, 9100);
  const auto w = draw(n * k, Fill::gaussian, 9101);
  const auto more = draw(m * n, Fill::gaussian, 9102);
  std::vector<tessera::Float16> a;
  for (const float x : wide) a.push_back(tessera::to_float16(x));
  std::vector<tessera::BFloat16> c(m * n);
  AlignedBytes image(tessera::packed_size<F, T>(n, k));
  must(tessera::pack_weights<F, T>(tessera::matrix(w.data(), n, k), image.span()), "halves");
  tessera::MatmulArgs<F, T, tessera::Float16, tessera::BFloat16> args{
      tessera::matrix<const tessera::Float16>(a.data(), m, k),
      {image.span(), n, k},
      tessera::matrix(c.data(), m, n),
      {}};
  const auto need = tessera::workspace_size<B>(args);
  AlignedBytes shared(need.shared);
  AlignedBytes scratch(need.scratch);
  args.workspace = {shared.span(), scratch.span()};
  namespace epilogue = tessera::epilogue;
  const auto residual = epilogue::Residual{tessera::matrix(more.data(), m, n)};
  const auto bend = epilogue::Chain{epilogue::Bias{more.data()}, epilogue::Gelu{}};
  must(tessera::matmul<B>(args, epilogue::Chain{bend, residual}), "halves");
  std::vector<float> out;
  for (const auto x : c) out.push_back(tessera::to_float(x));
  run.add(std::string("matmul ") + F::name + " f16 to bf16, bias gelu residual", out);
}

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_EXPERTS_HPP_

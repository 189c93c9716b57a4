// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Products with experts have the bits of plain products row by row, and scalar's are near the float64 reference.
#include "tests/reference/matmul_experts.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "tessera/activation.hpp"
#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_experts_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class MatmulExperts : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulExperts, TestedBackends, BackendName);

/// One row and many, one expert and more than rows, activations shared by all slots, by some and by none.
constexpr ExpertsCase cases[] = {
    {1, 1, 1, 1, 5, 32},    {4, 2, 1, 1, 37, 96},  {4, 4, 4, 3, 16, 33},
    {8, 3, 1, 17, 131, 64}, {40, 6, 2, 2, 9, 160}, {3, 3, 3, 9, 21, 45},
};

template <class B, class F>
void equals_plain_products() {
  for (const ExpertsCase& s : cases) {
    SCOPED_TRACE(testing::Message() << F::name << " experts " << s.experts << " used " << s.used
                                    << " slots " << s.slots << " tokens " << s.tokens);
    Experts<B, F> p(s);
    ASSERT_NO_FATAL_FAILURE(p.run(p.args()));
    ASSERT_TRUE(same_bits(values_of(p.c), p.one_by_one(0)));
  }
}

/// (The identity suite has a format with minima.)
TYPED_TEST(MatmulExperts, EqualsPlainProductsRowByRow) {
  equals_plain_products<TypeParam, tessera::format::q4_0>();
  equals_plain_products<TypeParam, tessera::format::f16>();
}

TYPED_TEST(MatmulExperts, EveryRowOfOneExpert) {
  using F = tessera::format::q4_0;
  Experts<TypeParam, F> p({5, 4, 1, 9, 19, 64});
  for (const std::int32_t id :
       {0, 3, 4}) {  // all others are empty, every token names it four times
    for (std::size_t t = 0; t < p.s.tokens; ++t)
      for (std::int32_t& i : p.ids.row_span(t)) i = id;
    p.read_ids();
    ASSERT_NO_FATAL_FAILURE(p.run(p.args()));
    ASSERT_TRUE(same_bits(values_of(p.c), p.one_by_one(0))) << id;
  }
}

TEST(MatmulExpertsReference, NearFloat64) {
  using F = tessera::format::q4_0;
  for (const ExpertsCase& s : cases) {
    Experts<tessera::backend::scalar, F> p(s);
    p.run(p.args());
    std::vector<float> rows;
    for (std::size_t i = 0; i < p.chosen.size(); ++i)
      rows.insert(rows.end(), p.source(i), p.source(i) + s.k);
    const auto in = reference::activations<F>(rows.data(), p.chosen.size(), s.k,
                                              static_cast<std::ptrdiff_t>(s.k));
    std::vector<reference::Matrix> experts;
    for (const Weights& w : p.weights)
      experts.push_back(reference::stored<F>(w.values.data(), s.n, s.k));
    const auto want = reference::matmul_experts<F>(in.seen, experts, p.chosen);
    const auto got = values_of(p.c);
    ASSERT_EQ(reference::first_outside(want, got.data()), got.size());
  }
}

/// An epilogue is told the number of the token's slot.
TYPED_TEST(MatmulExperts, AnEpilogueKnowsItsSlot) {
  using F = tessera::format::q4_0;
  Experts<TypeParam, F> p({4, 2, 1, 5, 33, 64});
  std::vector<float> gates(p.chosen.size());
  for (std::size_t i = 0; i < gates.size(); ++i) gates[i] = 0.125f * static_cast<float>(i);
  ASSERT_NO_FATAL_FAILURE(p.run(p.args(), tessera::epilogue::RowScale{gates.data()}));
  auto want = p.one_by_one(0);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = tessera::rounded(want[i] * gates[i / p.s.n]);
  ASSERT_TRUE(same_bits(values_of(p.c), want));
}

template <class B, class F>
void gated_experts() {
  Experts<B, F> p({5, 3, 1, 6, 21, 96});
  for (std::size_t t = 0; t < p.s.tokens; ++t)
    for (std::int32_t& i : p.ids.row_span(t)) i %= 4;  // the last image is an up projection only
  p.read_ids();
  ASSERT_NO_FATAL_FAILURE(p.run(p.pair_args()));
  auto gate = p.one_by_one(0);
  auto up = p.one_by_one(1);
  const auto view = [&](auto& x) { return tessera::matrix(x.data(), p.chosen.size(), p.s.n); };
  ASSERT_EQ(tessera::swiglu<B>(tessera::SwigluArgs{view(gate), view(up), view(gate)}), Status::ok);
  ASSERT_TRUE(same_bits(values_of(p.c), gate)) << F::name;
}

TYPED_TEST(MatmulExperts, GatedPairs) {
  gated_experts<TypeParam, tessera::format::q4_0>();
  gated_experts<TypeParam, tessera::format::f16>();
}

TYPED_TEST(MatmulExperts, UnitsInAnyOrder) {
  using B = TypeParam;
  using F = tessera::format::q4_0;
  Experts<B, F> p({6, 2, 2, 13, 140, 64});
  ASSERT_NO_FATAL_FAILURE(p.run(p.args()));
  const auto want = values_of(p.c);
  auto args = p.args();
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  p.c.poison();
  for (std::size_t phase = 0; phase < tessera::phases<B>(args); ++phase)
    for (std::size_t u = tessera::units<B>(args, phase); u-- > 0;) {
      workspace.scratch().fill_bytes(0x7f);
      ASSERT_EQ(tessera::matmul_experts_phase<B>(args, phase, {u, u + 1}), Status::ok);
    }
  ASSERT_TRUE(p.c.untouched_outside());
  ASSERT_TRUE(same_bits(values_of(p.c), want));
}

/// The layer of a real model: one token, gate and up projections, with images of any bits under true headers.
TYPED_TEST(MatmulExperts, OneTokenOf128Experts) {
  using B = TypeParam;
  using F = tessera::format::q4_0;
  using T = tessera::tile_for<F, B>;
  constexpr std::size_t experts = 128, used = 8, n = 768, k = 2048;
  const std::size_t bytes = tessera::packed_size<F, T>(n, k);
  const std::int32_t ids[used] = {127, 0, 31, 64, 3, 99, 126, 5};
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  // Pages that nobody touches take no memory.
  const std::unique_ptr<std::byte, Free> memory(
      static_cast<std::byte*>(std::aligned_alloc(4096, (experts * bytes + 4095) / 4096 * 4096)));
  const std::span<std::byte> images(memory.get(), experts * bytes);
  for (std::size_t e = 0; e < experts; ++e) {
    const auto image = images.subspan(e * bytes, bytes);
    if (std::find(std::begin(ids), std::end(ids), static_cast<std::int32_t>(e)) != std::end(ids)) {
      std::uint64_t bits = e + 1;
      for (std::size_t i = 64; i < bytes; i += 8) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        std::memcpy(image.data() + i, &bits, 8);
      }
    }
    tessera::detail::write_header(image.data(), tessera::detail::panel_traits<F>(),
                                  tessera::tile_shape<T>, n, k);
  }
  const auto a = random_matrix(1, k, 6);
  GuardedMatrix<float> c(used, n);
  tessera::MatmulExpertsArgs<F, T> args{tessera::slot_view(a.row(0), 1, 1, k),
                                        {images, n, k},
                                        experts,
                                        tessera::slot_view(ids, 1, used, 1),
                                        tessera::slot_view(c.row(0), 1, used, n),
                                        {}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul_experts<B>(args), Status::ok);
  ASSERT_TRUE(workspace.untouched_outside());
  for (std::size_t u = 0; u < used; ++u) {
    const auto of = images.subspan(static_cast<std::size_t>(ids[u]) * bytes, bytes);
    const auto want = matmul_values<B>(a.input(), tessera::PackedWeights<F, T>{of, n, k});
    ASSERT_TRUE(same_bits(c.row_span(u), want)) << u;
  }
}

TEST(MatmulExpertsCounts, ARowIsQuantisedOnceAndOneTensorIsStored) {
  using B = tessera::backend::emu<tessera::ime::k1, ProductCounts>;
  Experts<B, tessera::format::q4_0> p({5, 4, 1, 6, 21, 96});
  for (std::size_t t = 0; t < p.s.tokens; ++t)
    for (std::int32_t& i : p.ids.row_span(t)) i %= 4;
  ProductCounts::groups = ProductCounts::outputs = 0;
  p.run(p.pair_args());
  EXPECT_EQ(ProductCounts::groups, p.s.tokens * p.s.slots * p.s.k / 32);
  EXPECT_EQ(ProductCounts::outputs, p.s.tokens * p.s.used * p.s.n);
}

TYPED_TEST(MatmulExperts, Refused) {
  using B = TypeParam;
  using F = tessera::format::q4_0;
  Experts<B, F> p({4, 4, 2, 3, 19, 64});
  const auto good = p.args();
  GuardedWorkspace workspace(tessera::workspace_size<B>(good));
  const auto refused = [&](Status want, auto&& spoil) {
    auto args = good;
    args.workspace = workspace.get();
    spoil(args);
    EXPECT_EQ(tessera::check<B>(args), want);
    for (std::size_t phase = 0; phase < 3; ++phase)
      EXPECT_EQ(tessera::matmul_experts_phase<B>(args, phase, {0, 0}), want);
    EXPECT_EQ(tessera::matmul_experts<B>(args), want);
    EXPECT_TRUE(p.c.untouched());
    EXPECT_TRUE(workspace.untouched());
  };
  for (const std::int32_t id : {-1, 4, INT32_MIN, INT32_MAX}) {
    const std::int32_t old = std::exchange(p.ids(2, 1), id);
    refused(Status::expert_range, [](auto&) {});
    p.ids(2, 1) = old;
  }
  refused(Status::empty_shape, [](auto& args) { args.experts = 0; });
  refused(Status::empty_shape, [](auto& args) { args.ids.tokens = 0; });
  refused(Status::null_pointer, [](auto& args) { args.a.data = nullptr; });
  refused(Status::null_pointer, [](auto& args) { args.ids.data = nullptr; });
  refused(Status::null_pointer, [](auto& args) { args.b.image = {}; });
  refused(Status::shape_mismatch, [](auto& args) { args.a.tokens -= 1; });
  refused(Status::shape_mismatch, [](auto& args) { args.ids.slots = 2; });
  refused(Status::shape_mismatch, [](auto& args) { args.a.cols = 63; });
  refused(Status::shape_mismatch, [](auto& args) { args.c.cols = 18; });
  refused(Status::slot_ratio, [](auto& args) { args.a.slots = 3; });
  refused(Status::stride_too_small, [](auto& args) { args.c.slot_stride = 18; });
  refused(Status::misaligned, [](auto& args) {
    args.ids.data =
        reinterpret_cast<const std::int32_t*>(reinterpret_cast<std::uintptr_t>(args.ids.data) + 1);
  });
  refused(Status::overlap, [&](auto& args) { args.c.data = const_cast<float*>(args.a.data); });
  refused(Status::packed_too_small,
          [](auto& args) { args.b.image = args.b.image.first(args.b.image.size() - 1); });
  refused(Status::packed_too_small, [](auto& args) { args.experts = 5; });
  refused(Status::shape_too_large, [](auto& args) { args.experts = SIZE_MAX / 64; });
  refused(Status::packed_shape, [](auto& args) { args.b.k = args.a.cols = 63; });
  refused(Status::workspace_too_small, [](auto& args) {
    args.workspace.shared = args.workspace.shared.first(args.workspace.shared.size() - 1);
  });
  refused(Status::scratch_too_small, [](auto& args) { args.workspace.scratch = {}; });
  auto args = good;
  args.workspace = workspace.get();
  EXPECT_EQ(tessera::matmul_experts_phase<B>(args, 3, {0, 0}), Status::bad_phase);
  const std::size_t end = tessera::units<B>(args, 2);
  EXPECT_EQ(tessera::matmul_experts_phase<B>(args, 2, {end, end + 1}), Status::bad_unit_range);
  EXPECT_TRUE(p.c.untouched());
}

}  // namespace
}  // namespace tessera_test

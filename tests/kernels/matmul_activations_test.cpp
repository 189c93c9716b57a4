// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Activations of 16 bits, activations quantised once for several weights, and gated pairs of products: the bits of
// the plain product, and what is refused.
#include <type_traits>
#include <utility>

#include "tessera/activation.hpp"
#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

using tessera::ActivationNeeds;
using tessera::QuantizedActivations;

template <class B>
class MatmulActivations : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulActivations, TestedBackends, BackendName);

constexpr std::size_t m = 11;
constexpr std::size_t n = 37;
constexpr std::size_t k = 100;

/// The whole product of any operands.
template <class B, class Args, class... E>
void run_product(Args& args, const E&... e) {
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<B>(args, e...), Status::ok);
  ASSERT_TRUE(workspace.untouched_outside());
}

template <class B, class F, class A>
void halves_are_widened() {
  using T = tessera::tile_for<F, B>;
  GuardedMatrix<A> half(m, k, 3);
  GuardedMatrix<float> wide(m, k);
  const auto a = random_matrix(m, k, 31);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t q = 0; q < k; ++q) {
      if constexpr (std::is_same_v<A, tessera::Float16>)
        half(i, q) = tessera::to_float16(a(i, q));
      else
        half(i, q) = tessera::to_bfloat16(a(i, q));
      wide(i, q) = tessera::to_float(half(i, q));
    }
  half.seal();
  const Packed<F, T> packed(random_weights(n, k, 32));
  GuardedMatrix<float> c(m, n, 1);
  tessera::MatmulArgs<F, T, A> args{half.input(), packed.weights(), c.view(), {}};
  ASSERT_EQ(tessera::phases<B>(args), 2u);
  run_product<B>(args);
  ASSERT_TRUE(c.untouched_outside());
  ASSERT_TRUE(same_bits(values_of(c), matmul_values<B>(wide.input(), packed.weights())));
}

TYPED_TEST(MatmulActivations, HalvesAreWidened) {
  halves_are_widened<TypeParam, tessera::format::q4_0, tessera::Float16>();
  halves_are_widened<TypeParam, tessera::format::f32, tessera::BFloat16>();
}

/// Activations quantised for all of `Formats`, unit by unit in descending order.
template <class B>
struct Quantized {
  ActivationNeeds needs;
  GuardedMatrix<float> a = random_matrix(m, k, 41, 2);
  GuardedBuffer<std::byte> bytes{tessera::quantized_size<B>(m, k, needs), Guard::rear};

  explicit Quantized(ActivationNeeds of) : needs(of) {
    const tessera::QuantizeRowsArgs<> args{a.input(), bytes.span(), needs};
    for (std::size_t u = tessera::units<B>(args); u-- > 0;)
      EXPECT_EQ(tessera::quantize_rows<B>(args, {u, u + 1}), Status::ok);
    EXPECT_TRUE(bytes.untouched_outside());
    bytes.seal();
  }
  QuantizedActivations operand() const { return {bytes.span(), m, k}; }
};

template <class B, class F>
void multiplied_once_quantised(const Quantized<B>& in) {
  using T = tessera::tile_for<F, B>;
  const Packed<F, T> packed(random_weights(n, k, 42));
  GuardedMatrix<float> c(m, n, 1);
  tessera::MatmulArgs<F, T, QuantizedActivations> args{
      in.operand(), packed.weights(), c.view(), {}};
  ASSERT_EQ(tessera::phases<B>(args), 1u);
  ASSERT_EQ(tessera::workspace_size<B>(args).shared, 0u);
  run_product<B>(args);
  ASSERT_TRUE(same_bits(values_of(c), matmul_values<B>(in.a.input(), packed.weights()))) << F::name;
}

TYPED_TEST(MatmulActivations, QuantisedOnceForAllFormats) {
  namespace format = tessera::format;
  const Quantized<TypeParam> in(
      ActivationNeeds::of<format::q4_0, format::q5_1, format::nvfp4, format::q2_K>());
  multiplied_once_quantised<TypeParam, format::q4_0>(in);
  multiplied_once_quantised<TypeParam, format::q2_K>(in);
}

TYPED_TEST(MatmulActivations, OtherQuantisedRowsAreRefused) {
  using B = TypeParam;
  using F = tessera::format::q2_K;
  using T = tessera::tile_for<F, B>;
  const Quantized<B> in(ActivationNeeds::of<F>());
  const Packed<F, T> packed(random_weights(n, k, 42));
  GuardedMatrix<float> c(m, n);
  const tessera::MatmulArgs<F, T, QuantizedActivations> good{
      in.operand(), packed.weights(), c.view(), {}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(good));
  const auto refused = [&](Status want, auto&& spoil) {
    auto args = good;
    args.workspace = workspace.get();
    spoil(args);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::matmul<B>(args), want);
    EXPECT_TRUE(c.untouched());
    EXPECT_TRUE(workspace.untouched());
  };
  refused(Status::empty_shape, [](auto& args) { args.a.rows = 0; });
  refused(Status::null_pointer, [](auto& args) { args.a.bytes = {}; });
  refused(Status::misaligned, [](auto& args) { args.a.bytes = args.a.bytes.subspan(32); });
  refused(Status::quantized_magic, [](auto& args) { args.a.bytes = args.a.bytes.subspan(64); });
  refused(Status::quantized_shape, [](auto& args) { args.a.rows = args.c.rows = m - 1; });
  refused(Status::quantized_too_small,
          [](auto& args) { args.a.bytes = args.a.bytes.first(args.a.bytes.size() - 1); });
  refused(Status::quantized_too_small, [](auto& args) { args.a.bytes = args.a.bytes.first(63); });
  const Quantized<B> less(ActivationNeeds::of<tessera::format::q4_K>());
  refused(Status::quantized_needs, [&](auto& args) { args.a = less.operand(); });
  using Other =
      std::conditional_t<B::DotAtom::block_tile::m == 1, tessera::backend::emu<tessera::ime::k3>,
                         tessera::backend::scalar>;
  const Quantized<Other> other(ActivationNeeds::of<F>());
  refused(Status::quantized_tile, [&](auto& args) { args.a = other.operand(); });
}

TYPED_TEST(MatmulActivations, QuantiseRowsRefuses) {
  using B = TypeParam;
  const auto a = random_matrix(m, k, 1);
  const auto needs = ActivationNeeds::of<tessera::format::q8_0>();
  GuardedBuffer<std::byte> out(tessera::quantized_size<B>(m, k, needs));
  const auto refused = [&](Status want, auto&& spoil) {
    tessera::QuantizeRowsArgs<> args{a.input(), out.span(), needs};
    spoil(args);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::quantize_rows<B>(args), want);
    EXPECT_TRUE(out.untouched());
  };
  refused(Status::empty_shape, [](auto& args) { args.a.cols = 0; });
  refused(Status::null_pointer, [](auto& args) { args.a.data = nullptr; });
  refused(Status::null_pointer, [](auto& args) { args.out = {}; });
  refused(Status::misaligned, [](auto& args) { args.out = args.out.subspan(1); });
  refused(Status::quantized_too_small,
          [](auto& args) { args.out = args.out.first(args.out.size() - 1); });
  refused(Status::shape_too_large, [](auto& args) {
    args.a.rows = std::size_t{1} << 59;
    args.a.row_stride = 0;
  });
  refused(Status::overlap, [&](auto& args) {
    args.a.data = reinterpret_cast<const float*>(out.data());
    args.a.rows = 1;
  });
  const tessera::QuantizeRowsArgs<> args{a.input(), out.span(), needs};
  const std::size_t end = tessera::units<B>(args);
  EXPECT_EQ(tessera::quantize_rows<B>(args, {end, end + 1}), Status::bad_unit_range);
  EXPECT_TRUE(out.untouched());
}

/// silu(gate) * up of two plain products.
template <class B, class F, class T>
std::vector<float> gated_values(tessera::MatrixView<const float> a, const Packed<F, T>& gate,
                                const Packed<F, T>& up) {
  auto g = matmul_values<B>(a, gate.weights());
  auto u = matmul_values<B>(a, up.weights());
  std::vector<float> y(g.size());
  const auto view = [&](auto& x) { return tessera::matrix(x.data(), a.rows, n); };
  EXPECT_EQ(tessera::swiglu<B>(tessera::SwigluArgs{view(g), view(u), view(y)}), Status::ok);
  return y;
}

template <class B, class F>
void gated() {
  using T = tessera::tile_for<F, B>;
  const auto a = random_matrix(m, k, 51);
  const Packed<F, T> gate(random_weights(n, k, 52));
  const Packed<F, T> up(random_weights(n, k, 53));
  GuardedMatrix<float> c(m, n, 1);
  tessera::MatmulArgs<F, T, float, float, tessera::PackedPair<F, T>> args{
      a.input(), {gate.weights().image, up.weights().image, n, k}, c.view(), {}};
  run_product<B>(args);
  ASSERT_TRUE(c.untouched_outside());
  auto want = gated_values<B>(a.input(), gate, up);
  ASSERT_TRUE(same_bits(values_of(c), want)) << F::name;
  // What is chained behind the pair sees the pair's value.
  namespace epilogue = tessera::epilogue;
  run_product<B>(args, epilogue::Chain{epilogue::Gated{epilogue::Silu{}}, epilogue::Scale{0.5f}});
  for (float& x : want) x = tessera::rounded(x * 0.5f);
  ASSERT_TRUE(same_bits(values_of(c), want)) << F::name;

  args.b.up = args.b.up.first(64);
  c.poison();
  ASSERT_EQ(tessera::matmul<B>(args), Status::packed_too_small);
  args.b.up = {};
  ASSERT_EQ(tessera::matmul<B>(args), Status::null_pointer);
  ASSERT_TRUE(c.untouched());
}

TYPED_TEST(MatmulActivations, GatedPairs) {
  gated<TypeParam, tessera::format::q4_0>();
  gated<TypeParam, tessera::format::f16>();
}

TEST(MatmulCounts, APairQuantisesItsRowsOnceAndStoresOneTensor) {
  using B = tessera::backend::emu<tessera::ime::k1, ProductCounts>;
  using F = tessera::format::q4_0;
  using T = tessera::tile_for<F, B>;
  const auto a = random_matrix(m, k, 61);
  const Packed<F, T> gate(random_weights(n, k, 62));
  GuardedMatrix<float> c(m, n);
  tessera::MatmulArgs<F, T, float, float, tessera::PackedPair<F, T>> args{
      a.input(), {gate.weights().image, gate.weights().image, n, k}, c.view(), {}};
  ProductCounts::groups = ProductCounts::outputs = 0;
  run_product<B>(args);
  EXPECT_EQ(ProductCounts::groups, m * ((k + 31) / 32));
  EXPECT_EQ(ProductCounts::outputs, m * n);
}

}  // namespace
}  // namespace tessera_test

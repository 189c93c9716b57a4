// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every Status a matrix product documents, and that a refused call has written nothing.
#include <cstring>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

/// Valid arguments, to be spoilt one at a time.
template <class B, class F>
struct Product {
  using T = tessera::tile_for<F, B>;
  static constexpr std::size_t m = 3;
  static constexpr std::size_t n = 5;
  static constexpr std::size_t k = 40;

  GuardedMatrix<float> a = random_matrix(m, k, 1, 2);
  GuardedMatrix<float> c{m, n, 2};
  GuardedBuffer<std::byte> image{tessera::packed_size<F, T>(n, k)};
  tessera::MatmulArgs<F, T> args;
  GuardedWorkspace workspace{{0, 0}};

  Product() : workspace(need()) {
    EXPECT_EQ((tessera::pack_weights<F, T>(random_weights(n, k, 2).view(), image.span())),
              Status::ok);
    args = {a.input(), {image.span(), n, k}, c.view(), workspace.get()};
  }

  static tessera::WorkspaceSize need() {
    tessera::MatmulArgs<F, T> shapes;
    shapes.a = {nullptr, m, k, static_cast<std::ptrdiff_t>(k)};
    shapes.b = {{}, n, k};
    return tessera::workspace_size<B>(shapes);
  }

  /// Every entry refuses with `want`; the good arguments are restored.
  void refused(Status want) {
    const auto before = values_of(a);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::matmul<B>(args), want);
    for (std::size_t p = 0; p < tessera::phases<B>(args); ++p)
      EXPECT_EQ(tessera::matmul_phase<B>(args, p, {0, 1}), want);
    EXPECT_TRUE(c.untouched());
    EXPECT_TRUE(workspace.untouched());
    EXPECT_TRUE(same_bits(values_of(a), before));
    args = {a.input(), {image.span(), n, k}, c.view(), workspace.get()};
  }

  /// Refused while `bytes` of the image at `offset` are changed.
  void refused_with(std::size_t offset, std::size_t bytes, Status want) {
    SCOPED_TRACE(testing::Message() << "header byte " << offset);
    for (std::size_t i = 0; i < bytes; ++i) image[offset + i] ^= std::byte{0x41};
    refused(want);
    for (std::size_t i = 0; i < bytes; ++i) image[offset + i] ^= std::byte{0x41};
  }
};

template <class T>
T* shifted(T* p, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) +
                              static_cast<std::uintptr_t>(bytes));
}

template <class B>
class MatmulRefused : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulRefused, TestedBackends, BackendName);

template <class B, class F>
void shapes_and_pointers() {
  Product<B, F> p;
  ASSERT_EQ(tessera::check<B>(p.args), Status::ok);
  p.args.a.rows = p.args.c.rows = 0;
  p.refused(Status::empty_shape);
  p.args.a.cols = p.args.b.k = 0;
  p.refused(Status::empty_shape);
  p.args.b.n = p.args.c.cols = 0;
  p.refused(Status::empty_shape);

  p.args.a.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.c.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.b.image = {};
  p.refused(Status::null_pointer);

  p.args.a.cols = p.k - 1;
  p.refused(Status::shape_mismatch);
  p.args.a.rows = p.m - 1;
  p.refused(Status::shape_mismatch);
  p.args.c.cols = p.n - 1;
  p.refused(Status::shape_mismatch);

  p.args.a.rows = p.args.c.rows = SIZE_MAX / 2;
  p.refused(Status::shape_too_large);
  p.args.a.row_stride = PTRDIFF_MIN;
  p.refused(Status::shape_too_large);
  p.args.c.row_stride = PTRDIFF_MAX;
  p.refused(Status::shape_too_large);

  for (const std::ptrdiff_t stride : {0, 1, 4, -4}) {
    p.args.c.row_stride = stride;
    p.refused(Status::stride_too_small);
  }
  p.args.a.data = shifted(p.args.a.data, 2);
  p.refused(Status::misaligned);
  p.args.c.data = shifted(p.args.c.data, -1);
  p.refused(Status::misaligned);
  p.args.b.image = p.args.b.image.subspan(32);
  p.refused(Status::misaligned);

  for (const std::size_t at : {std::size_t{0}, p.a.stride() - 1, 2 * p.a.stride() + p.k - 1}) {
    p.args.c.data = p.a.row(0) + at;
    p.refused(Status::overlap);
  }
}

TYPED_TEST(MatmulRefused, ShapesAndPointers) {
  shapes_and_pointers<TypeParam, tessera::format::q8_0>();
  shapes_and_pointers<TypeParam, tessera::format::f16>();
}

TYPED_TEST(MatmulRefused, RowsThatOverflowTheWorkspace) {
  Product<TypeParam, tessera::format::q8_0> p;
  p.args.a.rows = p.args.c.rows = std::size_t{1} << 58;
  p.args.a.row_stride = 0;  // one row, so the operand itself is small
  p.args.c.data = reinterpret_cast<float*>(std::uintptr_t{1} << 60);  // never touched
  p.args.c.row_stride = 5;
  p.refused(Status::shape_too_large);
}

TYPED_TEST(MatmulRefused, PackedWeights) {
  using B = TypeParam;
  using F = tessera::format::q8_0;
  using P = Product<B, F>;
  P p;
  using Header = tessera::PackedHeader;
  p.refused_with(offsetof(Header, magic), 1, Status::packed_magic);
  p.refused_with(offsetof(Header, magic) + 7, 1, Status::packed_magic);
  p.refused_with(offsetof(Header, version), 4, Status::packed_version);
  p.refused_with(offsetof(Header, format), 4, Status::packed_format);
  p.refused_with(offsetof(Header, tile), 2, Status::packed_tile);
  p.refused_with(offsetof(Header, tile) + 2, 2, Status::packed_tile);
  p.refused_with(offsetof(Header, tile) + 4, 2, Status::packed_tile);
  p.refused_with(offsetof(Header, n), 8, Status::packed_shape);
  p.refused_with(offsetof(Header, k), 1, Status::packed_shape);
  p.refused_with(offsetof(Header, panel), 1, Status::packed_shape);
  p.refused_with(offsetof(Header, bytes), 1, Status::packed_shape);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{63}, std::size_t{64}, p.image.size() - 1}) {
    p.args.b.image = p.args.b.image.first(bytes);
    p.refused(Status::packed_too_small);
  }
  p.args.b.n = p.args.c.cols = P::n - 1;
  p.refused(Status::packed_shape);
  p.args.b.k = p.args.a.cols = P::k - 1;
  p.refused(Status::packed_shape);
}

TYPED_TEST(MatmulRefused, WeightsOfAnotherTileOrFormat) {
  using B = TypeParam;
  using F = tessera::format::q8_0;
  Product<B, F> p;
  using T = typename Product<B, F>::T;
  using Other = std::conditional_t<std::is_same_v<T, tessera::tile::ime2_int8>,
                                   tessera::tile::ime1_int8, tessera::tile::ime2_int8>;
  const Packed<F, Other> tile(random_weights(p.n, p.k, 2));
  p.args.b.image = tile.weights().image;
  p.refused(Status::packed_tile);
  const Packed<tessera::format::q4_0, T> format(random_weights(p.n, p.k, 2));
  p.args.b.image = format.weights().image;
  p.refused(Status::packed_format);
}

template <class B, class F>
void workspaces() {
  Product<B, F> p;
  const tessera::WorkspaceSize need = tessera::workspace_size<B>(p.args);
  if (need.shared != 0) {
    p.args.workspace.shared = p.args.workspace.shared.first(need.shared - 1);
    p.refused(Status::workspace_too_small);
    p.args.workspace.shared = {};
    p.refused(Status::workspace_too_small);
    GuardedBuffer<std::byte> odd(need.shared, Guard::rear, 32);
    p.args.workspace.shared = odd.span();
    p.refused(Status::workspace_misaligned);
    EXPECT_TRUE(odd.untouched());
  }
  if (need.scratch != 0) {
    p.args.workspace.scratch = p.args.workspace.scratch.first(need.scratch - 1);
    p.refused(Status::scratch_too_small);
    p.args.workspace.scratch = {};
    p.refused(Status::scratch_too_small);
    GuardedBuffer<std::byte> odd(need.scratch, Guard::rear, 1);
    p.args.workspace.scratch = odd.span();
    p.refused(Status::workspace_misaligned);
    EXPECT_TRUE(odd.untouched());
  }
}

TYPED_TEST(MatmulRefused, Workspaces) {
  workspaces<TypeParam, tessera::format::q8_0>();
  workspaces<TypeParam, tessera::format::f16>();
}

TYPED_TEST(MatmulRefused, PhasesAndUnits) {
  using B = TypeParam;
  Product<B, tessera::format::q8_0> p;
  ASSERT_EQ(tessera::phases<B>(p.args), 2u);
  for (const std::size_t phase : {std::size_t{2}, SIZE_MAX})
    EXPECT_EQ(tessera::matmul_phase<B>(p.args, phase, {0, 0}), Status::bad_phase);
  for (std::size_t phase = 0; phase < 2; ++phase) {
    const std::size_t units = tessera::units<B>(p.args, phase);
    for (const tessera::UnitRange range :
         {tessera::UnitRange{0, units + 1}, tessera::UnitRange{units + 1, units + 1},
          tessera::UnitRange{1, 0}})
      EXPECT_EQ(tessera::matmul_phase<B>(p.args, phase, range), Status::bad_unit_range);
    EXPECT_EQ(tessera::matmul_phase<B>(p.args, phase, {units, units}), Status::ok);
  }
  EXPECT_TRUE(p.c.untouched());
  EXPECT_TRUE(p.workspace.untouched());
  Product<B, tessera::format::f32> q;
  EXPECT_EQ(tessera::phases<B>(q.args), 1u);
  EXPECT_EQ(tessera::matmul_phase<B>(q.args, 1, {0, 0}), Status::bad_phase);
}

template <class B>
class MatmulElsewhere : public testing::Test {};
TYPED_TEST_SUITE(MatmulElsewhere, CoreBackends, BackendName);

TYPED_TEST(MatmulElsewhere, RefusedOnAnotherCore) {
  Product<TypeParam, tessera::format::q8_0> p;
  if (TypeParam::check() == Status::ok) {
    EXPECT_EQ(tessera::check<TypeParam>(p.args), Status::ok);
  } else {
    p.refused(TypeParam::check());
  }
}

}  // namespace
}  // namespace tessera_test

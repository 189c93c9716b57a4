// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// rope on every backend: values by hand, float64 reference, scalar's bits, operands.
#include "tessera/rope.hpp"

#include <cmath>
#include <cstring>

#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/rope.hpp"

namespace tessera_test {
namespace {

using tessera::Pairing;

template <class B>
class Rope : public OnBackend<B> {};
TYPED_TEST_SUITE(Rope, FloatBackends, BackendName);

/// Cosines and sines of some positions, between guard pages.
struct Table {
  GuardedMatrix<float> cosine;
  GuardedMatrix<float> sine;
  Table(std::span<const std::int32_t> positions, std::size_t rotary, double base,
        std::size_t padding = 0)
      : cosine(positions.size(), rotary / 2, padding), sine(positions.size(), rotary / 2, padding) {
    EXPECT_EQ(tessera::rope_table({positions, base, cosine.view(), sine.view()}), Status::ok);
    EXPECT_TRUE(cosine.untouched_outside());
    EXPECT_TRUE(sine.untouched_outside());
  }
};

template <class B>
std::vector<float> rotated(const Heads& x, const Table& table, Pairing pairing,
                           HeadLayout layout = {}) {
  Heads y(x.heads(), x.tokens(), x.dim(), layout);
  EXPECT_EQ(
      tessera::rope<B>({x.input(), y.view(), table.cosine.input(), table.sine.input(), pairing}),
      Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return y.values();
}

TYPED_TEST(Rope, ByHand) {
  // A quarter turn of the first pair, none of the second.
  GuardedMatrix<float> cosine(1, 2);
  GuardedMatrix<float> sine(1, 2);
  cosine(0, 0) = 0, cosine(0, 1) = 1;
  sine(0, 0) = 1, sine(0, 1) = 0;
  Heads x(1, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) x.row(0, 0)[i] = static_cast<float>(i + 1);
  Heads y(1, 1, 4);
  tessera::RopeArgs<> args{x.input(), y.view(), cosine.input(), sine.input(), Pairing::interleaved};
  ASSERT_EQ(tessera::rope<TypeParam>(args), Status::ok);
  EXPECT_EQ(y.values(), (std::vector<float>{-2, 1, 3, 4}));
  args.pairing = Pairing::half;
  ASSERT_EQ(tessera::rope<TypeParam>(args), Status::ok);
  EXPECT_EQ(y.values(), (std::vector<float>{-3, 2, 1, 4}));
}

constexpr std::int32_t positions[] = {0, 1, 40, 4095, 15962, 131071, 262143, 1048575, -1048576, -7};

TYPED_TEST(Rope, EveryDimension) {
  const std::size_t tokens = std::size(positions);
  for (const std::size_t dim : {2, 4, 6, 8, 14, 16, 18, 30, 32, 34, 40, 64, 66, 70, 96, 128, 130})
    for (const std::size_t rotary : {dim, dim / 4 * 2, std::size_t{2}}) {
      if (rotary == 0) continue;
      for (const double base : {1e4, 1e6}) {
        const Table table(positions, rotary, base);
        const auto x = std::move(Heads(2, tokens, dim).fill_with(dim));
        for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
          const auto y = rotated<TypeParam>(x, table, pairing);
          reference::Expected want;
          for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t t = 0; t < tokens; ++t)
              reference::rope(x.row(h, t), dim, rotary, pairing == Pairing::half, positions[t],
                              base, want);
          ASSERT_TRUE(matches(y, want)) << dim << " rotary " << rotary << " base " << base;
          ASSERT_TRUE(same_bits(y, rotated<tessera::backend::scalar>(x, table, pairing)));
        }
      }
    }
}

/// The part that is not rotated keeps its bits, signalling NaNs included.
TYPED_TEST(Rope, TheTailIsCopiedBitForBit) {
  const std::int32_t one[] = {5};
  for (const std::size_t rotary : {2, 4, 6}) {
    const Table table(one, rotary, 1e4);
    for (const Pairing pairing : {Pairing::interleaved, Pairing::half})
      for (const bool in_place : {false, true}) {
        Heads x(1, 1, 8);
        x.fill_with(1);
        const std::uint32_t odd[] = {0x7fa00001, 0x80000000, 0xffc12345,
                                     0x00000001, 0x7f800000, 0xff800001};
        for (std::size_t i = rotary; i < 8; ++i) {
          std::memcpy(x.row(0, 0) + i, &odd[i - rotary], sizeof(float));
        }
        Heads y(1, 1, 8);
        tessera::RopeArgs<> args{x.input(), in_place ? x.view() : y.view(), table.cosine.input(),
                                 table.sine.input(), pairing};
        ASSERT_EQ(tessera::rope<TypeParam>(args), Status::ok);
        ASSERT_EQ(
            std::memcmp((in_place ? x : y).row(0, 0) + rotary, odd, (8 - rotary) * sizeof(float)),
            0);
      }
  }
}

TYPED_TEST(Rope, InPlaceAndAnyLayout) {
  const std::size_t dim = 22;
  const std::size_t rotary = 18;
  const Table table(positions, rotary, 1e4, 2);
  const std::size_t tokens = std::size(positions);
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const auto dense = std::move(Heads(3, tokens, dim).fill_with(3));
    const auto want = rotated<TypeParam>(dense, table, pairing);
    for (const HeadLayout in : head_layouts) {
      for (const HeadLayout out : head_layouts) {
        const auto x = std::move(Heads(3, tokens, dim, in).fill_with(3));
        ASSERT_TRUE(same_bits(rotated<TypeParam>(x, table, pairing, out), want));
      }
      auto x = std::move(Heads(3, tokens, dim, in).fill_with(3));
      ASSERT_EQ(tessera::rope<TypeParam>(
                    {x.input(), x.view(), table.cosine.input(), table.sine.input(), pairing}),
                Status::ok);
      ASSERT_TRUE(same_bits(x.values(), want));
      ASSERT_TRUE(x.untouched_outside());
    }
  }
}

TYPED_TEST(Rope, UnitsInAnyOrder) {
  const Table table(positions, 6, 1e4);
  const std::size_t tokens = std::size(positions);
  const auto x = std::move(Heads(3, tokens, 8).fill_with(4));
  const auto want = rotated<TypeParam>(x, table, Pairing::half);
  Heads y(3, tokens, 8, {true, 1});
  const tessera::RopeArgs<> args{x.input(), y.view(), table.cosine.input(), table.sine.input(),
                                 Pairing::half};
  const std::size_t n = tessera::units(args);
  ASSERT_EQ(n, 3 * tokens);
  for (std::size_t count = 1; count <= 17; ++count) {
    y.buffer().poison();
    for (std::size_t i = count; i-- > 0;)
      ASSERT_EQ(tessera::rope<TypeParam>(args, tessera::Slice{i, count}.of(n)), Status::ok);
    ASSERT_TRUE(same_bits(y.values(), want));
    ASSERT_TRUE(y.untouched_outside());
  }
  y.buffer().poison();
  for (const tessera::UnitRange range :
       {tessera::UnitRange{0, n + 1}, tessera::UnitRange{n + 1, n + 1}, tessera::UnitRange{1, 0}})
    ASSERT_EQ(tessera::rope<TypeParam>(args, range), Status::bad_unit_range);
  ASSERT_TRUE(y.buffer().untouched());
}

TYPED_TEST(Rope, NoTokens) {
  tessera::RopeArgs<> args{
      {nullptr, 2, 0, 8, 0, 0}, {nullptr, 2, 0, 8, 0, 0}, {}, {}, Pairing::half};
  EXPECT_EQ(tessera::rope<TypeParam>(args), Status::ok);
  EXPECT_EQ(tessera::units(args), 0u);
}

template <class B>
struct Rotation {
  Table table{std::span(positions).first(3), 6, 1e4};
  Heads x{2, 3, 8, {false, 1}};
  Heads y{2, 3, 8, {false, 1}};
  tessera::RopeArgs<> args;

  Rotation() {
    x.fill_with(1);
    restore();
  }
  void restore() {
    args = {x.input(), y.view(), table.cosine.input(), table.sine.input(), Pairing::half};
  }
  void refused(Status want) {
    const auto before = x.values();
    const auto cosine = values_of(table.cosine);
    const auto sine = values_of(table.sine);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::rope<B>(args), want);
    EXPECT_EQ(tessera::rope<B>(args, {0, 1}), want);
    EXPECT_TRUE(y.buffer().untouched());
    EXPECT_TRUE(same_bits(x.values(), before));
    EXPECT_TRUE(same_bits(values_of(table.cosine), cosine));
    EXPECT_TRUE(same_bits(values_of(table.sine), sine));
    restore();
  }
};

TYPED_TEST(Rope, Refused) {
  Rotation<TypeParam> p;
  expect_view_checked(p, &tessera::RopeArgs<>::cosine);
  expect_view_checked(p, &tessera::RopeArgs<>::sine);
  p.args.x.heads = p.args.y.heads = 0;
  p.refused(Status::empty_shape);
  p.args.x.dim = p.args.y.dim = 0;
  p.refused(Status::empty_shape);
  p.args.cosine.cols = p.args.sine.cols = 0;
  p.refused(Status::empty_shape);
  p.args.x.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.y.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.x.heads = 1;
  p.refused(Status::shape_mismatch);
  p.args.x.tokens = 2;
  p.refused(Status::shape_mismatch);
  p.args.y.dim = 7;
  p.refused(Status::shape_mismatch);
  p.args.x.head_stride = PTRDIFF_MAX;
  p.refused(Status::shape_too_large);
  p.args.y.token_stride = PTRDIFF_MIN;
  p.refused(Status::shape_too_large);
  p.args.y.token_stride = 7;
  p.refused(Status::stride_too_small);
  p.args.y.head_stride = 0;
  p.refused(Status::stride_too_small);
  p.args.y.head_stride = 2 * p.args.y.token_stride;  // heads interleave with tokens
  p.refused(Status::stride_too_small);
  p.args.x.data = shifted(p.args.x.data, 1);
  p.refused(Status::misaligned);
  p.args.y.data = shifted(p.args.y.data, 2);
  p.refused(Status::misaligned);
  p.args.x.dim = p.args.y.dim = 5;  // six elements are to be rotated
  p.refused(Status::head_size);
  p.args.y = p.x.view();
  p.args.y.data += 1;
  p.refused(Status::overlap);
  p.args.y = p.x.view();
  p.args.y.token_stride += 1;
  p.args.x.heads = p.args.y.heads = 1;
  p.refused(Status::overlap);
  p.args.cosine = {p.y.row(0, 0), 3, 3, 3};
  p.refused(Status::overlap);
  p.args.sine = {p.y.row(1, 2) + 5, 3, 3, 0};
  p.refused(Status::overlap);
}

template <class B>
class RopeElsewhere : public testing::Test {};
TYPED_TEST_SUITE(RopeElsewhere, CoreBackends, BackendName);

TYPED_TEST(RopeElsewhere, RefusedOnAnotherCore) {
  Rotation<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test

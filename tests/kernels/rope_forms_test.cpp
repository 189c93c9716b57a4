// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What models ask of rope beyond one position and f32: scaling, factors, sections, offset, inverse,
// 16-bit elements, tables of a graph with position ids, and the shift of a quantised cache.
#include <cmath>
#include <cstring>

#include "tessera/formats/all.hpp"
#include "tessera/rope.hpp"
#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/rope.hpp"

namespace tessera_test {
namespace {

using tessera::Pairing;
using tessera::RopePlanes;

tessera::RopeTableArgs table_args(const reference::RopeModel& m,
                                  std::span<const std::int32_t> positions,
                                  GuardedMatrix<float>& cosine, GuardedMatrix<float>& sine) {
  tessera::RopeTableArgs args{positions, m.base, cosine.view(), sine.view()};
  args.frequency_factors = m.factors;
  args.scaling = {m.frequency_scale, m.ext_factor, m.attention_factor,
                  m.beta_fast,       m.beta_slow,  m.context};
  args.planes = static_cast<RopePlanes>(m.planes);
  for (int i = 0; i < 4; ++i) args.section[i] = m.section[i];
  return args;
}

/// All angles of a model at short and long positions: 1e-6 of the magnitude.
void expect_table(const reference::RopeModel& m, const std::string& name) {
  const std::int32_t some[] = {0, 1, 40, 4095, 15962, 131071, 262143, 1 << 20, -(1 << 20)};
  const std::size_t tokens = std::size(some);
  const std::size_t planes = m.planes == 0 ? 1 : 4;
  std::vector<std::int32_t> positions;
  for (std::size_t plane = 0; plane < planes; ++plane)
    for (std::size_t i = 0; i < tokens; ++i) positions.push_back(some[(i + plane) % tokens]);
  // Scaling up must keep the largest angle within its documented range.
  const double grown = m.frequency_scale > 1 ? m.frequency_scale * (1 + m.ext_factor) : 1;
  for (auto& p : positions) p = static_cast<std::int32_t>(static_cast<double>(p) / grown);
  GuardedMatrix<float> cosine(tokens, m.pairs, 1);
  GuardedMatrix<float> sine(tokens, m.pairs);
  ASSERT_EQ(tessera::rope_table(table_args(m, positions, cosine, sine)), Status::ok) << name;
  ASSERT_TRUE(cosine.untouched_outside());
  ASSERT_TRUE(sine.untouched_outside());
  const double limit =
      1e-6 * std::max(1.0, std::fabs(m.attention_factor *
                                     (1 + 0.1 * std::fabs(std::log(m.frequency_scale)))));
  for (std::size_t i = 0; i < tokens; ++i)
    for (std::size_t p = 0; p < m.pairs; ++p) {
      long at[4] = {};
      for (std::size_t plane = 0; plane < planes; ++plane)
        at[plane] = positions[plane * tokens + i];
      const auto want = reference::turn(m, at, p);
      ASSERT_TRUE(within(std::fabs(difference(cosine(i, p), want.cos)), limit)) << name << " " << p;
      ASSERT_TRUE(within(std::fabs(difference(sine(i, p), want.sin)), limit)) << name << " " << p;
    }
}

TEST(RopeForms, ScalingAndFactors) {
  std::vector<float> factors;
  for (std::size_t p = 0; p < 64; ++p) factors.push_back(0.9f + 0.2f * static_cast<float>(p) / 64);
  for (const double base : {500.0, 1e4, 1e6})
    for (const double factor : {1.0, 4.0, 32.0, 128.0})
      for (const double ext : {0.0, 1.0, 0.7465})
        for (const unsigned context : {0u, 4096u}) {
          reference::RopeModel m{base, 64};
          m.frequency_scale = 1 / factor, m.ext_factor = ext, m.context = context;
          expect_table(m, "factor " + std::to_string(factor) + " ext " + std::to_string(ext));
          m.factors = factors, m.attention_factor = 1.4245, m.frequency_scale = 1.4245;
          expect_table(m, "frequency factors");
        }
  reference::RopeModel plain{1e4, 64};  // a factor of 1 changes nothing
  reference::RopeModel yarn = plain;
  yarn.ext_factor = 1, yarn.context = 4096;
  const std::int32_t positions[] = {3, 4095};
  GuardedMatrix<float> cosine(2, 64), sine(2, 64), cosine_yarn(2, 64), sine_yarn(2, 64);
  ASSERT_EQ(tessera::rope_table(table_args(plain, positions, cosine, sine)), Status::ok);
  ASSERT_EQ(tessera::rope_table(table_args(yarn, positions, cosine_yarn, sine_yarn)), Status::ok);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t p = 0; p < 64; ++p)
      ASSERT_TRUE(within(std::fabs(difference(cosine(i, p), cosine_yarn(i, p))), 0x1p-24));
}

TEST(RopeForms, Sections) {
  for (const int planes : {1, 2, 3})
    for (const auto& section : {std::vector<unsigned>{16, 24, 24, 0},
                                {11, 11, 10, 0},
                                {8, 8, 8, 8},
                                {5, 0, 3, 1},
                                {0, 0, 0, 2}}) {
      reference::RopeModel m{1e4, 64, planes};
      for (std::size_t i = 0; i < 4; ++i) m.section[i] = section[i];
      expect_table(m, "planes " + std::to_string(planes));
    }
}

TEST(RopeForms, RefusedTables) {
  reference::RopeModel m{1e4, 4, 1, {1, 1, 1, 1}, {1, 1, 1, 1}};
  m.ext_factor = 1, m.context = 4096, m.frequency_scale = 0.5;
  const std::int32_t positions[] = {1, 2, 3, 4, 5, 6, 7, 8};
  GuardedMatrix<float> cosine(2, 4), sine(2, 4);
  const auto refused = [&](Status want, auto spoil) {
    auto args = table_args(m, positions, cosine, sine);
    spoil(args);
    EXPECT_EQ(tessera::check(args), want);
    EXPECT_EQ(tessera::rope_table(args), want);
    EXPECT_TRUE(cosine.untouched());
    EXPECT_TRUE(sine.untouched());
  };
  const double endless = std::numeric_limits<double>::infinity();
  refused(Status::shape_mismatch, [](auto& a) { a.positions = a.positions.first(7); });
  refused(Status::shape_mismatch, [](auto& a) { a.planes = RopePlanes::one; });
  refused(Status::shape_mismatch,
          [](auto& a) { a.frequency_factors = a.frequency_factors.first(3); });
  refused(Status::empty_shape, [](auto& a) {
    for (auto& s : a.section) s = 0;
  });
  refused(Status::not_finite, [&](auto& a) { a.scaling.ext_factor = endless; });
  refused(Status::not_finite, [&](auto& a) { a.scaling.attention_factor = -endless; });
  refused(Status::not_finite, [&](auto& a) { a.scaling.frequency_scale = endless; });
  refused(Status::not_finite, [&](auto& a) { a.scaling.beta_slow = endless; });
  refused(Status::not_positive, [](auto& a) { a.scaling.frequency_scale = 0.0; });
  refused(Status::not_positive, [](auto& a) { a.scaling.beta_fast = -1.0; });
  refused(Status::not_positive, [](auto& a) { a.base = 1.0; });
  refused(Status::position_range, [](auto& a) { a.scaling.frequency_scale = 1e7; });
  m.factors[2] = 1e-7f;
  refused(Status::position_range, [](auto&) {});
  m.factors[2] = 0;
  refused(Status::not_positive, [](auto&) {});
  m.factors[2] = nan;
  refused(Status::not_finite, [](auto&) {});
}

template <class B>
class RopeForms : public OnBackend<B> {};
TYPED_TEST_SUITE(RopeForms, FloatBackends, BackendName);

/// Tables of any angles.
struct Tables {
  GuardedMatrix<float> cosine;
  GuardedMatrix<float> sine;
  Tables(std::size_t rows, std::size_t pairs) : cosine(rows, pairs, 1), sine(rows, pairs) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t p = 0; p < pairs; ++p) {
        const double angle = 0.1 + static_cast<double>(i * pairs + p);
        cosine(i, p) = static_cast<float>(std::cos(angle));
        sine(i, p) = static_cast<float>(std::sin(angle));
      }
  }
};

/// One row rotated in double.
std::vector<double> turned(const std::vector<float>& x, const Tables& t, std::size_t row,
                           Pairing pairing, std::size_t offset, bool inverse) {
  std::vector<double> y(x.begin(), x.end());
  const std::size_t pairs = t.cosine.cols();
  for (std::size_t p = 0; p < pairs; ++p) {
    const std::size_t i = offset + (pairing == Pairing::half ? p : 2 * p);
    const std::size_t j = offset + (pairing == Pairing::half ? p + pairs : 2 * p + 1);
    const double c = t.cosine(row, p);
    const double s = inverse ? -double{t.sine(row, p)} : double{t.sine(row, p)};
    y[i] = double{x[i]} * c - double{x[j]} * s;
    y[j] = double{x[i]} * s + double{x[j]} * c;
  }
  return y;
}

template <class B, class T>
void expect_rotation(double relative) {
  for (const std::size_t pairs : {1, 8, 20, 65})
    for (const std::size_t offset : {0, 3, 32})
      for (const Pairing pairing : {Pairing::interleaved, Pairing::half})
        for (const bool inverse : {false, true}) {
          const std::size_t dim = offset + 2 * pairs + 5;
          const Tables tables(7, pairs);
          const std::int32_t rows[] = {6, 0, 3};
          GuardedBuffer<T> x(2 * 3 * dim), y(2 * 3 * dim), scalar(2 * 3 * dim);
          Random random(dim);
          fill(x.span(), Fill::gaussian, random);
          x.seal();
          const auto n = static_cast<std::ptrdiff_t>(dim);
          tessera::RopeArgs<T> args{{x.data(), 2, 3, dim, 3 * n, n},
                                    {y.data(), 2, 3, dim, 3 * n, n},
                                    tables.cosine.input(),
                                    tables.sine.input(),
                                    pairing,
                                    offset,
                                    inverse,
                                    rows};
          ASSERT_EQ(tessera::rope<B>(args), Status::ok);
          ASSERT_TRUE(y.untouched_outside());
          for (std::size_t r = 0; r < 6; ++r) {
            std::vector<float> in;
            for (std::size_t d = 0; d < dim; ++d) in.push_back(tessera::to_float(x[r * dim + d]));
            const auto want =
                turned(in, tables, static_cast<std::size_t>(rows[r % 3]), pairing, offset, inverse);
            for (std::size_t d = 0; d < dim; ++d) {
              const bool still = d < offset || d >= offset + 2 * pairs;
              const double got = tessera::to_float(y[r * dim + d]);
              ASSERT_TRUE(within(std::fabs(got - want[d]), still ? 0.0 : relative * 8))
                  << pairs << " " << offset << " " << d;
            }
          }
          args.y.data = scalar.data();
          ASSERT_EQ(tessera::rope<tessera::backend::scalar>(args), Status::ok);
          ASSERT_EQ(std::memcmp(y.data(), scalar.data(), y.size() * sizeof(T)), 0);
          x.unseal();
          args.x.data = x.data(), args.y.data = x.data();
          ASSERT_EQ(tessera::rope<B>(args), Status::ok);
          ASSERT_EQ(std::memcmp(y.data(), x.data(), y.size() * sizeof(T)), 0);
        }
}

TYPED_TEST(RopeForms, EveryElementTypeOffsetAndDirection) {
  expect_rotation<TypeParam, float>(0x1p-23);
  expect_rotation<TypeParam, tessera::Float16>(0x1p-11);
  expect_rotation<TypeParam, tessera::BFloat16>(0x1p-8);
}

/// Caches and ids of a graph, caches of 16 bits.
TYPED_TEST(RopeForms, TablesOfHalves) {
  const Tables tables(5, 8);
  GuardedMatrix<tessera::Float16> cosine(5, 8), sine(5, 8);
  GuardedMatrix<float> cosine32(5, 8), sine32(5, 8);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t p = 0; p < 8; ++p) {
      cosine(i, p) = tessera::to_float16(tables.cosine(i, p));
      sine(i, p) = tessera::to_float16(tables.sine(i, p));
      cosine32(i, p) = tessera::to_float(cosine(i, p));
      sine32(i, p) = tessera::to_float(sine(i, p));
    }
  const std::int32_t ids[] = {4, 4, 1};
  const auto x = std::move(Heads(2, 3, 20).fill_with(1));
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    Heads y(2, 3, 20);
    Heads want(2, 3, 20);
    tessera::RopeArgs<float, tessera::Float16> args{
        x.input(), y.view(), cosine.input(), sine.input(), pairing, 2, false, ids};
    ASSERT_EQ(tessera::rope<TypeParam>(args), Status::ok);
    tessera::RopeArgs<> wide{x.input(), want.view(), cosine32.input(), sine32.input(), pairing, 2,
                             false,     ids};
    ASSERT_EQ(tessera::rope<TypeParam>(wide), Status::ok);
    ASSERT_TRUE(same_bits(y.values(), want.values()));
    const std::int32_t wrong[] = {4, 5, 1};
    args.positions = wrong;
    ASSERT_EQ(tessera::rope<TypeParam>(args), Status::position_range);
    args.positions = std::span(ids).first(2);
    ASSERT_EQ(tessera::rope<TypeParam>(args), Status::shape_mismatch);
    args.positions = ids, args.offset = 5;
    ASSERT_EQ(tessera::rope<TypeParam>(args), Status::head_size);
  }
}

template <class B, class F>
void expect_shift(std::size_t blocks, std::size_t pairs, std::size_t offset) {
  using Block = typename F::Block;
  const Tables tables(3, pairs);
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    GuardedBuffer<Block> k(2 * 3 * blocks);
    Random random(blocks);
    std::vector<Block> want;
    std::vector<float> before;
    for (Block& b : k) {
      float x[F::group];
      for (float& v : x) v = random.gaussian();
      F::quantize_block(x, b);
      F::dequantize_block(b, x);
      before.insert(before.end(), x, x + F::group);
      want.push_back(b);
    }
    const auto n = static_cast<std::ptrdiff_t>(blocks);
    tessera::RopeShiftArgs<F> args{{k.data(), 2, 3, blocks, 3 * n, n},
                                   tables.cosine.input(),
                                   tables.sine.input(),
                                   pairing,
                                   offset,
                                   false,
                                   {},
                                   {}};
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    ASSERT_EQ(tessera::rope_shift<B>(args), Status::ok);
    ASSERT_TRUE(k.untouched_outside());
    ASSERT_TRUE(workspace.untouched_outside());
    // The same by the public pieces: rotate the decoded row, encode the blocks that it reaches.
    const std::size_t dim = blocks * F::group;
    Heads row(2, 3, dim);
    for (std::size_t i = 0; i < before.size(); ++i) row.row(0, 0)[i] = before[i];
    ASSERT_EQ(
        tessera::rope<tessera::backend::scalar>(
            {row.input(), row.view(), tables.cosine.input(), tables.sine.input(), pairing, offset}),
        Status::ok);
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t i = 0; i < blocks; ++i) {
        const bool reached = (i + 1) * F::group > offset && i * F::group < offset + 2 * pairs;
        if (reached)
          F::quantize_block(row.row(0, 0) + r * dim + i * F::group, want[r * blocks + i]);
      }
    ASSERT_EQ(std::memcmp(k.data(), want.data(), want.size() * sizeof(Block)), 0);
    args.offset = dim;
    ASSERT_EQ(tessera::rope_shift<B>(args), Status::head_size);
    args.offset = 0;
    args.workspace.scratch = args.workspace.scratch.first(8);
    ASSERT_EQ(tessera::rope_shift<B>(args), Status::scratch_too_small);
    args.k.data = nullptr;
    ASSERT_EQ(tessera::rope_shift<B>(args), Status::null_pointer);
  }
}

TYPED_TEST(RopeForms, ShiftOfACache) {
  expect_shift<TypeParam, tessera::format::q8_0>(4, 64, 0);
  expect_shift<TypeParam, tessera::format::q8_0>(4, 20, 33);
  expect_shift<TypeParam, tessera::format::q4_0>(3, 32, 32);
  expect_shift<TypeParam, tessera::format::q5_1>(2, 32, 0);
}

}  // namespace
}  // namespace tessera_test

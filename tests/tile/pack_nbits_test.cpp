// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The three arrays of MatMulNBits to packed images and back: every bit is kept, values are scale * (code - zero
// point), and wrong arguments are refused before anything is written.
#include "tessera/tile/pack_nbits.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace tessera_test;
using tessera::Status;
using tessera::format::nbits;

using T = tessera::tile::ime1_int8;

/// The arrays of an n x k matrix, between guard pages; nibbles that belong to no block are 0.
template <class F>
struct Arrays {
  std::size_t n, k;
  std::size_t blocks = (k + F::elements - 1) / F::elements;
  GuardedBuffer<std::uint8_t> codes{n * blocks * F::elements / 2};
  GuardedBuffer<typename F::Scale> scales{n * blocks};
  GuardedBuffer<std::uint8_t> zero_points{n * ((blocks + 1) / 2)};

  tessera::NBitsView<F> view() const {
    return {codes.data(), scales.data(), F::has_zero_points ? zero_points.data() : nullptr, n, k};
  }
  tessera::NBitsOutput<F> output() {
    return {codes.data(), scales.data(), F::has_zero_points ? zero_points.data() : nullptr};
  }
  void draw(Random& r) {
    fill_bytes(std::as_writable_bytes(codes.span()), r);
    fill_bytes(std::as_writable_bytes(scales.span()), r);
    fill_bytes(std::as_writable_bytes(zero_points.span()), r);
    if (blocks % 2 != 0)
      for (std::size_t i = 1; i <= n; ++i) zero_points[i * ((blocks + 1) / 2) - 1] &= 15;
  }
  int code(std::size_t i, std::size_t q) const {
    return codes[i * blocks * F::elements / 2 + q / 2] >> q % 2 * 4 & 15;
  }
  int zero_point(std::size_t i, std::size_t b) const {
    return F::has_zero_points ? zero_points[i * ((blocks + 1) / 2) + b / 2] >> b % 2 * 4 & 15 : 8;
  }
  bool untouched_outside() const {
    return codes.untouched_outside() && scales.untouched_outside() &&
           (!F::has_zero_points || zero_points.untouched_outside());
  }
};

template <class F>
void round_trip(std::size_t n, std::size_t k) {
  SCOPED_TRACE(std::string(F::name) + " " + std::to_string(n) + "x" + std::to_string(k));
  Random r(k);
  Arrays<F> w{n, k};
  w.draw(r);
  GuardedBuffer<std::byte> image(tessera::packed_size<F, T>(n, k));
  // In two calls, the last row first.
  ASSERT_EQ((tessera::pack_weights<F, T>(w.view(), image.span(), {n - 1, n})), Status::ok);
  ASSERT_EQ((tessera::pack_weights<F, T>(w.view(), image.span(), {0, n - 1})), Status::ok);
  ASSERT_TRUE(image.untouched_outside());
  Arrays<F> back{n, k};
  ASSERT_EQ((tessera::unpack_weights<F, T>(image.span(), n, k, back.output())), Status::ok);
  ASSERT_TRUE(back.untouched_outside());
  const auto same = [](const auto& a, const auto& b) {
    return same_bytes(std::as_bytes(a.span()), std::as_bytes(b.span()));
  };
  EXPECT_TRUE(same(w.codes, back.codes));
  EXPECT_TRUE(same(w.scales, back.scales));
  if (F::has_zero_points) {
    EXPECT_TRUE(same(w.zero_points, back.zero_points));
  }

  // Values, of scales that are no powers of two.
  for (auto& s : w.scales.span()) {
    const float scale = r.gaussian();
    if constexpr (sizeof s == 2) {
      s = tessera::to_float16(scale);
    } else {
      s = scale;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t b = 0; b < (k + F::group - 1) / F::group; ++b) {
      typename F::Block block;
      float x[F::group];
      F::gather(w.view(), i, b, block);
      F::dequantize_block(block, x);
      for (std::size_t e = 0; e < F::group; ++e) {
        const std::size_t q = b * F::group + e;
        const std::size_t at = q / F::elements;
        if (at >= w.blocks) {
          ASSERT_EQ(x[e], 0.0f);
          continue;
        }
        const double scale = tessera::to_float(w.scales[i * w.blocks + at]);
        const double want = scale * (w.code(i, q) - w.zero_point(i, at));
        ASSERT_TRUE(within(std::fabs(x[e] - want), std::fabs(scale) * 16 * 0x1p-23))
            << i << "," << q;
      }
    }
}

TEST(PackNBits, EveryBitIsKept) {
  for (const std::size_t k : {16, 300}) {
    round_trip<nbits<16, float, true>>(5, k);
    round_trip<nbits<16, tessera::Float16, false>>(3, k);
    round_trip<nbits<32, tessera::Float16, true>>(9, k);
    round_trip<nbits<64, float, false>>(4, k);
    round_trip<nbits<256, float, true>>(2, k);
  }
}

TEST(PackNBits, NamesAndNumbersAreTheirOwn) {
  EXPECT_STREQ((nbits<16, float, false>::name), "nbits16_f32");
  EXPECT_STREQ((nbits<256, tessera::Float16, true>::name), "nbits256_f16z");
  EXPECT_NE((nbits<16, float, true>::id), (nbits<16, float, false>::id));
  EXPECT_NE((nbits<16, float, true>::id), (nbits<16, tessera::Float16, true>::id));
}

TEST(PackNBits, WrongArgumentsAreRefused) {
  using F = nbits<32, float, true>;
  Arrays<F> w{3, 40};
  Random r(1);
  w.draw(r);
  GuardedBuffer<std::byte> image(tessera::packed_size<F, T>(3, 40));
  const auto pack = [&](tessera::NBitsView<F> v, std::size_t bytes, tessera::RowRange range = {}) {
    return tessera::pack_weights<F, T>(v, image.span().first(bytes), range);
  };
  const auto with = [&](auto change) {
    auto v = w.view();
    change(v);
    return v;
  };
  const std::size_t all = image.size();
  EXPECT_EQ(pack(with([](auto& v) { v.codes = nullptr; }), all), Status::null_pointer);
  EXPECT_EQ(pack(with([](auto& v) { v.scales = nullptr; }), all), Status::null_pointer);
  EXPECT_EQ(pack(with([](auto& v) { v.zero_points = nullptr; }), all), Status::null_pointer);
  EXPECT_EQ(pack(with([](auto& v) { v.rows = 0; }), all), Status::empty_shape);
  EXPECT_EQ(pack(with([](auto& v) { v.cols = 0; }), all), Status::empty_shape);
  EXPECT_EQ(pack(with([](auto& v) { v.cols = SIZE_MAX; }), all), Status::shape_too_large);
  EXPECT_EQ(pack(w.view(), all - 1), Status::packed_too_small);
  EXPECT_EQ(pack(w.view(), all, {2, 4}), Status::bad_unit_range);
  EXPECT_EQ(pack(with([](auto& v) {
                   v.scales = reinterpret_cast<const float*>(
                       reinterpret_cast<const std::byte*>(v.scales) + 2);
                 }),
                 all),
            Status::misaligned);
  EXPECT_TRUE(image.untouched());

  ASSERT_EQ(pack(w.view(), all), Status::ok);
  Arrays<F> back{3, 40};
  auto out = back.output();
  EXPECT_EQ((tessera::unpack_weights<F, T>(image.span(), 3, 72, out)), Status::packed_shape);
  EXPECT_EQ((tessera::unpack_weights<F, T>(image.span(), 3, 40, out, {1, 4})),
            Status::bad_unit_range);
  out.zero_points = nullptr;
  EXPECT_EQ((tessera::unpack_weights<F, T>(image.span(), 3, 40, out)), Status::null_pointer);
  EXPECT_TRUE(back.codes.untouched() && back.scales.untouched());
}

}  // namespace

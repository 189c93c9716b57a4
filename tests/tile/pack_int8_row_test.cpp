// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Codes with a scale and a zero point per row to packed images and back: every bit is kept, floats become codes by the
// documented rules, and wrong arguments are refused before anything is written.
#include "tessera/tile/pack_int8_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/reference/activations.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace tessera_test;
using tessera::Status;
using tessera::format::i8_row;
using tessera::format::u8_row;

using T = tessera::tile::ime1_int8;

/// The arrays of an n x k matrix between guard pages, rows two codes apart.
template <class F>
struct Arrays {
  using Code = typename F::Code;
  std::size_t n, k;
  GuardedMatrix<Code> codes{n, k, 2};
  GuardedBuffer<float> scales{n};
  GuardedBuffer<Code> zero_points{n};

  tessera::RowView<F> view() const {
    return {codes.row(0),
            scales.data(),
            zero_points.data(),
            n,
            k,
            static_cast<std::ptrdiff_t>(codes.stride())};
  }
  tessera::RowOutput<F> output() {
    return {codes.row(0), scales.data(), zero_points.data(),
            static_cast<std::ptrdiff_t>(codes.stride())};
  }
  void draw(std::uint64_t seed) {
    Random r(seed);
    for (std::size_t i = 0; i < n; ++i) fill_bytes(std::as_writable_bytes(codes.row_span(i)), r);
    fill_bytes(std::as_writable_bytes(scales.span()), r);
    fill_bytes(std::as_writable_bytes(zero_points.span()), r);
  }
  bool untouched() const {
    return codes.untouched() && scales.untouched() && zero_points.untouched();
  }
};

template <class F>
void round_trip(std::size_t n, std::size_t k) {
  SCOPED_TRACE(std::string(F::name) + " " + std::to_string(n) + "x" + std::to_string(k));
  Arrays<F> w{n, k};
  w.draw(k);
  GuardedBuffer<std::byte> image(tessera::packed_size<F, T>(n, k));
  // In two calls, the last row first.
  ASSERT_EQ((tessera::pack_weights<F, T>(w.view(), image.span(), {n - 1, n})), Status::ok);
  ASSERT_EQ((tessera::pack_weights<F, T>(w.view(), image.span(), {0, n - 1})), Status::ok);
  ASSERT_TRUE(image.untouched_outside());
  Arrays<F> back{n, k};
  ASSERT_EQ((tessera::unpack_weights<F, T>(image.span(), n, k, back.output())), Status::ok);
  ASSERT_TRUE(back.codes.untouched_outside() && back.scales.untouched_outside() &&
              back.zero_points.untouched_outside());
  const auto same = [](const auto& a, const auto& b) {
    return same_bytes(std::as_bytes(a), std::as_bytes(b));
  };
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_TRUE(same(w.codes.row_span(i), back.codes.row_span(i))) << i;
  EXPECT_TRUE(same(w.scales.span(), back.scales.span()));
  EXPECT_TRUE(same(w.zero_points.span(), back.zero_points.span()));
}

TEST(PackInt8Row, EveryBitIsKept) {
  for (const std::size_t k : {1, 31, 32, 100}) {
    round_trip<i8_row>(5, k);
    round_trip<u8_row>(k % 4 + 1, k);
  }
  EXPECT_LE((tessera::packed_size<u8_row, T>(384, 1024)), 384 * (1024 + 5) * 106 / 100);
}

/// The documented rules, in double.
template <class F>
void quantise(const std::vector<float>& x) {
  float scale = 0;
  typename F::Code zero = 1;
  std::vector<typename F::Code> codes(x.size());
  std::vector<float> back(x.size());
  F::choose_scale(x.data(), x.size(), scale, zero);
  F::quantize_codes(x.data(), x.size(), scale, zero, codes.data());
  F::dequantize_codes(codes.data(), x.size(), scale, zero, back.data());
  const double low = std::min(0.0f, *std::min_element(x.begin(), x.end()));
  const double high = std::max(0.0f, *std::max_element(x.begin(), x.end()));
  const bool is_signed = F::is_signed;
  const double least = is_signed ? -127 : 0;
  const double most = is_signed ? 127 : 255;
  const auto want = static_cast<float>(is_signed ? std::max(-low, high) / 127
                                                 : static_cast<float>(high - low) / 255.0);
  ASSERT_EQ(scale, want);
  const auto quotient = [&](double v) {
    return scale == 0 ? 0.0 : reference::nearest_even(static_cast<float>(v / scale));
  };
  const double shift = is_signed ? 0 : std::clamp(quotient(-low), 0.0, 255.0);
  ASSERT_EQ(zero, shift);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(codes[i], std::clamp(quotient(x[i]) + shift, least, most)) << i;
    ASSERT_EQ(back[i], static_cast<float>(double{scale} * (codes[i] - shift))) << i;
  }
}

TEST(PackInt8Row, FloatsAreQuantisedByTheRules) {
  Random r(7);
  for (const Fill kind :
       {Fill::gaussian, Fill::uniform, Fill::one_hot, Fill::integers, Fill::tiny}) {
    std::vector<float> x(77);
    fill(std::span<float>(x), kind, r);
    quantise<i8_row>(x);
    quantise<u8_row>(x);
  }
  for (const auto& x : std::vector<std::vector<float>>{
           {0, 0}, {3}, {-2, -5}, {127, 0.5f, 1.5f, -0.5f}, {255, 0.5f, 1.5f, 2.5f}, {1e-45f, 0}}) {
    quantise<i8_row>(x);
    quantise<u8_row>(x);
  }
  // Not finite: the row is NaN. The largest range: no infinite scale.
  const float infinite[] = {1, __builtin_inff()};
  const float wide[] = {-0x1.fp127f, 0x1.fp127f};
  float scale = 0;
  std::uint8_t zero = 1;
  std::uint8_t codes[2] = {7, 7};
  u8_row::choose_scale(infinite, 2, scale, zero);
  u8_row::quantize_codes(infinite, 2, scale, zero, codes);
  EXPECT_TRUE(scale != scale && zero == 0 && codes[0] == 0 && codes[1] == 0);
  u8_row::choose_scale(wide, 2, scale, zero);
  EXPECT_LT(scale, 0x1p121f);
}

TEST(PackInt8Row, WrongArgumentsAreRefused) {
  using F = u8_row;
  Arrays<F> w{3, 40};
  w.draw(1);
  GuardedBuffer<std::byte> image(tessera::packed_size<F, T>(3, 40));
  const auto pack = [&](auto change, std::size_t missing = 0, tessera::RowRange range = {}) {
    auto v = w.view();
    change(v);
    return tessera::pack_weights<F, T>(v, image.span().first(image.size() - missing), range);
  };
  const auto as_it_is = [](auto&) {};
  EXPECT_EQ(pack([](auto& v) { v.codes = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](auto& v) { v.scales = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](auto& v) { v.rows = 0; }), Status::empty_shape);
  EXPECT_EQ(pack([](auto& v) { v.cols = 0; }), Status::empty_shape);
  EXPECT_EQ(pack([](auto& v) { v.cols = SIZE_MAX; }), Status::shape_too_large);
  EXPECT_EQ(pack([](auto& v) { v.row_stride = 39; }), Status::stride_too_small);
  EXPECT_EQ(pack(as_it_is, 1), Status::packed_too_small);
  EXPECT_EQ(pack(as_it_is, 0, {2, 4}), Status::bad_unit_range);
  EXPECT_EQ(pack([](auto& v) {
              v.scales =
                  reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(v.scales) + 2);
            }),
            Status::misaligned);
  EXPECT_TRUE(image.untouched());

  ASSERT_EQ(pack(as_it_is), Status::ok);
  Arrays<F> back{3, 40};
  const auto unpack = [&](std::size_t k, tessera::RowOutput<F> out, tessera::RowRange range = {}) {
    return tessera::unpack_weights<F, T>(image.span(), 3, k, out, range);
  };
  auto out = back.output();
  EXPECT_EQ(unpack(72, out), Status::packed_shape);
  EXPECT_EQ(unpack(40, out, {1, 4}), Status::bad_unit_range);
  out.zero_points = nullptr;  // would lose some
  EXPECT_EQ(unpack(40, out), Status::null_pointer);
  EXPECT_TRUE(back.untouched());
  // Without zero points they are 0, and need not be asked for.
  ASSERT_EQ(pack([](auto& v) { v.zero_points = nullptr; }), Status::ok);
  EXPECT_EQ(unpack(40, out), Status::ok);
  EXPECT_TRUE(back.zero_points.untouched());
  EXPECT_EQ(back.codes(2, 39), w.codes(2, 39));
}

}  // namespace

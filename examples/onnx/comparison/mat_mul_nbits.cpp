// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "examples/onnx/comparison/cases.hpp"

namespace tessera_onnx {
namespace {

struct Shape {
  std::size_t m, n, k;
};

struct Weights {
  std::size_t blocks;
  std::vector<std::uint8_t> codes, zero_points;  ///< two a byte, low nibble first
  std::vector<float> scales;

  Weights(std::mt19937& r, const Shape& s, std::size_t block, bool with_zero_points)
      : blocks((s.k + block - 1) / block),
        codes(s.n * blocks * block / 2),
        zero_points(with_zero_points ? s.n * ((blocks + 1) / 2) : 0),
        scales(s.n * blocks) {
    for (auto* bytes : {&codes, &zero_points})
      for (std::uint8_t& b : *bytes) b = static_cast<std::uint8_t>(r() % 256);
    std::uniform_real_distribution<float> scale(0.01f, 0.1f);
    for (float& x : scales) x = scale(r);
  }
  [[nodiscard]] static int nibble(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    return bytes[at / 2] >> at % 2 * 4 & 15;
  }
  /// Weight k of row n, exactly.
  [[nodiscard]] double value(std::size_t n, std::size_t k, std::size_t block) const {
    const std::size_t b = k / block;
    const int zero = zero_points.empty() ? 8 : nibble(zero_points, n * ((blocks + 1) / 2) * 2 + b);
    const int code = nibble(codes, n * blocks * block + k);
    return static_cast<double>(scales[n * blocks + b]) * (code - zero);
  }
};

/// The activations that the library multiplies: int8 codes times a scale, per row and 32 elements.
std::vector<float> quantised(const std::vector<float>& a, const Shape& s) {
  std::vector<float> rounded(a.size());
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t first = 0; first < s.k; first += 32) {
      const std::size_t begin = i * s.k + first, end = i * s.k + std::min(first + 32, s.k);
      float largest = 0;
      for (std::size_t e = begin; e < end; ++e) largest = std::max(largest, std::fabs(a[e]));
      const float scale = largest / 127, inverse = 1 / scale;
      for (std::size_t e = begin; e < end; ++e) rounded[e] = std::nearbyint(a[e] * inverse) * scale;
    }
  return rounded;
}

Numbers product(const std::vector<float>& a, const Weights& w, const std::vector<float>& bias,
                const Shape& s, std::size_t block) {
  std::vector<double> row(s.k);
  Numbers c(s.m * s.n);
  for (std::size_t j = 0; j < s.n; ++j) {
    for (std::size_t k = 0; k < s.k; ++k) row[k] = w.value(j, k, block);
    for (std::size_t i = 0; i < s.m; ++i) {
      double sum = bias.empty() ? 0.0 : static_cast<double>(bias[j]);
      for (std::size_t k = 0; k < s.k; ++k) sum += static_cast<double>(a[i * s.k + k]) * row[k];
      c[i * s.n + j] = sum;
    }
  }
  return c;
}

struct Options {
  bool zero_points = false, bias = false, constant = true;
  std::size_t sequences = 1;  ///< above 1: A has three dimensions
};

Case make(std::mt19937& r, const Shape& s, std::size_t block, const Options& o) {
  const Weights w(r, s, block, o.zero_points);
  const auto a = random_floats(r, s.m * s.k);
  const auto bias = random_floats(r, o.bias ? s.n : 0);
  const auto i = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  Case c{};
  c.op = "MatMulNBits";
  c.name = "block " + std::to_string(block) + (o.zero_points ? ", zero points" : "") +
           (o.bias ? ", bias" : "") + (o.constant ? "" : ", weights not constant") + ", " +
           (o.sequences > 1 ? std::to_string(o.sequences) + " x " : "") +
           std::to_string(s.m / o.sequences) + " x " + std::to_string(s.n) + " x " +
           std::to_string(s.k);
  const std::vector<std::int64_t> a_shape =
      o.sequences > 1 ? std::vector<std::int64_t>{i(o.sequences), i(s.m / o.sequences), i(s.k)}
                      : std::vector<std::int64_t>{i(s.m), i(s.k)};
  c.inputs = {
      {"a", array_of(a_shape, a)},
      {"codes", array_of({i(s.n), i(w.blocks), i(block / 2)}, w.codes), o.constant},
      {"scales", array_of({i(s.n * w.blocks)}, w.scales), o.constant},
      {"zero_points", o.zero_points ? array_of({i(w.zero_points.size())}, w.zero_points) : Array{},
       o.constant},
      {"", {}},
      {"bias", o.bias ? array_of({i(s.n)}, bias) : Array{}, true}};
  c.attributes = {{"K", i(s.k)}, {"N", i(s.n)}, {"bits", i(4)}, {"block_size", i(block)}};
  c.expected = {product(a, w, bias, s, block)};
  c.limit = product_limit;
  c.own_limit = quantised_limit;
  c.as_defined = {product(quantised(a, s), w, bias, s, block)};
  c.other_way = {{"accuracy_level", i(4)}};
  c.may_be_missing = o.bias;
  return c;
}

}  // namespace

std::vector<Case> mat_mul_nbits_cases() {
  std::mt19937 r(1);
  std::vector<Case> cases;
  for (const std::size_t block : {16, 32, 64, 128, 256})
    for (const bool zero_points : {false, true})
      for (const Shape& s : {Shape{1, 64, 512}, Shape{5, 33, 300}, Shape{32, 48, 1024}})
        cases.push_back(make(r, s, block, {.zero_points = zero_points}));
  cases.push_back(make(r, {6, 40, 256}, 32, {.sequences = 2}));
  cases.push_back(make(r, {3, 40, 256}, 32, {.zero_points = true, .constant = false}));
  cases.push_back(make(r, {3, 40, 256}, 32, {.bias = true}));
  return cases;
}

}  // namespace tessera_onnx

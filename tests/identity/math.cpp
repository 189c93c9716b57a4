// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The functions of core/math.hpp at every exponent, and 16-bit loads and stores of the lanes.
#include "tessera/core/math.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/identity/matmul.hpp"

namespace identity {
namespace {

/// Every exponent with eight mantissas and both signs, then the special values.
std::vector<float> sweep() {
  std::vector<float> x;
  tessera_test::Random random(7000);
  for (std::uint32_t e = 0; e < 255; ++e)
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::uint32_t fixed[] = {0, 1, 0x400000, 0x7fffff};
      const std::uint32_t mantissa = i / 2 < 4 ? fixed[i / 2] : random.bits32() & 0x7fffffu;
      x.push_back(tessera::from_bits((i & 1) << 31 | e << 23 | mantissa));
    }
  for (const std::uint32_t bits : tessera_test::special_float_bits)
    x.push_back(tessera::from_bits(bits));
  return x;
}

/// The function of the list by its number, over lanes or in double.
template <class D, class V>
auto lanes_function(std::size_t which, D d, V x) {
  auto y = tessera::exp(d, x);
  if (which == 1) y = tessera::log1p(d, x);
  if (which == 2) y = tessera::sigmoid(d, x);
  if (which == 3) y = tessera::silu(d, x);
  if (which == 4) y = tessera::softplus(d, x);
  if (which == 5) y = tessera::tanh(d, x);
  if (which == 6) y = tessera::gelu(d, x);
  return y;
}
/// Twice the argument of gelu's tanh.
double gelu_argument(double x) {
  return std::sqrt(8 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}
double exact_function(std::size_t which, double x) {
  if (which == 0) return std::exp(x);
  if (which == 1) return std::log1p(x);
  if (which == 2) return 1 / (1 + std::exp(-x));
  if (which == 3) return x / (1 + std::exp(-x));
  if (which == 5) return std::tanh(x);
  if (which == 6) return x / (1 + std::exp(-gelu_argument(x)));
  return x > 20 ? x : std::log1p(std::exp(x));
}

/// Documented with at most 3 ulp, so 6 roundings; subnormal sigmoids with 2 spacings, times x in silu. The
/// exponent of gelu's sigmoid has a relative error of its own.
reference::Expected expected_function(std::size_t which, const std::vector<float>& x) {
  reference::Expected want;
  for (const float e : x) {
    want.value.push_back(exact_function(which, e));
    const double z = which == 6 ? std::fmin(std::fabs(gelu_argument(double{e})), 105.0) : 0.0;
    const double subnormal = which == 6 ? 512.0 : 1 + std::fmin(std::fabs(double{e}), 105.0);
    want.limit.push_back(reference::relative_limit(6.0 + 3 * z) * std::fabs(want.value.back()) +
                         reference::smallest * 2 * subnormal);
  }
  return want;
}

/// Finite arguments with finite results can be held against float64; all are hashed.
template <class B>
void add_functions(Run& run) {
  const std::vector<float> x = sweep();
  for (std::size_t which = 0; which < std::size(math_cases); ++which) {
    std::vector<float> y(x.size());
    B::Vectors::template for_lanes<1>(x.size(), [&](auto d, std::size_t i) {
      d.store(y.data() + i, lanes_function(which, d, d.load(x.data() + i)));
    });
    std::vector<float> finite;
    std::vector<float> at;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = exact_function(which, double{x[i]});
      if (!std::isfinite(x[i]) || !(std::fabs(exact) < 0x1.fffffep127)) continue;
      finite.push_back(y[i]);
      at.push_back(x[i]);
    }
    run.add(std::string("math ") + math_cases[which], y);
    run.add(std::string("math ") + math_cases[which] + " finite", finite,
            [&] { return expected_function(which, at); });
  }
}

/// The value of an f16 by its definition.
double exact_half(unsigned h) {
  const int e = h >> 10 & 31;
  const double m = h & 1023;
  const double v = e == 0 ? std::ldexp(m, -24) : std::ldexp(m + 1024, e - 25);
  return h & 0x8000u ? -v : v;
}
bool finite_half(unsigned h) {
  return (h & 0x7c00u) != 0x7c00u;
}

template <class B, class Half>
std::vector<float> loaded() {
  std::vector<Half> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i].bits = static_cast<std::uint16_t>(i);
  std::vector<float> out(in.size());
  B::Vectors::template for_lanes<1>(
      in.size(), [&](auto d, std::size_t i) { d.store(out.data() + i, d.load(in.data() + i)); });
  return out;
}

/// Halfway points of all neighbours among `values`, a float below and above, and the sweep.
std::vector<float> around_halfway(const std::vector<float>& values) {
  std::vector<float> x = sweep();
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (!std::isfinite(values[i]) || !std::isfinite(values[i + 1])) continue;
    const auto middle = static_cast<float>((double{values[i]} + double{values[i + 1]}) / 2);
    for (const int step : {-1, 0, 1})
      x.push_back(tessera::from_bits(tessera::bits_of(middle) + static_cast<std::uint32_t>(step)));
  }
  return x;
}

/// Stored codes as floats; each finite one within half a spacing of a type with `bits` of mantissa and
/// `lowest` normal exponent.
template <class B, class Half>
void add_stores(Run& run, const std::string& name, const std::vector<float>& x, int bits,
                int lowest) {
  std::vector<Half> out(x.size());
  B::Vectors::template for_lanes<1>(
      x.size(), [&](auto d, std::size_t i) { d.store(out.data() + i, d.load(x.data() + i)); });
  std::vector<float> codes;
  std::vector<float> finite;
  reference::Expected want;
  for (std::size_t i = 0; i < x.size(); ++i) {
    codes.push_back(tessera::to_float(out[i]));
    if (!std::isfinite(x[i]) || !std::isfinite(codes.back())) continue;
    finite.push_back(codes.back());
    want.value.push_back(x[i]);
    int exponent = 0;
    std::frexp(x[i], &exponent);
    want.limit.push_back(std::ldexp(0.5, std::max(exponent - 1, lowest) - bits));
  }
  run.add(name, codes);
  run.add(name + " finite", finite, [&] { return want; });
}

template <class B>
void add_conversions(Run& run) {
  const auto half = loaded<B, tessera::Float16>();
  std::vector<float> finite;
  for (unsigned h = 0; h < half.size(); ++h)
    if (finite_half(h)) finite.push_back(half[h]);
  run.add("convert f16 to f32", half);
  run.add("convert f16 to f32 finite", finite, [&] {
    reference::Expected want;
    for (unsigned h = 0; h < half.size(); ++h)
      if (finite_half(h)) want.value.push_back(exact_half(h));
    want.limit.assign(want.value.size(), 0.0);
    return want;
  });
  const auto brain = loaded<B, tessera::BFloat16>();
  run.add("convert bf16 to f32", brain);
  add_stores<B, tessera::Float16>(run, "convert f32 to f16", around_halfway(half), 10, -14);
  add_stores<B, tessera::BFloat16>(run, "convert f32 to bf16", around_halfway(brain), 7, -126);
}

}  // namespace

void add_math(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_functions<B>(run);
    add_conversions<B>(run);
  });
}

}  // namespace identity

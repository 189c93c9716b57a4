// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Mamba-2 (48 heads of 64, 128 states), Mamba-1 (1024 channels, 16 states), 64 tokens each, and one token
// of Mamba-2 on states that rotate over 64 MB; each beside the same as a plain loop.
#include "tessera/ssm_scan.hpp"

#include <cmath>
#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Shape {
  const char* name;
  std::size_t heads, dim, states, tokens;
  bool rate_per_state;
  std::size_t slots;
};
constexpr Shape shapes[] = {
    {"mamba2_N128_P64_H48_T64", 48, 64, 128, 64, false, 1},
    {"mamba1_N16_C1024_T64", 1024, 1, 16, 64, true, 1},
    {"mamba2_N128_P64_H48_T1", 48, 64, 128, 1, false, 48},
};

struct Problem {
  Shape s;
  std::size_t columns = s.heads * s.dim;
  std::size_t size = s.states * columns;
  Buffer<float> x{s.tokens * columns}, dt{s.tokens * s.heads}, y{s.tokens * columns};
  Buffer<float> a{(s.rate_per_state ? s.states : 1) * s.heads};
  Buffer<float> b{s.tokens * s.states}, c{s.tokens * s.states};
  Buffer<float> states{s.slots * size};
  Buffer<std::byte> scratch{0};
  tessera::Sequence sequence = {0, s.tokens, 0};

  explicit Problem(const Shape& shape) : s(shape) {
    fill(x.span(), 1), fill(dt.span(), 2), fill(a.span(), 3), fill(b.span(), 4);
    fill(c.span(), 5), fill(states.span(), 6);
    for (float& v : dt.span()) v = v * 2 - 3;
    for (float& v : a.span()) v = v * 0.25f - 0.75f;
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  tessera::HeadView<const float> rows(const float* p, std::size_t heads, std::size_t dim) const {
    return {p,
            heads,
            s.tokens,
            dim,
            static_cast<std::ptrdiff_t>(dim),
            static_cast<std::ptrdiff_t>(heads * dim)};
  }
  tessera::SsmScanArgs args() {
    tessera::SsmScanArgs r;
    r.x = rows(x.data(), s.heads, s.dim);
    r.b = rows(b.data(), 1, s.states);
    r.c = rows(c.data(), 1, s.states);
    r.y = {y.data(), s.heads, s.tokens, s.dim, r.x.head_stride, r.x.token_stride};
    r.dt = tessera::time_major<const float>(dt.data(), s.tokens, s.heads);
    r.a = tessera::time_major<const float>(a.data(), s.rate_per_state ? s.states : 1, s.heads);
    r.sequences = {&sequence, 1};
    r.states = {states.data(), s.slots, static_cast<std::ptrdiff_t>(size)};
    r.workspace.scratch = scratch.span();
    return r;
  }
  void next() { sequence.slot = (sequence.slot + 1) % s.slots; }
};

/// What one writes first: states innermost, libm's exponentials.
void plain_loop(Problem& p) {
  const Shape& s = p.s;
  float* slot = p.states.data() + p.sequence.slot * p.size;
  for (std::size_t t = 0; t < s.tokens; ++t)
    for (std::size_t h = 0; h < s.heads; ++h) {
      const float dt = p.dt[t * s.heads + h];
      const float step = dt > 20 ? dt : std::log1p(std::exp(dt));
      const float decay = std::exp(step * p.a[h]);
      for (std::size_t q = 0; q < s.dim; ++q) {
        const std::size_t column = h * s.dim + q;
        const float u = p.x[t * p.columns + column] * step;
        float sum = 0;
        for (std::size_t n = 0; n < s.states; ++n) {
          float& m = slot[column * s.states + n];
          const float d = s.rate_per_state ? std::exp(step * p.a[n * s.heads + h]) : decay;
          m = m * d + p.b[t * s.states + n] * u;
          sum += m * p.c[t * s.states + n];
        }
        p.y[t * p.columns + column] = sum;
      }
    }
  benchmark::ClobberMemory();
}

/// What the memory allows: scales the same states in place.
void scale_states(Problem& p) {
  float* slot = p.states.data() + p.sequence.slot * p.size;
  for (std::size_t i = 0; i < p.size; ++i) slot[i] *= 0.999f;
  benchmark::ClobberMemory();
}

template <class Run>
void add(const std::string& name, const Shape& s, Run run) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(s);
        const auto updates = static_cast<double>(s.tokens * s.heads * s.dim * s.states);
        const auto elements = static_cast<double>(p.size);
        // One token reads the states once; more of them are arithmetic.
        const bool one = s.tokens == 1;
        Limited(state, one ? Peak::read : Peak::fma, one ? 4 * elements : 5 * updates).run([&] {
          run(p), p.next();
        });
        count(state, 5 * updates, 8 * elements);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

template <class B>
void add_kernel(const std::string& backend, const Shape& s) {
  const std::string name = "ssm_scan/" + backend + "/" + s.name;
  Problem p(s), reference(s);
  require(tessera::ssm_scan<B>(p.args()), name);
  require(tessera::ssm_scan<tessera::backend::scalar>(reference.args()), name);
  require_same(p.y.span(), reference.y.span(), name);
  require_same(p.states.span(), reference.states.span(), name);
  add(name, s, [=](Problem& q) { require(tessera::ssm_scan<B>(q.args()), name); });
}

}  // namespace

void register_benches() {
  for (const Shape& s : shapes) {
    add(std::string("ssm_scan/plain_loop/") + s.name, s, plain_loop);
    if (s.tokens == 1) add(std::string("ssm_scan/scale_states/") + s.name, s, scale_states);
    for_backends([&](auto b, const std::string& backend) {
      add_kernel<typename decltype(b)::type>(backend, s);
    });
  }
}

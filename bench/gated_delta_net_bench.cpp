// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Gated delta rule, 32 heads of 128, 64 tokens, and one token on states that rotate over 64 MB; beside
// the same as a plain loop.
#include "tessera/gated_delta_net.hpp"

#include <cmath>
#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr std::size_t heads = 32, dim = 128, size = heads * dim * dim;
  std::size_t tokens, slots;
  tessera::DeltaNetAlgorithm algorithm = tessera::DeltaNetAlgorithm::sequential;
  Buffer<float> q{tokens * heads * dim}, k{tokens * heads * dim}, v{tokens * heads * dim};
  Buffer<float> gate{tokens * heads}, beta{tokens * heads}, out{tokens * heads * dim};
  Buffer<float> states{slots * size};
  Buffer<std::byte> scratch{0};
  tessera::Sequence sequence = {0, tokens, 0};

  Problem(std::size_t t, std::size_t s, bool chunked) : tokens(t), slots(s) {
    if (chunked) algorithm = tessera::DeltaNetAlgorithm::chunked;
    fill(q.span(), 1), fill(k.span(), 2), fill(v.span(), 3), fill(gate.span(), 4);
    fill(beta.span(), 5), fill(states.span(), 6);
    for (auto* rows : {&q, &k})
      for (float& x : rows->span()) x *= 0.15f;  // about unit length
    for (float& x : gate.span()) x = x * 2 - 2.1f;
    for (float& x : beta.span()) x = x * 0.5f + 0.5f;
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  tessera::HeadView<const float> rows(const float* p, std::size_t n) const {
    return {p,
            heads,
            tokens,
            n,
            static_cast<std::ptrdiff_t>(n),
            static_cast<std::ptrdiff_t>(heads * n)};
  }
  tessera::GatedDeltaNetArgs args() {
    tessera::GatedDeltaNetArgs a = {tessera::HeadMap::modulo()};
    a.q = rows(q.data(), dim), a.k = rows(k.data(), dim), a.v = rows(v.data(), dim);
    a.log_gate = rows(gate.data(), 1);
    a.out = {out.data(), heads, tokens, dim, a.q.head_stride, a.q.token_stride};
    a.beta = tessera::time_major<const float>(beta.data(), tokens, heads);
    a.scale = 0.088388347648318447f;
    a.algorithm = algorithm;
    a.sequences = {&sequence, 1};
    a.states = {states.data(), slots, static_cast<std::ptrdiff_t>(size)};
    a.workspace.scratch = scratch.span();
    return a;
  }
  void next() { sequence.slot = (sequence.slot + 1) % slots; }
};

/// What one writes first: value rows over keys.
void plain_loop(Problem& p) {
  constexpr std::size_t n = Problem::dim;
  float* slot = p.states.data() + p.sequence.slot * Problem::size;
  for (std::size_t t = 0; t < p.tokens; ++t)
    for (std::size_t h = 0; h < Problem::heads; ++h) {
      const std::size_t row = (t * Problem::heads + h) * n;
      const float gate = std::exp(p.gate[t * Problem::heads + h]);
      for (std::size_t j = 0; j < n; ++j) {
        float* m = slot + (h * n + j) * n;
        float seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
          m[i] *= gate;
          seen += m[i] * p.k[row + i];
        }
        const float delta = (p.v[row + j] - seen) * p.beta[t * Problem::heads + h];
        float sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          m[i] += delta * p.k[row + i];
          sum += m[i] * p.q[row + i];
        }
        p.out[row + j] = sum * 0.088388347648318447f;
      }
    }
  benchmark::ClobberMemory();
}

/// What the memory allows: scales the same states in place.
void scale_states(Problem& p) {
  float* slot = p.states.data() + p.sequence.slot * Problem::size;
  for (std::size_t i = 0; i < Problem::size; ++i) slot[i] *= 0.999f;
  benchmark::ClobberMemory();
}

template <class Run>
void add(const std::string& what, std::size_t tokens, std::size_t slots, bool chunked, Run run) {
  const std::string name = "gated_delta_net/" + what + "/S128_H32_T" + std::to_string(tokens) +
                           (chunked ? "_chunked" : "");
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(tokens, slots, chunked);
        constexpr auto elements = static_cast<double>(Problem::size);
        const double operations = 8 * elements * static_cast<double>(tokens);
        // One token reads the states once; more of them are arithmetic.
        const bool one = tokens == 1;
        Limited(state, one ? Peak::read : Peak::fma, one ? 4 * elements : operations).run([&] {
          run(p), p.next();
        });
        count(state, operations, 8 * elements);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

template <class B>
void add_kernel(const std::string& backend, std::size_t tokens, std::size_t slots, bool chunked) {
  Problem p(tokens, slots, chunked), reference(tokens, slots, chunked);
  require(tessera::gated_delta_net<B>(p.args()), backend);
  require(tessera::gated_delta_net<tessera::backend::scalar>(reference.args()), backend);
  require_same(p.out.span(), reference.out.span(), backend);
  require_same(p.states.span(), reference.states.span(), backend);
  add(backend, tokens, slots, chunked,
      [](Problem& q) { require(tessera::gated_delta_net<B>(q.args()), "gated_delta_net"); });
}

}  // namespace

void register_benches() {
  struct {
    std::size_t tokens, slots;
    bool chunked;
  } constexpr runs[] = {{64, 1, false}, {64, 1, true}, {1, 40, false}};
  for (const auto& r : runs) {
    if (!r.chunked) add("plain_loop", r.tokens, r.slots, false, plain_loop);
    if (r.tokens == 1) add("scale_states", r.tokens, r.slots, false, scale_states);
    for_backends([&](auto b, const std::string& backend) {
      add_kernel<typename decltype(b)::type>(backend, r.tokens, r.slots, r.chunked);
    });
  }
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// softplus, sigmoid and silu of rows.
#include "tessera/activation.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  std::size_t rows, cols;
  Buffer<float> x, y;
  Problem(std::size_t r, std::size_t c) : rows(r), cols(c), x(r * c), y(r * c) {
    fill(x.span(), 1);
    for (float& v : x.span()) v *= 8;
  }
  tessera::ActivationArgs args() {
    return {tessera::matrix<const float>(x.data(), rows, cols),
            tessera::matrix(y.data(), rows, cols)};
  }
};

/// `run(Type<B>, args)` is the function.
template <class B, class Run>
void add(const std::string& function, const std::string& backend, Run run) {
  const std::size_t rows = 4096, cols = 256;
  const std::string name = function + "/" + backend + "/4096x256";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(rows, cols), reference(rows, cols);
        require(run(tessera::Type<B>{}, p.args()), name);
        require(run(tessera::Type<tessera::backend::scalar>{}, reference.args()), name);
        require_same(p.y.span(), reference.y.span(), name);
        const auto elements = static_cast<double>(rows * cols);
        const double bytes = elements * 2 * sizeof(float);
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(run(tessera::Type<B>{}, p.args()), name);
        });
        count(state, elements, bytes);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    add<B>("softplus", backend,
           []<class C>(tessera::Type<C>, const auto& a) { return tessera::softplus<C>(a); });
    add<B>("sigmoid", backend,
           []<class C>(tessera::Type<C>, const auto& a) { return tessera::sigmoid<C>(a); });
    add<B>("silu", backend,
           []<class C>(tessera::Type<C>, const auto& a) { return tessera::silu<C>(a); });
  });
}

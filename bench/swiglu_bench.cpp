// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The gated activation of rows.
#include "tessera/activation.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr int streams = 3;
  std::size_t rows, cols;
  Buffer<float> gate, up, y;
  Problem(std::size_t r, std::size_t c) : rows(r), cols(c), gate(r * c), up(r * c), y(r * c) {
    fill(gate.span(), 1);
    fill(up.span(), 2);
  }
  tessera::SwigluArgs args() {
    return {tessera::matrix<const float>(gate.data(), rows, cols),
            tessera::matrix<const float>(up.data(), rows, cols),
            tessera::matrix(y.data(), rows, cols)};
  }
};

template <class B>
void add(const std::string& backend, std::size_t rows, std::size_t cols) {
  const std::string name =
      "swiglu/" + backend + "/" + std::to_string(rows) + "x" + std::to_string(cols);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(rows, cols), reference(rows, cols);
        require(tessera::swiglu<B>(p.args()), name);
        require(tessera::swiglu<tessera::backend::scalar>(reference.args()), name);
        require_same(p.y.span(), reference.y.span(), name);
        const auto elements = static_cast<double>(rows * cols);
        const double bytes = elements * Problem::streams * sizeof(float);
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(tessera::swiglu<B>(p.args()), name);
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
    add<B>(backend, 4096, 256);
    add<B>(backend, 512, 4096);
  });
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Root-mean-square normalisation of rows.
#include "tessera/norm.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr int streams = 2;
  std::size_t rows, cols;
  Buffer<float> x, w, y;
  Problem(std::size_t r, std::size_t c) : rows(r), cols(c), x(r * c), w(c), y(r * c) {
    fill(x.span(), 1);
    fill(w.span(), 2);
  }
  tessera::RmsNormArgs args() {
    return {tessera::matrix<const float>(x.data(), rows, cols), w.data(),
            tessera::matrix(y.data(), rows, cols), 1e-5f};
  }
};

template <class B>
void add(const std::string& backend, std::size_t rows, std::size_t cols) {
  const std::string name =
      "rms_norm/" + backend + "/" + std::to_string(rows) + "x" + std::to_string(cols);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(rows, cols), reference(rows, cols);
        require(tessera::rms_norm<B>(p.args()), name);
        require(tessera::rms_norm<tessera::backend::scalar>(reference.args()), name);
        require_same(p.y.span(), reference.y.span(), name);
        const auto elements = static_cast<double>(rows * cols);
        const double bytes = elements * Problem::streams * sizeof(float);
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(tessera::rms_norm<B>(p.args()), name);
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

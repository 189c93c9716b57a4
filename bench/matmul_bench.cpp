// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Matrix products with packed weights, prefill (M = 128) and decode (M = 1) shapes.
#include "tessera/matmul.hpp"

#include <memory>
#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;
using tessera::Status;

/// Several copies of the weights, so that decode reads memory and not a cache.
template <class F, class B>
struct Problem {
  using T = tessera::tile_for<F, B>;
  std::size_t m, n, k;
  Buffer<float> a, c;
  std::vector<std::unique_ptr<Buffer<std::byte>>> images;
  Buffer<std::byte> shared, scratch;

  Problem(std::size_t m_, std::size_t n_, std::size_t k_, std::size_t copies)
      : m(m_), n(n_), k(k_), a(m * k), c(m * n), shared(0), scratch(0) {
    fill(a.span(), 1);
    Buffer<float> w(n * k);
    fill(w.span(), 2);
    for (std::size_t i = 0; i < copies; ++i) {
      images.push_back(std::make_unique<Buffer<std::byte>>(tessera::packed_size<F, T>(n, k)));
      require(tessera::pack_weights<F, T>(tessera::matrix<const float>(w.data(), n, k),
                                          images.back()->span()),
              F::name);
    }
    const auto need = tessera::workspace_size<B>(args(0));
    shared = Buffer<std::byte>(need.shared);
    scratch = Buffer<std::byte>(need.scratch);
  }
  tessera::MatmulArgs<F, T> args(std::size_t copy) {
    return {tessera::matrix<const float>(a.data(), m, k),
            {images[copy % images.size()]->span(), n, k},
            tessera::matrix(c.data(), m, n),
            {shared.span(), scratch.span()}};
  }
};

/// The first rows of the product equal scalar's, bit for bit.
template <class F, class B>
void check_bits(Problem<F, B>& p, const std::string& name) {
  const std::size_t rows = p.m < 2 ? p.m : 2;
  Problem<F, tessera::backend::scalar> s(rows, p.n, p.k, 1);
  require(tessera::matmul<tessera::backend::scalar>(s.args(0)), name);
  require(tessera::matmul<B>(p.args(0)), name);
  require_same({p.c.data(), rows * p.n}, s.c.span(), name);
}

/// One row reads the weights once; many are bound by arithmetic.
template <class F>
Peak limit_of(std::size_t m) {
  if (m == 1) return Peak::read;
  return F::is_float ? Peak::fma : Peak::byte_dot;
}

/// One format of every kind of kernel: others of a kind differ in decoding only.
using bench_formats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16,
                      tessera::format::q8_0, tessera::format::q4_0, tessera::format::q4_K,
                      tessera::format::q6_K, tessera::format::q2_K>;

template <class F, class B>
void add(const std::string& backend, std::size_t m, std::size_t n, std::size_t k) {
  const std::string name = "matmul/" + std::string(F::name) + "/" + backend + "/M" +
                           std::to_string(m) + "_N" + std::to_string(n) + "_K" + std::to_string(k);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        const std::size_t bytes = tessera::packed_size<F, tessera::tile_for<F, B>>(n, k);
        Problem<F, B> p(m, n, k, m == 1 ? (std::size_t{128} << 20) / bytes + 1 : 1);
        check_bits(p, name);
        std::size_t copy = 0;
        const double operations = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
        const auto read = static_cast<double>(bytes);
        Limited(state, limit_of<F>(m), m == 1 ? read : operations).run([&] {
          require(tessera::matmul<B>(p.args(copy++)), name);
        });
        count(state, operations, read);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    bench_formats::for_each([&](auto f) {
      using F = typename decltype(f)::type;
      add<F, B>(backend, 128, 1024, 1024);
      add<F, B>(backend, 1, 4096, 4096);
      if constexpr (!F::is_float) add<F, B>(backend, 128, 4096, 4096);
    });
  });
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Products with experts: 128 of them, 8 used, 768 x 2048, one token and many; the gated pair beside its parts.
#include "tessera/matmul_experts.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

constexpr std::size_t used = 8;
constexpr std::size_t n = 768;
constexpr std::size_t k = 2048;

/// One packed matrix serves as all experts' first, so that packing takes no time; each is read on its own.
template <class F, class B>
struct Problem {
  using T = tessera::tile_for<F, B>;
  using Pair = tessera::PackedPair<F, T>;
  std::size_t experts, tokens;
  Buffer<float> a, c;
  Buffer<std::int32_t> ids;
  Buffer<std::byte> images, shared, scratch;

  Problem(std::size_t count, std::size_t t)
      : experts(count),
        tokens(t),
        a(t * k),
        c(t * used * n),
        ids(t * used),
        images((count + 1) * bytes()),
        shared(0),
        scratch(0) {
    fill(a.span(), 1);
    Buffer<float> w(n * k);
    fill(w.span(), 2);
    require(tessera::pack_weights<F, T>(tessera::matrix<const float>(w.data(), n, k),
                                        images.span().first(bytes())),
            F::name);
    for (std::size_t e = 1; e <= count; ++e)
      std::memcpy(images.data() + e * bytes(), images.data(), bytes());
    // Every expert is as likely; a token's are all different.
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = static_cast<std::int32_t>((i / used * 37 + i % used * 16 + 5) % count);
    auto pair = gated();
    const auto need = tessera::workspace_size<B>(pair);
    shared = Buffer<std::byte>(need.shared);
    scratch = Buffer<std::byte>(need.scratch);
  }
  static std::size_t bytes() { return tessera::packed_size<F, T>(n, k); }
  template <class Args>
  Args set(Args args) {
    args.a = tessera::slot_view<const float>(a.data(), tokens, 1, k);
    args.experts = experts;
    args.ids = tessera::slot_view<const std::int32_t>(ids.data(), tokens, used, 1);
    args.c = tessera::slot_view(c.data(), tokens, used, n);
    args.workspace = {shared.span(), scratch.span()};
    return args;
  }
  auto product() {
    tessera::MatmulExpertsArgs<F, T> args;
    args.b = {images.span(), n, k};
    return set(args);
  }
  auto gated() {
    tessera::MatmulExpertsArgs<F, T, float, float, Pair> args;
    args.b = {images.span(), images.span().subspan(bytes()), n, k};
    return set(args);
  }
};

template <class F, class B>
void add(const std::string& backend, std::size_t tokens, bool gated) {
  const std::string name = "matmul_experts/" + std::string(F::name) + "/" + backend +
                           (gated ? "/gated" : "") + "/128x768x2048_tokens" +
                           std::to_string(tokens);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem<F, B> p(128, tokens);
        Problem<F, tessera::backend::scalar> s(128, 1);
        const auto run = [&] {
          require(gated ? tessera::matmul_experts<B>(p.gated())
                        : tessera::matmul_experts<B>(p.product()),
                  name);
        };
        run();
        require(gated ? tessera::matmul_experts<tessera::backend::scalar>(s.gated())
                      : tessera::matmul_experts<tessera::backend::scalar>(s.product()),
                name);
        require_same({p.c.data(), s.c.size()}, s.c.span(), name);
        const double products = gated ? 2.0 : 1.0;
        const double operations = products * 2.0 * static_cast<double>(tokens * used * n * k);
        const auto touched = static_cast<double>(tokens * used < 128 ? tokens * used : 128);
        const double read = products * touched * static_cast<double>(p.bytes());
        Limited(state, tokens == 1 ? Peak::read : Peak::byte_dot, tokens == 1 ? read : operations)
            .run([&] {
              // Other experts every time, so that one token's weights come from memory.
              for (std::int32_t& id : p.ids.span()) id = (id + 1) % 128;
              run();
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
    for (const bool gated : {false, true})
      for (const std::size_t tokens : {1, 4, 512})
        add<tessera::format::q4_0, B>(backend, tokens, gated);
  });
}

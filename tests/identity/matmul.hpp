// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The products of the list on one backend.
#ifndef TESSERA_TESTS_IDENTITY_MATMUL_HPP_
#define TESSERA_TESTS_IDENTITY_MATMUL_HPP_

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tessera/matmul.hpp"
#include "tests/identity/cases.hpp"
#include "tests/identity/runs.hpp"
#include "tests/reference/matmul.hpp"

namespace identity {

/// Memory aligned as workspaces and packed weights must be.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size)
      : size_(size),
        data_(static_cast<std::byte*>(::operator new(size + 1, std::align_val_t{64}))) {}
  ~AlignedBytes() { ::operator delete(data_, std::align_val_t{64}); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  std::span<std::byte> span() { return {data_, size_}; }

 private:
  std::size_t size_;
  std::byte* data_;
};

/// A refused call would make every digest meaningless.
inline void must(tessera::Status status, const std::string& what) {
  if (status == tessera::Status::ok) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), tessera::message(status));
  std::exit(1);
}

inline std::vector<float> draw(std::size_t count, Fill kind, std::uint64_t seed) {
  std::vector<float> x(count);
  tessera_test::Random random(seed);
  fill(std::span<float>(x), kind, random, 0x1p14f);
  return x;
}

template <class B, class F, class T>
std::vector<float> product(const MatmulCase& c, const std::vector<float>& a,
                           const std::vector<float>& w, const std::string& name) {
  AlignedBytes image(tessera::packed_size<F, T>(c.n, c.k));
  must(tessera::pack_weights<F, T>(tessera::matrix(w.data(), c.n, c.k), image.span()), name);
  std::vector<float> out(c.m * c.n);
  tessera::MatmulArgs<F, T> args{tessera::matrix(a.data(), c.m, c.k),
                                 {image.span(), c.n, c.k},
                                 tessera::matrix(out.data(), c.m, c.n),
                                 {}};
  const auto need = tessera::workspace_size<B>(args);
  AlignedBytes shared(need.shared);
  AlignedBytes scratch(need.scratch);
  args.workspace = {shared.span(), scratch.span()};
  must(tessera::matmul<B>(args), name);
  return out;
}

/// All products of format F, in the layout of the backend's own tile.
template <class B, class F>
void add_products(Run& run) {
  using Own = tessera::tile_for<F, B>;
  std::uint64_t seed = 1000;
  for (const MatmulCase& c : matmul_cases) {
    const std::string name = std::string("matmul ") + F::name + " " + std::to_string(c.m) + "x" +
                             std::to_string(c.n) + "x" + std::to_string(c.k) + " " +
                             tessera_test::name(c.a);
    const auto a = draw(c.m * c.k, c.a, seed++);
    const auto w = draw(c.n * c.k, c.w, seed++);
    const auto out = product<B, F, Own>(c, a, w, name);
    if (c.a == Fill::special) {
      run.add(name, out);
      continue;
    }
    run.add(name, out, [&] {
      const auto in =
          reference::activations<F>(a.data(), c.m, c.k, static_cast<std::ptrdiff_t>(c.k));
      return reference::matmul<F>(in.seen, reference::stored<F>(w.data(), c.n, c.k));
    });
  }
}

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_MATMUL_HPP_

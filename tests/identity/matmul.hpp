// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The products of the list on one backend.
#ifndef TESSERA_TESTS_IDENTITY_MATMUL_HPP_
#define TESSERA_TESTS_IDENTITY_MATMUL_HPP_

#include <algorithm>
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

/// Rows of stored blocks of any codes, with scales and minima that are finite and at most 2^16.
template <class F>
std::vector<std::byte> draw_blocks(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  std::vector<std::byte> bytes;
  tessera_test::Random random(seed);
  for (std::size_t i = rows * (cols / F::group); i > 0; --i) {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    float values[2 * F::group / F::scale_group] = {};
    const auto small = [](float x) { return x >= -0x1p16f && x <= 0x1p16f; };
    for (auto& c : codes) c = static_cast<std::uint8_t>(random.below(1u << F::code_bits));
    do {
      for (auto& h : header) h = static_cast<std::uint8_t>(random.below(256));
      F::scales(header, values, values + F::group / F::scale_group);
    } while (!std::all_of(std::begin(values), std::end(values), small));
    typename F::Block block;
    F::join(codes, header, block);
    const auto* raw = reinterpret_cast<const std::byte*>(&block);
    bytes.insert(bytes.end(), raw, raw + sizeof block);
  }
  return bytes;
}

/// `w`: a view of n x k floats or stored blocks.
template <class B, class F, class W>
std::vector<float> product(std::size_t m, const std::vector<float>& a, const W& w,
                           const std::string& name) {
  using T = tessera::tile_for<F, B>;
  AlignedBytes image(tessera::packed_size<F, T>(w.rows, w.cols));
  must(tessera::pack_weights<F, T>(w, image.span()), name);
  std::vector<float> out(m * w.rows);
  tessera::MatmulArgs<F, T> args{tessera::matrix(a.data(), m, w.cols),
                                 {image.span(), w.rows, w.cols},
                                 tessera::matrix(out.data(), m, w.rows),
                                 {}};
  const auto need = tessera::workspace_size<B>(args);
  AlignedBytes shared(need.shared);
  AlignedBytes scratch(need.scratch);
  args.workspace = {shared.span(), scratch.span()};
  must(tessera::matmul<B>(args), name);
  return out;
}

template <class F>
std::string name_of(const MatmulCase& c, std::size_t k) {
  return std::string("matmul ") + F::name + " " + std::to_string(c.m) + "x" + std::to_string(c.n) +
         "x" + std::to_string(k) + " " + tessera_test::name(c.a);
}

/// One case; `weights()` is the reference's view of w.
template <class B, class F, class W, class Weights>
void add_product(Run& run, const MatmulCase& c, const std::vector<float>& a, const W& w,
                 Weights&& weights) {
  const std::string name = name_of<F>(c, w.cols);
  const auto out = product<B, F>(c.m, a, w, name);
  if (c.a == Fill::special) return run.add(name, out);
  run.add(name, out, [&] {
    const auto in =
        reference::activations<F>(a.data(), c.m, w.cols, static_cast<std::ptrdiff_t>(w.cols));
    return reference::matmul<F>(in.seen, weights());
  });
}

/// Weights given as floats.
template <class B, class F>
void add_quantized(Run& run, const MatmulCase& c, std::uint64_t seed) {
  const auto a = draw(c.m * c.k, c.a, seed);
  const auto w = draw(c.n * c.k, c.w, seed + 1);
  add_product<B, F>(run, c, a, tessera::matrix(w.data(), c.n, c.k),
                    [&] { return reference::stored<F>(w.data(), c.n, c.k); });
}

/// Weights given as blocks of any bits: quantising large blocks takes long under emulation.
template <class B, class F>
void add_stored(Run& run, const MatmulCase& c, std::size_t blocks, std::uint64_t seed) {
  const std::size_t k = blocks * F::group;
  const auto a = draw(c.m * k, c.a, seed);
  const auto w = draw_blocks<F>(c.n, k, seed + 1);
  const tessera::BlockView<F> view{w.data(), c.n, k,
                                   static_cast<std::ptrdiff_t>(blocks * F::block_bytes)};
  add_product<B, F>(run, c, a, view, [&] { return reference::blocks<F>(w.data(), c.n, k); });
}

/// All products of format F, in the layout of the backend's own tile.
template <class B, class F>
void add_products(Run& run) {
  std::uint64_t seed = 1000;
  for (const MatmulCase& c : matmul_cases) {
    if (F::group <= 32) {
      add_quantized<B, F>(run, c, seed);
    } else if constexpr (!F::is_float) {
      add_stored<B, F>(run, c, F::group < 256 ? seed / 2 % 9 + 1 : seed / 2 % 3 + 1, seed);
    }
    seed += 2;
  }
  if (F::group > 32) add_quantized<B, F>(run, large_block_case, seed);
}

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_MATMUL_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The products of the list on one backend.
#ifndef TESSERA_TESTS_IDENTITY_MATMUL_HPP_
#define TESSERA_TESTS_IDENTITY_MATMUL_HPP_

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tessera/matmul.hpp"
#include "tests/backend/tested_here.hpp"
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

/// A stored block of any codes, with scales and minima that are finite and at most 2^16.
template <class F>
void draw_block(tessera_test::Random& random, std::byte* to) {
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
  std::memcpy(to, &block, sizeof block);
}

/// One product with its operands; exactly one of `floats` and `blocks` holds the weights. Of no format's
/// type: what the formats share is compiled once.
struct Product {
  std::string name;
  std::size_t m;
  std::size_t n;
  std::size_t k;
  bool finite;
  std::vector<float> a;
  std::vector<float> floats;
  std::vector<std::byte> blocks;
};

/// What is particular to a format.
struct FormatOfProducts {
  const char* name;
  std::size_t group;
  std::size_t block_bytes;
  void (*draw_block)(tessera_test::Random&, std::byte*);
};
template <class F>
FormatOfProducts format_of_products() {
  if constexpr (F::is_float || tessera::RowFormat<F>) {
    return {F::name, 1, F::block_bytes, nullptr};
  } else {
    return {F::name, F::group, F::block_bytes, draw_block<F>};
  }
}

/// All products of a format.
std::vector<Product> products(const FormatOfProducts& format);

template <class F>
reference::Expected expected(const Product& p) {
  const auto in = reference::activations<F>(p.a.data(), p.m, p.k, static_cast<std::ptrdiff_t>(p.k));
  if constexpr (!F::is_float && !tessera::RowFormat<F>)
    if (!p.blocks.empty())
      return reference::matmul<F>(in.seen, reference::blocks<F>(p.blocks.data(), p.n, p.k));
  return reference::matmul<F>(in.seen, reference::stored<F>(p.floats.data(), p.n, p.k));
}

template <class F, class T>
tessera::Status pack(const Product& p, std::span<std::byte> image) {
  if constexpr (!F::is_float && !tessera::RowFormat<F>)
    if (!p.blocks.empty())
      return tessera::pack_weights<F, T>(
          tessera::BlockView<F>{p.blocks.data(), p.n, p.k,
                                static_cast<std::ptrdiff_t>(p.k / F::group * F::block_bytes)},
          image);
  return tessera::pack_weights<F, T>(tessera::matrix(p.floats.data(), p.n, p.k), image);
}

/// In the layout of the backend's own tile.
template <class B, class F>
std::vector<float> result(const Product& p) {
  using T = tessera::tile_for<F, B>;
  AlignedBytes image(tessera::packed_size<F, T>(p.n, p.k));
  must(pack<F, T>(p, image.span()), p.name);
  std::vector<float> out(p.m * p.n);
  tessera::MatmulArgs<F, T> args{tessera::matrix(p.a.data(), p.m, p.k),
                                 {image.span(), p.n, p.k},
                                 tessera::matrix(out.data(), p.m, p.n),
                                 {}};
  const auto need = tessera::workspace_size<B>(args);
  AlignedBytes shared(need.shared);
  AlignedBytes scratch(need.scratch);
  args.workspace = {shared.span(), scratch.span()};
  must(tessera::matmul<B>(args), p.name);
  return out;
}

/// Formats of every kind there is a kernel for; those of one kind share their kernels.
using formats_of_each_kind =
    tessera::TypeList<tessera::format::f32, tessera::format::q8_0, tessera::format::q4_0,
                      tessera::format::q5_1, tessera::format::nvfp4, tessera::format::q2_K,
                      tessera::format::i8_row>;

/// Each backend multiplies every format in one program (CMakeLists.txt says which), and elsewhere one of
/// each kind.
template <class B, class F>
constexpr bool multiplied_here() {
#if TESSERA_IDENTITY_EVERY_FORMAT
  if (tessera_test::tested_here<B>()) return true;
#endif
  return formats_of_each_kind::has<F>;
}

template <class F>
void add_products(Runs& runs) {
  const auto all = products(format_of_products<F>());
  runs.for_each_backend([&]<class B>(tessera::Type<B>, Run& run) {
    for (const Product& p : all) {
      if constexpr (!multiplied_here<B, F>()) {
        run.leave_out(p.name);
      } else if (p.finite) {
        run.add(p.name, result<B, F>(p), [&] { return expected<F>(p); });
      } else {
        run.add(p.name, result<B, F>(p));
      }
    }
  });
}

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_MATMUL_HPP_

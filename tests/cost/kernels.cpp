// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// One kernel, to be counted, inside the function tessera_cost_kernel; prints the amount of its work.
//   attention BACKEND FORMAT QUERIES KEYS DIM    work: 2 x queries x keys x dim multiply-accumulates, one key head
//   attention_kv BACKEND QUERIES KEYS DIM        the same over a cache in the backend's own tiles
//   rope BACKEND interleaved|half DIM TOKENS     work: elements; the table is made before
//   softmax BACKEND ROWS COLS                    work: elements
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "emu/trap/tessera_trap.h"
#include "tessera/tessera.hpp"
#include "tests/support/random.hpp"

namespace {

using Backends =
    tessera::TypeList<tessera::backend::rvv, tessera::backend::ime1, tessera::backend::ime2>;
using Formats = tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::q8_0,
                                  tessera::format::q4_0>;
using Work = tessera::Status (*)(const void* args);

}  // namespace

// Called through a pointer: the function of exactly this name is what is counted.
extern "C" {
[[gnu::noinline]] tessera::Status tessera_cost_kernel(Work work, const void* args) {
  return work(args);
}
}

namespace {

struct Aligned {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

/// Aligned memory.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : size_(size), data_(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64}))) {}
  std::span<std::byte> span() const { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[], Aligned> data_;
};

std::vector<float> draw(std::size_t n, std::uint64_t seed) {
  tessera_test::Random random(seed);
  std::vector<float> x(n);
  for (float& v : x) v = random.gaussian();
  return x;
}

int finish(tessera::Status status, std::size_t work) {
  if (status != tessera::Status::ok) {
    std::fprintf(stderr, "refused: %s\n", tessera::message(status));
    return 2;
  }
  std::printf("work %zu\n", work);
  return 0;
}

template <class F>
std::vector<typename F::Block> encoded(std::size_t n, std::uint64_t seed) {
  const auto x = draw(n, seed);
  std::vector<typename F::Block> blocks(n / F::group);
  if constexpr (F::is_float) {
    F::quantize(x.data(), n, blocks.data());
  } else {
    for (std::size_t i = 0; i < blocks.size(); ++i)
      F::quantize_block(x.data() + i * F::group, blocks[i]);
  }
  return blocks;
}

template <class B, class Args>
int attend_to(Args& args, std::size_t keys) {
  args.scale = 0.088f;
  const Bytes scratch(tessera::workspace_size(args).scratch);
  args.workspace.scratch = scratch.span();
  const Work work = [](const void* a) {
    return tessera::attention<B>(*static_cast<const Args*>(a));
  };
  return finish(tessera_cost_kernel(work, &args), 2 * args.q.tokens * keys * args.q.dim);
}

template <class B, class F>
int attend(std::size_t queries, std::size_t keys, std::size_t dim) {
  const auto q = draw(queries * dim, 1);
  const auto k = encoded<F>(keys * dim, 2);
  const auto v = encoded<F>(keys * dim, 3);
  std::vector<float> out(queries * dim);
  const auto row = static_cast<std::ptrdiff_t>(dim);
  const auto blocks = static_cast<std::ptrdiff_t>(dim / F::group);
  tessera::AttentionArgs<F, F> args;
  args.q = {q.data(), 1, queries, dim, 0, row};
  args.k = {k.data(), 1, keys, dim / F::group, 0, blocks};
  args.v = {v.data(), 1, keys, dim / F::group, 0, blocks};
  args.out = {out.data(), 1, queries, dim, 0, row};
  return attend_to<B>(args, keys);
}

/// A call over a cache that was filled before.
template <class B>
int attend_kv(std::size_t queries, std::size_t keys, std::size_t dim) {
  using T = tessera::kv_tile<B>;
  const auto row = static_cast<std::ptrdiff_t>(dim);
  const auto q = draw(queries * dim, 1);
  const auto k = draw(keys * dim, 2);
  const auto v = draw(keys * dim, 3);
  std::vector<float> out(queries * dim);
  const tessera::KvShape shape{1, 1, keys, dim, dim};
  const Bytes memory(tessera::kv_cache_size(shape));
  const tessera::KvCache<T, std::byte> cache{memory.span(), shape};
  const tessera::KvHeld none;
  const tessera::KvHeld held{0, keys};
  const auto status = tessera::kv_append(tessera::KvAppendArgs<T>{
      cache, {k.data(), 1, keys, dim, 0, row}, {v.data(), 1, keys, dim, 0, row}, {&none, 1}});
  if (status != tessera::Status::ok) return finish(status, 0);
  tessera::KvAttentionArgs<T> args;
  args.q = {q.data(), 1, queries, dim, 0, row};
  args.cache = cache;
  args.held = {&held, 1};
  args.out = {out.data(), 1, queries, dim, 0, row};
  return attend_to<B>(args, keys);
}

template <class B>
int rotate(tessera::Pairing pairing, std::size_t dim, std::size_t tokens) {
  std::vector<std::int32_t> positions;
  for (std::size_t i = 0; i < tokens; ++i) positions.push_back(static_cast<std::int32_t>(i));
  std::vector<float> cosine(tokens * dim / 2);
  std::vector<float> sine(cosine.size());
  const auto status =
      tessera::rope_table({positions, 1e4, tessera::matrix(cosine.data(), tokens, dim / 2),
                           tessera::matrix(sine.data(), tokens, dim / 2)});
  if (status != tessera::Status::ok) return finish(status, 0);
  const auto x = draw(tokens * dim, 1);
  std::vector<float> y(x.size());
  const auto row = static_cast<std::ptrdiff_t>(dim);
  const tessera::RopeArgs<> args{{x.data(), 1, tokens, dim, 0, row},
                                 {y.data(), 1, tokens, dim, 0, row},
                                 tessera::matrix<const float>(cosine.data(), tokens, dim / 2),
                                 tessera::matrix<const float>(sine.data(), tokens, dim / 2),
                                 pairing};
  const Work work = [](const void* a) {
    return tessera::rope<B>(*static_cast<const tessera::RopeArgs<>*>(a));
  };
  return finish(tessera_cost_kernel(work, &args), x.size());
}

template <class B>
int soften(std::size_t rows, std::size_t cols) {
  const auto x = draw(rows * cols, 1);
  std::vector<float> y(x.size());
  const tessera::SoftmaxArgs args{tessera::matrix(x.data(), rows, cols),
                                  tessera::matrix(y.data(), rows, cols)};
  const Work work = [](const void* a) {
    return tessera::softmax<B>(*static_cast<const tessera::SoftmaxArgs*>(a));
  };
  return finish(tessera_cost_kernel(work, &args), x.size());
}

int usage() {
  std::fprintf(stderr,
               "usage: attention BACKEND FORMAT QUERIES KEYS DIM\n"
               "       attention_kv BACKEND QUERIES KEYS DIM\n"
               "       rope BACKEND interleaved|half DIM TOKENS\n"
               "       softmax BACKEND ROWS COLS\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4) return usage();
  const auto number = [&](std::size_t i) {
    return i < words.size() ? static_cast<std::size_t>(std::strtoul(words[i].c_str(), nullptr, 10))
                            : std::size_t{0};
  };
  tessera_trap_install();
  int status = -1;
  Backends::for_each([&]<class B>(tessera::Type<B>) {
    if (words[1] != B::name) return;
    if (words[0] == "attention")
      Formats::for_each([&]<class F>(tessera::Type<F>) {
        if (words[2] == F::name) status = attend<B, F>(number(3), number(4), number(5));
      });
    if (words[0] == "attention_kv") status = attend_kv<B>(number(2), number(3), number(4));
    if (words[0] == "rope")
      status =
          rotate<B>(words[2] == "half" ? tessera::Pairing::half : tessera::Pairing::interleaved,
                    number(3), number(4));
    if (words[0] == "softmax") status = soften<B>(number(2), number(3));
  });
  return status < 0 ? usage() : status;
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Calls of the kernels over rows and heads with everything that they need, to be counted or timed.
#ifndef TESSERA_TESTS_COST_KERNEL_PROBLEMS_HPP_
#define TESSERA_TESTS_COST_KERNEL_PROBLEMS_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tessera/attention.hpp"
#include "tessera/kv_cache.hpp"
#include "tessera/norm.hpp"
#include "tessera/rope.hpp"
#include "tessera/softmax.hpp"
#include "tests/cost/problem.hpp"

namespace tessera_cost {

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
tessera::Status attend_to(Args& args, std::size_t keys, Measure measure) {
  args.scale = 0.088f;
  const Bytes scratch(tessera::workspace_size(args).scratch);
  args.workspace.scratch = scratch.span();
  const Work work = [](const void* a) {
    return tessera::attention<B>(*static_cast<const Args*>(a));
  };
  return measure(work, &args, 2 * args.q.tokens * keys * args.q.dim);
}

template <class B, class F>
tessera::Status attend(std::size_t queries, std::size_t keys, std::size_t dim, Measure measure) {
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
  return attend_to<B>(args, keys, measure);
}

/// A call over a cache that was filled before.
template <class B>
tessera::Status attend_kv(std::size_t queries, std::size_t keys, std::size_t dim, Measure measure) {
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
  if (status != tessera::Status::ok) return status;
  tessera::KvAttentionArgs<T> args;
  args.q = {q.data(), 1, queries, dim, 0, row};
  args.cache = cache;
  args.held = {&held, 1};
  args.out = {out.data(), 1, queries, dim, 0, row};
  return attend_to<B>(args, keys, measure);
}

template <class B>
tessera::Status rotate(tessera::Pairing pairing, std::size_t dim, std::size_t tokens,
                       Measure measure) {
  std::vector<std::int32_t> positions;
  for (std::size_t i = 0; i < tokens; ++i) positions.push_back(static_cast<std::int32_t>(i));
  std::vector<float> cosine(tokens * dim / 2);
  std::vector<float> sine(cosine.size());
  const auto status =
      tessera::rope_table({positions, 1e4, tessera::matrix(cosine.data(), tokens, dim / 2),
                           tessera::matrix(sine.data(), tokens, dim / 2)});
  if (status != tessera::Status::ok) return status;
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
  return measure(work, &args, x.size());
}

template <class B>
tessera::Status soften(std::size_t rows, std::size_t cols, Measure measure) {
  const auto x = draw(rows * cols, 1);
  std::vector<float> y(x.size());
  const tessera::SoftmaxArgs args{tessera::matrix(x.data(), rows, cols),
                                  tessera::matrix(y.data(), rows, cols)};
  const Work work = [](const void* a) {
    return tessera::softmax<B>(*static_cast<const tessera::SoftmaxArgs*>(a));
  };
  return measure(work, &args, x.size());
}

template <class B>
tessera::Status normalise(std::size_t rows, std::size_t cols, Measure measure) {
  const auto x = draw(rows * cols, 1);
  const auto weight = draw(cols, 2);
  std::vector<float> y(x.size());
  const tessera::RmsNormArgs args{tessera::matrix(x.data(), rows, cols), weight.data(),
                                  tessera::matrix(y.data(), rows, cols)};
  const Work work = [](const void* a) {
    return tessera::rms_norm<B>(*static_cast<const tessera::RmsNormArgs*>(a));
  };
  return measure(work, &args, x.size());
}

/// Measures the kernel that the words name; none if they name none. F: the formats of keys and values.
///   attention FORMAT QUERIES KEYS DIM    work: 2 x queries x keys x dim multiply-accumulates, one key head
///   attention_kv QUERIES KEYS DIM        the same over a cache in the backend's own tiles
///   rope interleaved|half DIM TOKENS     work: elements; the table is made before
///   softmax ROWS COLS, rms_norm ROWS COLS    work: elements
template <class B, class Formats>
std::optional<tessera::Status> measure_kernel(const std::vector<std::string>& words,
                                              Measure measure) {
  const auto number = [&](std::size_t i) {
    return i < words.size() ? static_cast<std::size_t>(std::strtoul(words[i].c_str(), nullptr, 10))
                            : std::size_t{0};
  };
  std::optional<tessera::Status> status;
  if (words.size() < 3) return status;
  if (words[0] == "attention")
    Formats::for_each([&]<class F>(tessera::Type<F>) {
      if (words[1] == F::name) status = attend<B, F>(number(2), number(3), number(4), measure);
    });
  if (words[0] == "attention_kv") status = attend_kv<B>(number(1), number(2), number(3), measure);
  if (words[0] == "rope")
    status = rotate<B>(words[1] == "half" ? tessera::Pairing::half : tessera::Pairing::interleaved,
                       number(2), number(3), measure);
  if (words[0] == "softmax") status = soften<B>(number(1), number(2), measure);
  if (words[0] == "rms_norm") status = normalise<B>(number(1), number(2), measure);
  return status;
}

}  // namespace tessera_cost

#endif  // TESSERA_TESTS_COST_KERNEL_PROBLEMS_HPP_

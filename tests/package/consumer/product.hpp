// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One matrix product of fixed inputs.
#ifndef TESSERA_TESTS_PACKAGE_CONSUMER_PRODUCT_HPP_
#define TESSERA_TESTS_PACKAGE_CONSUMER_PRODUCT_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "tessera/matmul.hpp"

/// Prints the library's version and a hash of the product: the same on every backend.
template <class B>
int print_product() {
  using namespace tessera;
  using F = format::q8_0;
  using T = tile_for<F, B>;
  constexpr std::size_t M = 3, N = 5, K = 64;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const auto lines = [](std::size_t bytes) { return std::vector<Line>(bytes / 64 + 1); };
  std::vector<float> a(M * K), w(N * K), c(M * N);
  std::uint32_t seed = 1;
  for (std::vector<float>* x : {&a, &w})
    for (float& v : *x) {
      seed = seed * 1664525u + 1013904223u;
      v = static_cast<float>(static_cast<std::int32_t>(seed) / 256) * 0x1p-23f;
    }
  auto image = lines(packed_size<F, T>(N, K));
  const auto packed = std::as_writable_bytes(std::span(image));
  if (pack_weights<F, T>(matrix<const float>(w.data(), N, K), packed) != Status::ok) return 1;
  MatmulArgs<F, T> args = {
      matrix<const float>(a.data(), M, K), {packed, N, K}, matrix(c.data(), M, N)};
  const WorkspaceSize need = workspace_size<B>(args);
  auto shared = lines(need.shared), scratch = lines(need.scratch);
  args.workspace = {std::as_writable_bytes(std::span(shared)),
                    std::as_writable_bytes(std::span(scratch))};
  if (matmul<B>(args) != Status::ok) return 1;
  std::uint32_t hash = 0x811c9dc5u;
  for (const std::byte b : std::as_bytes(std::span(c)))
    hash = (hash ^ static_cast<std::uint32_t>(b)) * 0x01000193u;
  std::printf("%d.%d.%d %08lx\n", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR,
              TESSERA_VERSION_PATCH, static_cast<unsigned long>(hash));
  return 0;
}

#endif  // TESSERA_TESTS_PACKAGE_CONSUMER_PRODUCT_HPP_

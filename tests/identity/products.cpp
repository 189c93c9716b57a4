// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The operands of the products.
#include "tests/identity/matmul.hpp"

namespace identity {
namespace {

/// Blocks of stored weights a row: quantising large blocks takes long under emulation. 0: from floats.
std::size_t stored_blocks(const FormatOfProducts& format, std::uint64_t seed) {
  if (format.group <= 32) return 0;
  return format.group < 256 ? seed / 2 % 9 + 1 : seed / 2 % 3 + 1;
}

Product product(const FormatOfProducts& format, const MatmulCase& c, std::size_t blocks,
                std::uint64_t seed) {
  const std::size_t k = blocks == 0 ? c.k : blocks * format.group;
  Product p;
  p.name = std::string("matmul ") + format.name + " " + std::to_string(c.m) + "x" +
           std::to_string(c.n) + "x" + std::to_string(k) + " " + tessera_test::name(c.a);
  p.m = c.m, p.n = c.n, p.k = k;
  p.finite = c.a != Fill::special;
  p.a = draw(c.m * k, c.a, seed);
  if (blocks == 0) {
    p.floats = draw(c.n * k, c.w, seed + 1);
    return p;
  }
  p.blocks.resize(c.n * blocks * format.block_bytes);
  tessera_test::Random random(seed + 1);
  for (std::size_t i = 0; i < c.n * blocks; ++i)
    format.draw_block(random, p.blocks.data() + i * format.block_bytes);
  return p;
}

}  // namespace

std::vector<Product> products(const FormatOfProducts& format) {
  std::vector<Product> all;
  std::uint64_t seed = 1000;
  for (const MatmulCase& c : matmul_cases) {
    all.push_back(product(format, c, stored_blocks(format, seed), seed));
    seed += 2;
  }
  if (format.group > 32) all.push_back(product(format, large_block_case, 0, seed));
  return all;
}

}  // namespace identity

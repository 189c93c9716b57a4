// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// One matrix product, to be counted: tessera_cost_matmul_rvv BACKEND FORMAT M N K. Its two phases run inside the
// functions tessera_cost_quantize and tessera_cost_multiply. Prints what the plan says about them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emu/trap/tessera_trap.h"
#include "tessera/matmul.hpp"
#include "tests/cost/matmul_problem.hpp"

namespace {

using Formats =
    tessera::TypeList<tessera::format::q8_0, tessera::format::q4_0, tessera::format::i8_row>;
using Backends =
    tessera::TypeList<tessera::backend::rvv, tessera::backend::ime1, tessera::backend::ime2>;

using tessera_cost::Shape;
using Work = tessera::Status (*)(const void* args);

}  // namespace

// Called through a pointer: functions of exactly these names are what is counted.
extern "C" {
[[gnu::noinline]] tessera::Status tessera_cost_quantize(Work work, const void* args) {
  return work(args);
}
[[gnu::noinline]] tessera::Status tessera_cost_multiply(Work work, const void* args) {
  return work(args);
}
}

namespace {

/// The tile products that the plan makes: every row tile, in whole blocks, once against every panel of every column
/// block, those that stick out included, and K in whole groups. A single row that the atom reads in its own way meets
/// every panel once, four panels a tile.
template <class B, class F, class T>
std::size_t planned_products(const Shape& s) {
  const tessera::detail::MatmulPlan<B, F, T> plan{s.m, s.n, s.k};
  using Tile = typename B::DotAtom::tile;
  using Block = typename B::DotAtom::block_tile;
  const std::size_t panels = plan.column_blocks() * (plan.block_columns / Tile::n);
  const std::size_t steps = (s.k + F::group - 1) / F::group * (F::group / Tile::k);
  if constexpr (requires { typename B::DotAtom::RowSums; } && F::scale_group == 32) {
    if (s.m == 1) return (s.n + 4 * Tile::n - 1) / (4 * Tile::n) * 4 * steps;
  }
  const std::size_t row_tiles = (s.m + Block::m - 1) / Block::m * (Block::m / Tile::m);
  return row_tiles * panels * steps;
}

template <class B, class F>
int run(const Shape& s) {
  using Problem = tessera_cost::MatmulProblem<B, F>;
  const Problem problem(s);
  tessera::Status status = problem.status();
  const auto* args = &problem.args();
  if (status == tessera::Status::ok)
    status = tessera_cost_quantize(&Problem::template phase<0>, args);
  if (status == tessera::Status::ok)
    status = tessera_cost_multiply(&Problem::template phase<1>, args);
  if (status != tessera::Status::ok) {
    std::fprintf(stderr, "refused: %s\n", tessera::message(status));
    return 2;
  }
  std::printf("macs %zu\nvmadots %zu\n", s.m * s.n * s.k,
              std::strcmp(B::DotAtom::name, "smt.vmadot") == 0
                  ? planned_products<B, F, typename Problem::T>(s)
                  : 0);
  return 0;
}

int usage() {
  std::fprintf(stderr, "usage: BACKEND FORMAT M N K\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return usage();
  const Shape shape{std::strtoul(argv[3], nullptr, 10), std::strtoul(argv[4], nullptr, 10),
                    std::strtoul(argv[5], nullptr, 10)};
  tessera_trap_install();
  int status = -1;
  Backends::for_each([&]<class B>(tessera::Type<B>) {
    Formats::for_each([&]<class F>(tessera::Type<F>) {
      if (std::strcmp(argv[1], B::name) == 0 && std::strcmp(argv[2], F::name) == 0)
        status = run<B, F>(shape);
    });
  });
  return status < 0 ? usage() : status;
}

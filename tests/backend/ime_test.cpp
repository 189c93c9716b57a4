// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What ime1 and ime2 promise about the core, and that their products are made by matrix
// instructions: the trap runtime counts exactly as many as the tiles need.
#include <gtest/gtest.h>

#include "tessera/backend/list.hpp"
#if TESSERA_HAS_RVV

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/tile/dot_block.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace {

using tessera::Status;

/// Bits of a vector register, measured: the lanes of one register in a long stretch.
std::size_t measured_vlen() {
  std::size_t lanes = 0;
  tessera::RvvVectors::for_lanes<1>(1 << 20, [&](auto d, std::size_t i) {
    if (i == 0) lanes = d.size();
  });
  return 32 * lanes;
}

TEST(Ime, OnlyOnTheRightVectorLength) {
  const std::size_t vlen = measured_vlen();
  EXPECT_EQ(tessera::backend::ime1::check(), vlen == 256 ? Status::ok : Status::wrong_vlen);
  EXPECT_EQ(tessera::backend::ime2::check(), vlen == 1024 ? Status::ok : Status::wrong_vlen);
  EXPECT_EQ(tessera::backend::rvv::check(), Status::ok);
}

#if TESSERA_WITH_TRAP
template <class B>
void expect_vmadots() {
  if (B::check() != Status::ok) GTEST_SKIP() << "not on this core";
  using Atom = typename B::DotAtom;
  using T = typename Atom::block_tile;
  constexpr std::size_t groups = 3;
  // Codes of their own for every tile: the statements are pure, and a compiler may compute two equal
  // products once.
  constexpr std::size_t tile_codes = groups * 32 * T::m;
  const std::vector<std::int8_t> codes((Atom::row_tiles + Atom::panels) * tile_codes, 1);
  const std::vector<float> scales(groups * T::m * T::n, 1.0f);
  const std::vector<std::int32_t> sums(groups * T::m, 32);
  tessera::DotOperands<Atom::row_tiles, Atom::panels> in;
  in.groups = groups;
  for (std::size_t i = 0; i < Atom::row_tiles; ++i) {
    in.a_codes[i] = codes.data() + i * tile_codes;
    in.a_scales[i] = scales.data();
    in.a_sums[i] = sums.data();
  }
  for (std::size_t j = 0; j < Atom::panels; ++j) {
    in.b_codes[j] = codes.data() + (Atom::row_tiles + j) * tile_codes;
    in.b_scales[j] = scales.data();
  }
  std::vector<float> out(Atom::row_tiles * T::m * Atom::panels * T::n);
  const std::uint64_t before = tessera_trap_retired(Atom::name);
  tessera::dot_block<Atom, 32, Atom::row_tiles, Atom::panels>(in, out.data(), Atom::panels * T::n);
  const std::uint64_t retired = tessera_trap_retired(Atom::name) - before;
  constexpr std::size_t tiles = Atom::row_tiles * (T::m / Atom::tile::m) * Atom::panels;
  EXPECT_EQ(retired, tiles * groups * (32 / T::k));
  for (const float x : out) ASSERT_EQ(x, 32.0f * groups);
}

TEST(Ime, Ime1RunsVmadots) {
  expect_vmadots<tessera::backend::ime1>();
}
TEST(Ime, Ime2RunsVmadots) {
  expect_vmadots<tessera::backend::ime2>();
}
#endif

}  // namespace

#endif  // TESSERA_HAS_RVV

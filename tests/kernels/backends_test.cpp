// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Which backends this run is meant for, said by its flavour and core and not by the library: each must
// be in the list, answer ok, and really execute its own instructions where those can be counted.
#include "tests/kernels/backends.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/kernels/matmul_harness.hpp"
#include "tests/kernels/meant.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace tessera_test {
namespace {

using Names = std::vector<std::string>;

Names running() {
  Names names;
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if (B::check() == Status::ok) names.push_back(B::name);
  });
  return names;
}

TEST(Backends, ThoseThatThisRunIsMeantForRun) {
  const Names names = running();
  for (const auto& name : names) std::printf("runs: %s\n", name.c_str());
  EXPECT_EQ(names, meant_backends());
}

/// Every backend has its flavour: here the portable ones, or all the others.
TEST(Backends, ThisFlavourTestsItsOwn) {
  Names tested;
  tested_backends::for_each([&]<class B>(tessera::Type<B>) { tested.push_back(B::name); });
  for (const auto& name : tested) std::printf("tests: %s\n", name.c_str());
  const std::string flavour = TESSERA_FLAVOUR;
  Names want;
  if (flavour == "base" || flavour == "rv64gc") want = {"scalar", "emu_k1", "emu_k3"};
  if (flavour == "avx2" || flavour == "avx512") want = {"hwy", "xsimd"};
  if (flavour == "rvv") want = {"rvv", "ime1", "ime2"};
  if (flavour == "rvv_hwy") want = {"hwy"};
  if (flavour == "rvv_xsimd") want = {"xsimd"};
  EXPECT_EQ(tested, want);
}

TEST(Backends, NamesAreDistinct) {
  Names names;
  tessera::available_backends::for_each(
      [&]<class B>(tessera::Type<B>) { names.push_back(B::name); });
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

/// A backend whose core this is not refuses every kernel in its own words.
TEST(Backends, OthersRefuseForTheirVectorLength) {
  const Names names = meant_backends();
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if (std::find(names.begin(), names.end(), B::name) != names.end()) return;
    EXPECT_EQ(B::check(), Status::wrong_vlen) << B::name;
  });
}

template <class B>
class AtomsRun : public OnBackend<B> {};
TYPED_TEST_SUITE(AtomsRun, TestedBackends, BackendName);

/// Counts the emulated instructions of an emu backend.
struct Counting {
  static inline std::uint64_t count = 0;
  static void retired(const char*) noexcept { ++count; }
};
template <class B>
struct Counted {
  using type = void;
};
template <tessera::ime::Profile P>
struct Counted<tessera::backend::emu<P>> {
  using type = tessera::backend::emu<P, Counting>;
};

/// Tiles that a product needs at least: rows and columns rounded up to tiles.
template <class T>
std::uint64_t least_tiles(std::size_t m, std::size_t n, std::size_t k) {
  const auto up = [](std::size_t x, std::size_t d) { return (x + d - 1) / d; };
  return up(m, T::m) * up(n, T::n) * (up(k, 32) * 32 / T::k);
}

TYPED_TEST(AtomsRun, MatmulRetiresThem) {
  using B = TypeParam;
  using F = tessera::format::q8_0;
  using Dot = typename B::DotAtom;
  const std::string name = B::name;
  const std::size_t m = 9;
  const std::size_t n = 50;
  const std::size_t k = 70;
  const auto a = random_matrix(m, k, 1);
  const Packed<F, typename Dot::tile> packed(random_weights(n, k, 2));
  const std::uint64_t least = least_tiles<typename Dot::tile>(m, n, k);
  if constexpr (!std::is_void_v<typename Counted<B>::type>) {
    Counting::count = 0;
    (void)matmul_values<typename Counted<B>::type>(a.input(), packed.weights());
    EXPECT_GE(Counting::count, least);
  }
#if TESSERA_WITH_TRAP
  tessera_trap_reset();
  (void)matmul_values<B>(a.input(), packed.weights());
  const std::uint64_t retired = tessera_trap_retired("smt.vmadot");
  if (name == "ime1" || name == "ime2")
    EXPECT_GE(retired, least);
  else
    EXPECT_EQ(retired, 0u);
#endif
}

}  // namespace
}  // namespace tessera_test

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The register blocks of every backend's tiles against plain loops in the canonical order. Operands
// end at guard pages, outputs are checked around the written rows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "tessera/tile/dot_block.hpp"
#include "tessera/tile/fma_block.hpp"
#include "tests/backend/backends.hpp"
#include "tests/support/guarded.hpp"

namespace {

using tessera_test::GuardedBuffer;
using tessera_test::GuardedMatrix;

constexpr std::size_t group = 32;

template <class B>
class Atoms : public ::testing::Test {
 public:
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(Atoms, tessera_test::AllBackends, tessera_test::BackendName);

/// Codes and scales of `lines` rows (or columns), as a person would write them.
struct Quantized {
  std::size_t lines, groups;
  std::vector<int> codes;     // [line][group * 32]
  std::vector<float> scales;  // [line][group]
  Quantized(std::size_t n, std::size_t g)
      : lines(n), groups(g), codes(n * g * group), scales(n * g, 1.0f) {}
  int& code(std::size_t line, std::size_t k) { return codes[line * groups * group + k]; }
  int code(std::size_t line, std::size_t k) const { return codes[line * groups * group + k]; }
  float& scale(std::size_t line, std::size_t g) { return scales[line * groups + g]; }
  float scale(std::size_t line, std::size_t g) const { return scales[line * groups + g]; }
};

/// Codes of lines [first, first + Lines) in tile order: [group][k step][line][k].
template <std::size_t Lines, std::size_t K>
GuardedBuffer<std::int8_t> tile_order(const Quantized& q, std::size_t first) {
  GuardedBuffer<std::int8_t> out(q.groups * group * Lines);
  std::size_t at = 0;
  for (std::size_t k = 0; k < q.groups * group; k += K)
    for (std::size_t line = 0; line < Lines; ++line)
      for (std::size_t i = 0; i < K; ++i)
        out[at++] = static_cast<std::int8_t>(q.code(first + line, k + i));
  return out;
}

/// One block of MR row tiles and the atom's panels on prepared operands, into `out`.
template <class Atom, std::size_t MR>
class Block {
  using T = typename Atom::block_tile;

 public:
  static constexpr std::size_t rows = MR * T::m;
  static constexpr std::size_t columns = Atom::panels * T::n;

  Block(const Quantized& a, const Quantized& b) {
    in_.groups = a.groups;
    for (std::size_t i = 0; i < MR; ++i) add_rows(a, i);
    for (std::size_t j = 0; j < Atom::panels; ++j) add_columns(b, j);
  }
  void run(GuardedMatrix<float>& out) const {
    tessera::dot_block<Atom, group, MR, Atom::panels>(in_, out.row(0), out.stride());
  }

 private:
  void add_rows(const Quantized& a, std::size_t i) {
    codes_.push_back(tile_order<T::m, T::k>(a, i * T::m));
    in_.a_codes[i] = codes_.back().data();
    GuardedBuffer<float> scales(a.groups * Atom::a_scale_lanes);
    GuardedBuffer<std::int32_t> sums(a.groups * T::m);
    for (std::size_t g = 0; g < a.groups; ++g) {
      float row_scales[T::m];
      for (std::size_t r = 0; r < T::m; ++r) {
        row_scales[r] = a.scale(i * T::m + r, g);
        sums[g * T::m + r] = 0;
        for (std::size_t k = 0; k < group; ++k)
          sums[g * T::m + r] += a.code(i * T::m + r, g * group + k);
      }
      Atom::expand_a(row_scales, scales.data() + g * Atom::a_scale_lanes);
    }
    scales_.push_back(std::move(scales));
    sums_.push_back(std::move(sums));
    in_.a_scales[i] = scales_.back().data();
    in_.a_sums[i] = sums_.back().data();
  }
  void add_columns(const Quantized& b, std::size_t j) {
    codes_.push_back(tile_order<T::n, T::k>(b, j * T::n));
    in_.b_codes[j] = codes_.back().data();
    GuardedBuffer<float> scales(b.groups * Atom::b_scale_lanes);
    for (std::size_t g = 0; g < b.groups; ++g) {
      float column_scales[T::n];
      for (std::size_t c = 0; c < T::n; ++c) column_scales[c] = b.scale(j * T::n + c, g);
      Atom::expand_b(column_scales, scales.data() + g * Atom::b_scale_lanes);
    }
    scales_.push_back(std::move(scales));
    in_.b_scales[j] = scales_.back().data();
  }

  tessera::DotOperands<MR, Atom::panels> in_;
  std::vector<GuardedBuffer<std::int8_t>> codes_;
  std::vector<GuardedBuffer<float>> scales_;
  std::vector<GuardedBuffer<std::int32_t>> sums_;
};

/// The canonical sum of one output.
float expected_dot(const Quantized& a, std::size_t row, const Quantized& b, std::size_t column) {
  float acc = 0.0f;
  for (std::size_t g = 0; g < a.groups; ++g) {
    int sum = 0;
    for (std::size_t k = g * group; k < (g + 1) * group; ++k)
      sum += a.code(row, k) * b.code(column, k);
    const float scale = tessera::rounded(a.scale(row, g) * b.scale(column, g));
    acc = std::fma(static_cast<float>(sum), scale, acc);
  }
  return acc;
}

/// Fills operands with `fill(a, b)`, runs the block and compares every output.
template <class Atom, std::size_t MR, class Fill>
void check_block(std::size_t groups, Fill fill) {
  using B = Block<Atom, MR>;
  Quantized a(B::rows, groups);
  Quantized b(B::columns, groups);
  fill(a, b);
  GuardedMatrix<float> out(B::rows, B::columns, 5);
  B(a, b).run(out);
  for (std::size_t i = 0; i < B::rows; ++i)
    for (std::size_t j = 0; j < B::columns; ++j)
      ASSERT_EQ(tessera::bits_of(out(i, j)), tessera::bits_of(expected_dot(a, i, b, j)))
          << Atom::name << ", " << MR << " row tiles, " << groups << " groups, row " << i
          << ", column " << j << ": " << out(i, j) << " for " << expected_dot(a, i, b, j);
  ASSERT_TRUE(out.untouched_outside());
}

/// The block the registers allow, and one row tile, as the kernels use them.
template <class Atom, class Fill>
void check_blocks(std::size_t groups, Fill fill) {
  check_block<Atom, Atom::row_tiles>(groups, fill);
  if constexpr (Atom::row_tiles != 1) {
    if (!::testing::Test::HasFatalFailure()) check_block<Atom, 1>(groups, fill);
  }
}

/// Activation codes are -127..127, weight codes -128..127.
void fill_random(Quantized& a, Quantized& b) {
  std::mt19937 random(static_cast<unsigned>(a.groups));
  const auto scale = [&] {
    return std::ldexp(1.0f + static_cast<float>(random() % 1000) / 1024.0f,
                      static_cast<int>(random() % 9) - 10);
  };
  for (int& code : a.codes) code = static_cast<int>(random() % 255) - 127;
  for (int& code : b.codes) code = static_cast<int>(random() % 256) - 128;
  for (float& s : a.scales) s = scale();
  for (float& s : b.scales) s = scale();
}

TYPED_TEST(Atoms, DotOfRandomCodes) {
  for (std::size_t groups = 1; groups <= 9; ++groups) {
    check_blocks<typename TypeParam::DotAtom>(groups, fill_random);
    if (this->HasFatalFailure()) return;
  }
}

// Every sign of the largest magnitudes: a saturating or 16-bit step would show.
TYPED_TEST(Atoms, DotOfExtremeCodes) {
  for (const int code_a : {-127, 127}) {
    for (const int code_b : {-128, 127}) {
      check_blocks<typename TypeParam::DotAtom>(2, [=](Quantized& a, Quantized& b) {
        for (int& code : a.codes) code = code_a;
        for (int& code : b.codes) code = code_b;
      });
      if (this->HasFatalFailure()) return;
    }
  }
  check_blocks<typename TypeParam::DotAtom>(3, [](Quantized& a, Quantized& b) {
    for (std::size_t k = 0; k < a.codes.size(); ++k) a.codes[k] = k % 3 == 0 ? -127 : 127;
    for (std::size_t k = 0; k < b.codes.size(); ++k) b.codes[k] = k % 2 == 0 ? -128 : 127;
  });
}

// A one in one place of A meets row * 16 + column patterns in B: operands that are transposed,
// shifted by a register or a group, or taken from another row give another number.
TYPED_TEST(Atoms, DotOfOneHotRows) {
  constexpr std::size_t groups = 2;
  for (std::size_t hot = 0; hot < groups * group; ++hot) {
    check_blocks<typename TypeParam::DotAtom>(groups, [=](Quantized& a, Quantized& b) {
      for (std::size_t i = 0; i < a.lines; ++i) {
        a.code(i, (hot + 5 * i) % (groups * group)) = 1 + static_cast<int>(i % 100);
        for (std::size_t g = 0; g < groups; ++g) a.scale(i, g) = static_cast<float>(1 + i + g);
      }
      for (std::size_t j = 0; j < b.lines; ++j) {
        for (std::size_t k = 0; k < groups * group; ++k)
          b.code(j, k) = static_cast<int>((j * 67 + k) % 256) - 128;
        for (std::size_t g = 0; g < groups; ++g) b.scale(j, g) = static_cast<float>(1 + j % 7);
      }
    });
    if (this->HasFatalFailure()) return;
  }
}

// Zero, infinite and NaN scales reach exactly the outputs of their row or column.
TYPED_TEST(Atoms, DotOfSpecialScales) {
  using Atom = typename TypeParam::DotAtom;
  using B = Block<Atom, Atom::row_tiles>;
  Quantized a(B::rows, 2);
  Quantized b(B::columns, 2);
  fill_random(a, b);
  a.scale(0, 1) = tessera::quiet_nan;
  b.scale(B::columns - 1, 0) = 0.0f;
  b.scale(1 % B::columns, 1) = tessera::infinity;
  GuardedMatrix<float> out(B::rows, B::columns);
  B(a, b).run(out);
  for (std::size_t i = 0; i < B::rows; ++i) {
    for (std::size_t j = 0; j < B::columns; ++j) {
      const float expected = expected_dot(a, i, b, j);
      if (expected != expected) {
        ASSERT_TRUE(out(i, j) != out(i, j)) << "row " << i << ", column " << j;
      } else {
        ASSERT_EQ(tessera::bits_of(out(i, j)), tessera::bits_of(expected))
            << "row " << i << ", column " << j;
      }
    }
  }
}

template <class B>
void check_fma(std::size_t rows, std::size_t columns, std::size_t k) {
  std::mt19937 random(static_cast<unsigned>(rows * 10007 + columns * 101 + k));
  const auto number = [&] {
    return tessera::from_bits((random() & 0x807fffffu) |
                              (120 + static_cast<std::uint32_t>(random()) % 12) << 23);
  };
  GuardedMatrix<float> a(rows, k == 0 ? 1 : k, 3);
  GuardedMatrix<float> b(k == 0 ? 1 : k, columns, 2);
  GuardedMatrix<float> out(rows, columns, 4);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t q = 0; q < k; ++q) a(i, q) = number();
  for (std::size_t q = 0; q < k; ++q)
    for (std::size_t j = 0; j < columns; ++j) b(q, j) = number();
  tessera::fma_rows<B>(a.row(0), static_cast<std::ptrdiff_t>(a.stride()), b.row(0),
                       static_cast<std::ptrdiff_t>(b.stride()), k, rows, columns, out.row(0),
                       static_cast<std::ptrdiff_t>(out.stride()));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      float expected = 0.0f;
      for (std::size_t q = 0; q < k; ++q) expected = std::fma(a(i, q), b(q, j), expected);
      ASSERT_EQ(tessera::bits_of(out(i, j)), tessera::bits_of(expected))
          << rows << " x " << columns << " x " << k << ", row " << i << ", column " << j;
    }
  }
  ASSERT_TRUE(out.untouched_outside());
}

TYPED_TEST(Atoms, FmaRows) {
  constexpr std::size_t height = TypeParam::FloatAtom::rows;
  for (const std::size_t rows : {std::size_t{1}, height - 1, height, height + 1, 2 * height + 1}) {
    if (rows == 0) continue;
    for (const std::size_t columns : {1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 131u}) {
      for (const std::size_t k : {0u, 1u, 2u, 33u}) {
        check_fma<TypeParam>(rows, columns, k);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace

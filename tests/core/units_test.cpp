// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Slices cover every unit exactly once; workspace and range checks refuse what they should.
#include "tessera/core/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using tessera::Slice;
using tessera::Status;
using tessera::UnitRange;
using tessera::Workspace;
using tessera::WorkspaceSize;

TEST(Slice, EveryUnitExactlyOnce) {
  for (std::size_t units = 0; units <= 40; ++units)
    for (std::size_t count = 1; count <= 17; ++count) {
      std::vector<int> taken(units, 0);
      std::size_t next = 0;
      std::size_t smallest = units;
      std::size_t largest = 0;
      for (std::size_t index = 0; index < count; ++index) {
        const UnitRange r = Slice{index, count}.of(units);
        ASSERT_EQ(r.begin, next) << units << " units, slice " << index << " of " << count;
        ASSERT_LE(r.begin, r.end);
        ASSERT_LE(r.end, units);
        for (std::size_t u = r.begin; u < r.end; ++u) ++taken[u];
        next = r.end;
        smallest = std::min(smallest, r.end - r.begin);
        largest = std::max(largest, r.end - r.begin);
      }
      EXPECT_EQ(next, units);
      EXPECT_LE(largest - smallest, 1u) << "parts are nearly equal";
      for (const int t : taken) ASSERT_EQ(t, 1);
    }
}

TEST(Slice, TheDefaultIsEverything) {
  static_assert(Slice{}.of(7).begin == 0 && Slice{}.of(7).end == 7);
  static_assert(Slice{}.check() == Status::ok);
}

TEST(Slice, HugeCountsDoNotOverflow) {
  constexpr std::size_t huge = SIZE_MAX;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{3}, huge - 1, huge}) {
    EXPECT_EQ((Slice{0, count}.of(huge).begin), 0u);
    EXPECT_EQ((Slice{count - 1, count}.of(huge).end), huge);
    EXPECT_EQ((Slice{count - 1, count}.of(2).end), 2u);
  }
}

TEST(Slice, CheckRefusesAnIndexBeyondTheCount) {
  static_assert(Slice{0, 0}.check() == Status::bad_slice);
  static_assert(Slice{1, 1}.check() == Status::bad_slice);
  static_assert(Slice{SIZE_MAX, 3}.check() == Status::bad_slice);
  static_assert(Slice{2, 3}.check() == Status::ok);
  static_assert(Slice{16, 17}.check() == Status::ok);
}

TEST(Units, CheckRange) {
  using tessera::internal::check_range;
  static_assert(check_range({0, 0}, 0) == Status::ok);
  static_assert(check_range({0, 5}, 5) == Status::ok);
  static_assert(check_range({5, 5}, 5) == Status::ok);
  static_assert(check_range({0, 6}, 5) == Status::bad_unit_range);
  static_assert(check_range({6, 6}, 5) == Status::bad_unit_range);
  static_assert(check_range({3, 2}, 5) == Status::bad_unit_range);
  static_assert(check_range({0, SIZE_MAX}, 5) == Status::bad_unit_range);
}

TEST(Units, Rounding) {
  using tessera::internal::div_up;
  using tessera::internal::round_up;
  static_assert(round_up(0, 64) == 0 && round_up(1, 64) == 64 && round_up(64, 64) == 64);
  static_assert(round_up(65, 64) == 128);
  static_assert(div_up(0, 3) == 0 && div_up(1, 3) == 1 && div_up(3, 3) == 1 && div_up(4, 3) == 2);
  static_assert(div_up(SIZE_MAX, 2) == SIZE_MAX / 2 + 1);
  for (std::size_t n = 0; n < 100; ++n)
    for (std::size_t m = 1; m < 20; ++m) {
      EXPECT_EQ(round_up(n, m) % m, 0u);
      EXPECT_GE(round_up(n, m), n);
      EXPECT_LT(round_up(n, m), n + m);
      EXPECT_EQ(div_up(n, m) * m, round_up(n, m));
    }
}

class CheckWorkspace : public testing::Test {
 protected:
  /// `shared` and `scratch` bytes, that many bytes off their alignment.
  Workspace make(std::size_t shared, std::size_t scratch, std::size_t shared_off = 0,
                 std::size_t scratch_off = 0) {
    return {{memory_ + shared_off, shared}, {memory_ + 1024 + scratch_off, scratch}};
  }
  static Status check(const Workspace& w, std::size_t shared, std::size_t scratch) {
    return tessera::internal::check_workspace(w, {shared, scratch});
  }

 private:
  alignas(tessera::workspace_alignment) std::byte memory_[2048];
};

TEST_F(CheckWorkspace, Sizes) {
  EXPECT_EQ(check(make(100, 200), 100, 200), Status::ok);
  EXPECT_EQ(check(make(101, 201), 100, 200), Status::ok);
  EXPECT_EQ(check(make(99, 200), 100, 200), Status::workspace_too_small);
  EXPECT_EQ(check(make(100, 199), 100, 200), Status::scratch_too_small);
  EXPECT_EQ(check(make(0, 0), 1, 0), Status::workspace_too_small);
  EXPECT_EQ(check(make(0, 0), 0, 1), Status::scratch_too_small);
}

TEST_F(CheckWorkspace, NothingNeededNothingChecked) {
  EXPECT_EQ(check(Workspace{}, 0, 0), Status::ok);
  EXPECT_EQ(check(make(100, 200, 1, 1), 0, 0), Status::ok);
  EXPECT_EQ(check(make(100, 200, 1, 0), 0, 200), Status::ok);
  EXPECT_EQ(check(make(100, 200, 0, 1), 100, 0), Status::ok);
}

TEST_F(CheckWorkspace, Alignment) {
  for (std::size_t off = 1; off < tessera::workspace_alignment; ++off) {
    EXPECT_EQ(check(make(100, 200, off, 0), 100, 200), Status::workspace_misaligned) << off;
    EXPECT_EQ(check(make(100, 200, 0, off), 100, 200), Status::workspace_misaligned) << off;
  }
  EXPECT_EQ(check(make(100, 200, 64, 64), 100, 200), Status::ok);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The table of angles: precision at long positions, and every refusal. It has no backend.
#include <cmath>
#include <limits>

#include "tessera/rope.hpp"
#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/rope.hpp"

namespace tessera_test {
namespace {

TEST(RopeTable, LongPositions) {
  const std::int32_t positions[] = {0,      1,      40,      4095,    15962,
                                    131071, 262143, 1048575, 1 << 20, -(1 << 20)};
  for (const std::size_t rotary : {2, 64, 128})
    for (const double base : {1.0, 500.0, 1e4, 5e5, 1e6, 1e7}) {
      GuardedMatrix<float> cosine(std::size(positions), rotary / 2, 3);
      GuardedMatrix<float> sine(std::size(positions), rotary / 2, 1);
      ASSERT_EQ(tessera::rope_table({positions, base, cosine.view(), sine.view()}), Status::ok);
      ASSERT_TRUE(cosine.untouched_outside());
      ASSERT_TRUE(sine.untouched_outside());
      for (std::size_t t = 0; t < std::size(positions); ++t)
        for (std::size_t p = 0; p < rotary / 2; ++p) {
          const auto want = reference::turn(positions[t], base, p, rotary);
          ASSERT_TRUE(within(std::fabs(difference(cosine(t, p), want.cos)), 1e-6));
          ASSERT_TRUE(within(std::fabs(difference(sine(t, p), want.sin)), 1e-6));
          // And what the reference of rope assumes.
          ASSERT_TRUE(within(std::fabs(difference(cosine(t, p), want.cos)), 0x1p-25 + 0x1p-28));
          ASSERT_TRUE(within(std::fabs(difference(sine(t, p), want.sin)), 0x1p-25 + 0x1p-28));
        }
    }
}

struct Filling {
  std::int32_t positions[3] = {1, 2, 3};
  GuardedMatrix<float> cosine{3, 4, 1};
  GuardedMatrix<float> sine{3, 4, 1};
  tessera::RopeTableArgs args;

  Filling() { restore(); }
  void restore() {
    positions[1] = 2;
    args = {positions, 1e4, cosine.view(), sine.view()};
  }
  void refused(Status want) {
    EXPECT_EQ(tessera::check(args), want);
    EXPECT_EQ(tessera::rope_table(args), want);
    EXPECT_TRUE(cosine.untouched());
    EXPECT_TRUE(sine.untouched());
    restore();
  }
};

TEST(RopeTable, Refused) {
  Filling p;
  ASSERT_EQ(tessera::check(p.args), Status::ok);
  p.args.cosine.rows = p.args.sine.rows = 0;
  p.refused(Status::empty_shape);
  p.args.sine.cols = 0;
  p.refused(Status::empty_shape);
  p.args.cosine.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.sine.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.positions = {};
  p.refused(Status::null_pointer);
  p.args.positions = p.args.positions.first(2);
  p.refused(Status::shape_mismatch);
  p.args.cosine.rows = 2;
  p.refused(Status::shape_mismatch);
  p.args.sine.cols = 3;
  p.refused(Status::shape_mismatch);
  p.args.cosine.row_stride = PTRDIFF_MAX;
  p.refused(Status::shape_too_large);
  p.args.sine.row_stride = PTRDIFF_MIN;
  p.refused(Status::shape_too_large);
  p.args.cosine.row_stride = 3;
  p.refused(Status::stride_too_small);
  p.args.sine.row_stride = 0;
  p.refused(Status::stride_too_small);
  p.args.cosine.data = shifted(p.args.cosine.data, 1);
  p.refused(Status::misaligned);
  p.args.sine.data = shifted(p.args.sine.data, 2);
  p.refused(Status::misaligned);
  p.args.sine.data = p.args.cosine.data + 2;
  p.refused(Status::overlap);
  for (const double base :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    p.args.base = base;
    p.refused(Status::not_finite);
  }
  for (const double base : {0.0, -1e4, 0x1p-1074}) {
    p.args.base = base;
    p.refused(Status::not_positive);
  }
  for (const std::int32_t position :
       {tessera::rope_max_position + 1, -tessera::rope_max_position - 1, INT32_MAX, INT32_MIN}) {
    p.positions[1] = position;
    p.refused(Status::position_range);
  }
}

}  // namespace
}  // namespace tessera_test

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Where in a tensor the errors are.
#ifndef TESSERA_BENCH_DIFF_HEAT_MAP_HPP_
#define TESSERA_BENCH_DIFF_HEAT_MAP_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/dumps/tensor.hpp"

namespace diff {

/// The tensor as a matrix whose columns are the last axis, in at most 48 x 96 cells. A cell is the
/// largest |a - b| / (|b| + rms) of its elements; infinite where one of the two is no number.
struct HeatMap {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> cells;
};

/// Precondition: both have as many elements as the shape.
HeatMap heat_map(const tessera::Elements& a, const tessera::Elements& b, const dumps::Axes& shape,
                 double rms);

/// A picture with a pixel per cell as a data: address. The darkest colour is up to 1e-8, the brightest
/// from 1 on, by powers of ten between.
std::string picture_address(const HeatMap& map);

}  // namespace diff

#endif  // TESSERA_BENCH_DIFF_HEAT_MAP_HPP_

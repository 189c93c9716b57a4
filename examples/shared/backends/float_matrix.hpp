// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Floats of a batch: a matrix that grows.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_FLOAT_MATRIX_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_FLOAT_MATRIX_HPP_

#include <cstddef>
#include <vector>

#include "tessera/core/views.hpp"

namespace examples {

/// A matrix that owns its floats.
class FloatMatrix {
 public:
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    if (values_.size() < rows * cols) values_.resize(rows * cols);
  }
  [[nodiscard]] tessera::MatrixView<float> view() {
    return tessera::matrix(values_.data(), rows_, cols_);
  }
  [[nodiscard]] tessera::MatrixView<const float> read() const {
    return tessera::matrix(values_.data(), rows_, cols_);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<float> values_;
};

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_FLOAT_MATRIX_HPP_

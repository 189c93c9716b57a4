// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrix products in double, with limits of error from the operands' magnitudes.
#ifndef TESSERA_TESTS_REFERENCE_MATMUL_HPP_
#define TESSERA_TESTS_REFERENCE_MATMUL_HPP_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tessera/formats/all.hpp"
#include "tests/reference/activations.hpp"
#include "tests/reference/expected.hpp"

namespace reference {

/// A matrix in double, rows dense. An element that is a sum of two parts may cancel: `magnitudes` then
/// holds the sums of their magnitudes (empty: those of the values).
struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> values;
  std::vector<double> magnitudes = {};
  const double* row(std::size_t i) const { return values.data() + i * cols; }
  double magnitude(std::size_t i, std::size_t k) const {
    return magnitudes.empty() ? std::fabs(row(i)[k]) : magnitudes[i * cols + k];
  }
};

/// Floats as they are; row i starts at data + i * stride.
inline Matrix exact(const float* data, std::size_t rows, std::size_t cols, std::ptrdiff_t stride) {
  Matrix m{rows, cols, {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = data + static_cast<std::ptrdiff_t>(i) * stride;
    m.values.insert(m.values.end(), row, row + cols);
  }
  return m;
}

/// A block of F in double: level * scale, and the minimum where there is one; up to n elements to
/// column k of row i.
template <class F>
void add_block(Matrix& m, const typename F::Block& block, std::size_t i, std::size_t k) {
  std::uint8_t codes[F::group];
  std::uint8_t header[F::header_bytes];
  float scale[F::group / F::scale_group];
  float minus_min[F::group / F::scale_group] = {};
  F::split(block, codes, header);
  F::scales(header, scale, minus_min);
  for (std::size_t q = 0; q < F::group && k + q < m.cols; ++q) {
    const std::size_t s = q / F::scale_group;
    const double product = F::level(codes[q]) * double{scale[s]};
    const double start = F::has_minima ? double{minus_min[s]} : 0.0;
    m.values[i * m.cols + k + q] = product + start;
    m.magnitudes[i * m.cols + k + q] = std::fabs(product) + std::fabs(start);
  }
}

/// Stored blocks, row by row, `cols` elements of each row.
template <class F>
Matrix blocks(const std::byte* data, std::size_t rows, std::size_t cols) {
  Matrix m{rows, cols, std::vector<double>(rows * cols), std::vector<double>(rows * cols)};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < cols; k += F::group, data += F::block_bytes) {
      typename F::Block block;
      std::memcpy(&block, data, sizeof block);
      add_block<F>(m, block, i, k);
    }
  return m;
}

/// Codes with a scale and a zero point each row, in double.
template <tessera::RowFormat F>
Matrix codes(const tessera::RowView<F>& w) {
  Matrix m{w.rows, w.cols, {}, {}};
  for (std::size_t i = 0; i < w.rows; ++i) {
    const auto* row = w.codes + static_cast<std::ptrdiff_t>(i) * w.row_stride;
    const int zero = w.zero_points != nullptr ? w.zero_points[i] : 0;
    for (std::size_t k = 0; k < w.cols; ++k)
      m.values.push_back(double{w.scales[i]} * (row[k] - zero));
  }
  return m;
}

/// The same of floats, after their quantisation.
template <tessera::RowFormat F>
Matrix stored_codes(const float* data, std::size_t rows, std::size_t cols) {
  using Code = typename F::Code;
  std::vector<Code> all(rows * cols), zeros(rows);
  std::vector<float> scales(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    F::choose_scale(data + i * cols, cols, scales[i], zeros[i]);
    F::quantize_codes(data + i * cols, cols, scales[i], zeros[i], all.data() + i * cols);
  }
  return codes<F>(
      {all.data(), scales.data(), zeros.data(), rows, cols, static_cast<std::ptrdiff_t>(cols)});
}

/// Weights after a round trip through storage format F.
template <class F>
Matrix stored(const float* data, std::size_t rows, std::size_t cols) {
  if constexpr (tessera::RowFormat<F>) return stored_codes<F>(data, rows, cols);
  Matrix m{rows, cols, std::vector<double>(rows * cols), std::vector<double>(rows * cols)};
  if constexpr (F::is_float) m.magnitudes.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = data + i * cols;
    for (std::size_t k = 0; k < cols; k += F::group) {
      if constexpr (F::is_float) {
        m.values[i * cols + k] = tessera::to_float(F::from_float(row[k]));
      } else if constexpr (!tessera::RowFormat<F>) {
        float x[F::group] = {};
        for (std::size_t q = 0; q < F::group && k + q < cols; ++q) x[q] = row[k + q];
        typename F::Block block;
        F::quantize_block(x, block);
        add_block<F>(m, block, i, k);
      }
    }
  }
  return m;
}

/// The activations as format F's product sees them, and how far they are from `a` itself.
struct Activations {
  Matrix seen;
  Matrix error;
};
template <class F>
Activations activations(const float* data, std::size_t rows, std::size_t cols,
                        std::ptrdiff_t stride) {
  Activations out{exact(data, rows, cols, stride),
                  Matrix{rows, cols, std::vector<double>(rows * cols), {}}};
  if constexpr (!F::is_float) {
    for (std::size_t i = 0; i < rows; ++i) {
      const QuantizedRow row = quantize_row(data + static_cast<std::ptrdiff_t>(i) * stride, cols,
                                            tessera::RowFormat<F> ? cols : 32);
      for (std::size_t k = 0; k < cols; ++k) {
        out.seen.values[i * cols + k] = row.value[k];
        out.error.values[i * cols + k] = row.error[k];
      }
    }
  }
  return out;
}

/// value = a * b^T and limit = roundings * 2^-24 * |a| * |b|^T + K * underflow.
/// `roundings`: of one output's chain, the terms' own included. `underflow`: what an element of K may
/// lose below the normal range.
inline Expected product(const Matrix& a, const Matrix& b, std::size_t roundings, double underflow) {
  Expected out;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.rows; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (std::size_t k = 0; k < a.cols; ++k) {
        const double p = a.row(i)[k] * b.row(j)[k];
        sum += p;
        magnitude += std::fabs(a.row(i)[k]) * b.magnitude(j, k);
      }
      out.value.push_back(sum);
      out.limit.push_back(relative_limit(roundings) * magnitude +
                          static_cast<double>(a.cols) * underflow);
    }
  }
  return out;
}

/// Half the smallest float per rounded term; a block format's scale product may be subnormal and off
/// by as much, times 127 * 128 per element.
template <class F>
inline constexpr double underflow_of = (F::is_float ? 1.0 : 1 + 127.0 * 128) * smallest / 2;

/// The product of format F as documented: given the quantised operands, only the roundings of one
/// chain (K terms, or per group a scale and a sum, and again for a minimum) are left.
template <class F>
Expected matmul(const Matrix& seen, const Matrix& weights) {
  std::size_t roundings = seen.cols;
  if constexpr (tessera::RowFormat<F>)  // of a piece the sum, the scales' product, the fma
    roundings = 3 * ((seen.cols + 65535) / 65536);
  else if constexpr (!F::is_float)
    roundings = (seen.cols + F::scale_group - 1) / F::scale_group * (F::has_minima ? 4 : 2);
  return product(seen, weights, roundings, underflow_of<F>);
}

/// The plain product of the floats `a`: also the activations' quantisation is in the limit.
template <class F>
Expected plain_matmul(const Matrix& a, const Matrix& error, const Matrix& weights) {
  const std::size_t roundings = 4 * a.cols;
  Expected out = product(a, weights, roundings, underflow_of<F>);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < weights.rows; ++j)
      for (std::size_t k = 0; k < a.cols; ++k)
        out.limit[i * weights.rows + j] +=
            error.row(i)[k] * std::fabs(weights.row(j)[k]) * (1 + relative_limit(roundings));
  return out;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_MATMUL_HPP_

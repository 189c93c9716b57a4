// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What is compared: one node per case, with inputs, and what must come out of it.
#ifndef TESSERA_EXAMPLES_ONNX_COMPARISON_CASES_HPP_
#define TESSERA_EXAMPLES_ONNX_COMPARISON_CASES_HPP_

#include <random>
#include <string>
#include <vector>

#include "examples/onnx/comparison/model.hpp"

namespace tessera_onnx {

/// Relative errors that rounding may make (rounding_limits of tessera/compare.hpp).
///
/// Two products and a sum, each rounded once in f32: 2^-24 of the whole each.
inline constexpr double rotation_limit = 1e-6;
/// Sums of up to some hundred f32 products, an exponential of them, and another such sum.
inline constexpr double attention_limit = 1e-5;
/// Sums of up to K f32 products, of which the parts with and without a zero point may cancel.
inline constexpr double product_limit = 1e-5;
/// Activations rounded to int8 with a scale per 32 elements: half a step is 1/254 of the group's largest, which is 2 to
/// 2.5 of a normal distribution's deviations. The error is uniform: 2.3 / 127 / sqrt(12) = 0.5 % of each, and so of
/// their sum; twice that is the limit.
inline constexpr double quantised_limit = 1e-2;

using Numbers = std::vector<double>;

/// An input of a node. An empty array is one that is left out.
struct Input {
  std::string name;
  Array array;
  bool constant = false;
};

struct Case {
  std::string op;
  std::string name;
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  /// The outputs computed in double. NaN: unspecified, not compared.
  std::vector<Numbers> expected;
  double limit;      ///< of the stock operator against `expected`
  double own_limit;  ///< of this library's operator, against both
  /// Of operators that this library defines with rounded operands: those in double, within `limit`.
  std::vector<Numbers> as_defined = {};
  /// Another way that the stock operator can compute, and how far off that may be.
  std::vector<Attribute> other_way = {};
  /// May the stock operator lack this?
  bool may_be_missing = false;
};

std::vector<Case> mat_mul_nbits_cases();
std::vector<Case> rotary_embedding_cases();
std::vector<Case> group_query_attention_cases();

/// Normally distributed.
inline std::vector<float> random_floats(std::mt19937& source, std::size_t count,
                                        float deviation = 1) {
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> x(count);
  for (float& e : x) e = normal(source);
  return x;
}

/// Cosines and sines of positions x pairs angles.
struct Tables {
  std::vector<float> cosine, sine;
  Tables(std::size_t positions, std::size_t pairs);
};
/// Turns a head of which the first 2 * pairs elements are rotated.
void turn_head(double* head, const Tables& tables, std::size_t position, std::size_t pairs,
               bool interleaved);

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_COMPARISON_CASES_HPP_

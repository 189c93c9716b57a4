// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What attention must answer: scalar's bits, which float64 has judged, and how many blocks it decodes.
#ifndef TESSERA_TESTS_KERNELS_ATTENTION_ANSWERS_HPP_
#define TESSERA_TESTS_KERNELS_ATTENTION_ANSWERS_HPP_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/kernels/attention_problem.hpp"

namespace tessera_test {

/// Scalar's answer, compared with float64 when first asked for.
inline const std::vector<float>& expected_of(const std::string& name, AttentionProblem& p) {
  static std::map<std::string, std::vector<float>> known;
  auto [at, is_new] = known.try_emplace(name);
  if (!is_new) return at->second;
  at->second = p.answer<tessera::backend::scalar>();
  EXPECT_TRUE(matches(at->second, p.expected())) << name;
  return at->second;
}

/// Counts the blocks that an emulating backend decodes.
struct Decodes {
  static inline std::size_t blocks = 0;
  static void retired(const char*) {}
  static void decoded(std::size_t n) { blocks += n; }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_ATTENTION_ANSWERS_HPP_

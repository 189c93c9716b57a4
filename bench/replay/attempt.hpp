// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What an operator should have computed from its recorded inputs, and what it would have computed had
/// it made one of the usual mistakes.
#ifndef TESSERA_BENCH_REPLAY_ATTEMPT_HPP_
#define TESSERA_BENCH_REPLAY_ATTEMPT_HPP_

#include <functional>
#include <string>
#include <vector>

#include "bench/dumps/operator_record.hpp"

namespace replay {

/// One way to compute an operator.
struct Attempt {
  std::string name;      ///< a word: "right", "head_map", "missing_scale"
  std::string sentence;  ///< "the query heads use the wrong key heads"
  std::function<std::vector<double>()> compute = {};
};

/// The right way first. All in double, from the definitions. Throws Refusal for a kind that is not
/// known (operator_call.hpp lists them), an operand that is missing or of another shape.
std::vector<Attempt> attempts_of(const dumps::OperatorRecord& record);

}  // namespace replay

#endif  // TESSERA_BENCH_REPLAY_ATTEMPT_HPP_

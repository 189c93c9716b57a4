// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The attempts of each kind of operator. Each throws Refusal as attempts_of does.
#ifndef TESSERA_BENCH_REPLAY_KINDS_HPP_
#define TESSERA_BENCH_REPLAY_KINDS_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/replay/attempt.hpp"
#include "bench/replay/operands.hpp"

namespace replay {

std::vector<Attempt> attention_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> matmul_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> rope_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> rms_norm_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> swiglu_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> add_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> append_attempts(const dumps::OperatorRecord& record);

/// Rows of `cols` elements after a round trip through a storage format, by its name.
Values stored_in(const std::string& format, const Values& values, std::size_t cols);

}  // namespace replay

#endif  // TESSERA_BENCH_REPLAY_KINDS_HPP_

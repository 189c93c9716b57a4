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
std::vector<Attempt> l2_norm_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> softmax_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> glu_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> matmul_experts_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> ssm_conv_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> ssm_scan_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> gated_delta_net_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> gated_linear_attention_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> rwkv6_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> rwkv7_attempts(const dumps::OperatorRecord& record);
std::vector<Attempt> append_attempts(const dumps::OperatorRecord& record);

/// Rows of `cols` elements after a round trip through a storage format, by its name.
Values stored_in(const std::string& format, const Values& values, std::size_t cols);

/// Activations as the product with a format's weights sees them: all block formats quantise them alike.
Values seen_by(const std::string& format, const Values& values, std::size_t cols);

inline std::vector<float> floats_of(const Values& values) {
  return std::vector<float>(values.begin(), values.end());
}

}  // namespace replay

#endif  // TESSERA_BENCH_REPLAY_KINDS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/replay/attempt.hpp"

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

struct Kind {
  const char* name;
  std::vector<Attempt> (*attempts)(const dumps::OperatorRecord&);
};
constexpr Kind replayed_kinds[] = {{"rms_norm", rms_norm_attempts},
                                   {"matmul", matmul_attempts},
                                   {"rope", rope_attempts},
                                   {"attention", attention_attempts},
                                   {"swiglu", swiglu_attempts},
                                   {"add", add_attempts},
                                   {"append", append_attempts},
                                   {"l2_norm", l2_norm_attempts},
                                   {"softmax", softmax_attempts},
                                   {"glu", glu_attempts},
                                   {"matmul_experts", matmul_experts_attempts},
                                   {"ssm_conv", ssm_conv_attempts},
                                   {"ssm_scan", ssm_scan_attempts},
                                   {"gated_delta_net", gated_delta_net_attempts},
                                   {"gated_linear_attention", gated_linear_attention_attempts},
                                   {"rwkv6", rwkv6_attempts},
                                   {"rwkv7", rwkv7_attempts}};

}  // namespace

std::vector<Attempt> attempts_of(const dumps::OperatorRecord& record) {
  std::string known;
  for (const Kind& kind : replayed_kinds) {
    if (record.kind == kind.name) return kind.attempts(record);
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  refuse(record, "a kind that cannot be replayed; there are " + known);
}

}  // namespace replay

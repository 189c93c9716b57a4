// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The operators that the backend offers; each is a file of operators/.
#ifndef TESSERA_EXAMPLES_GGML_OPERATOR_HPP_
#define TESSERA_EXAMPLES_GGML_OPERATOR_HPP_

#include "examples/ggml/interface.hpp"
#include "examples/ggml/work.hpp"

namespace tessera_ggml {

struct Operator {
  ggml::Op op;
  const char* name;                       ///< ggml's, compared when the backend is loaded
  bool (*supports)(const ggml::Tensor&);  ///< may be asked before there are data
  tsr_status (*compute)(const ggml::Tensor&, Work&);  ///< of what it supports, and not empty
};

extern const Operator mul_mat, mul_mat_id, flash_attn_ext, rope, ssm_conv, ssm_scan,
    gated_delta_net, gated_linear_attn, rwkv_wkv6, rwkv_wkv7, rms_norm, l2_norm, soft_max, glu;

inline constexpr const Operator* operators[] = {
    &mul_mat,  &mul_mat_id,      &flash_attn_ext,    &rope,      &ssm_conv,
    &ssm_scan, &gated_delta_net, &gated_linear_attn, &rwkv_wkv6, &rwkv_wkv7,
    &rms_norm, &l2_norm,         &soft_max,          &glu};

/// Null if there is none.
inline const Operator* find_operator(ggml::Op op) {
  for (const Operator* each : operators)
    if (each->op == op) return each;
  return nullptr;
}

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_OPERATOR_HPP_

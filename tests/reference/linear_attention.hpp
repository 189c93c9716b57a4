// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Gated linear attention, RWKV-6 and RWKV-7 in double: three rules of the recurrences.
#ifndef TESSERA_TESTS_REFERENCE_LINEAR_ATTENTION_HPP_
#define TESSERA_TESTS_REFERENCE_LINEAR_ATTENTION_HPP_

#include "tests/reference/recurrence.hpp"

namespace reference {

/// Outputs, then final states. Precondition: the operands of the rule are set.
inline Expected linear_attention(const Recurrence& r) {
  return recurrence(r);
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_LINEAR_ATTENTION_HPP_

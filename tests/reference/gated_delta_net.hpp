// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The gated delta rule in double: `rule` delta of the recurrences.
#ifndef TESSERA_TESTS_REFERENCE_GATED_DELTA_NET_HPP_
#define TESSERA_TESTS_REFERENCE_GATED_DELTA_NET_HPP_

#include "tests/reference/recurrence.hpp"

namespace reference {

/// Outputs, then final states. Precondition: the operands of the delta rule are set.
inline Expected gated_delta_net(const Recurrence& r) {
  return recurrence(r);
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_GATED_DELTA_NET_HPP_

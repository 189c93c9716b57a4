// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How the programs refuse input.
#ifndef TESSERA_BENCH_DUMPS_REFUSAL_HPP_
#define TESSERA_BENCH_DUMPS_REFUSAL_HPP_

#include <stdexcept>

namespace dumps {

/// Unusable input: the message names the file or field and the rule. The program ends with exit code 2.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_REFUSAL_HPP_

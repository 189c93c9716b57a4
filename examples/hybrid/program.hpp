// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The whole program but for its main function, so that tests can call it.
#ifndef TESSERA_EXAMPLES_HYBRID_PROGRAM_HPP_
#define TESSERA_EXAMPLES_HYBRID_PROGRAM_HPP_

#include <cstdio>
#include <span>

namespace hybrid {

/// Prompts come from `in`, answers go to `out`, complaints to `err`. Answers the exit code: 0 good, 1 a backend differs or an
/// accuracy is below the floor, 2 unusable input (one line on `err` names the file or option and the rule).
int run(std::span<const char* const> arguments, std::FILE* in, std::FILE* out, std::FILE* err);

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_PROGRAM_HPP_

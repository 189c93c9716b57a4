// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a backend says about itself.
#ifndef TESSERA_EXAMPLES_SHARED_BACKEND_FACTS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKEND_FACTS_HPP_

#include <string>

#include "tessera/core/status.hpp"

namespace examples {

struct BackendFacts {
  const char* name;
  const char* isa;         ///< the instruction set that the compiler's flags allow
  const char* target;      ///< a third-party library's name of its target; null if it has none
  const char* dot_via;     ///< where int8 products run
  const char* float_via;   ///< where float products run
  const char* vector_via;  ///< where everything else runs
  tessera::Status usable;  ///< can this thread run it?
};

/// The products of weights of this kind and everything else, each if it runs elsewhere; or "none".
std::string fallback(const BackendFacts& backend, bool float_weights);

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKEND_FACTS_HPP_

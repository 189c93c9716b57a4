// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A run as "key value" lines for scripts.
#ifndef TESSERA_EXAMPLES_STORIES_REPORT_HPP_
#define TESSERA_EXAMPLES_STORIES_REPORT_HPP_

#include <string>

#include "examples/stories/generate.hpp"
#include "examples/stories/transformer.hpp"

namespace stories {

/// Keys: backend, isa, target, weights, tokens, stopped, prefix, digest (of the prefix), whole (the
/// digest of all logits), retired (one line per instruction), fallback (what did not run on
/// the backend itself, or "none").
std::string report(const ModelKind& kind, const Generated& result);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_REPORT_HPP_

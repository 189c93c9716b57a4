// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The same model on every backend of this program: are the bits the same?
#ifndef TESSERA_EXAMPLES_STORIES_COMPARE_HPP_
#define TESSERA_EXAMPLES_STORIES_COMPARE_HPP_

#include <cstddef>
#include <cstdio>
#include <string_view>

#include "examples/stories/checkpoint.hpp"
#include "examples/stories/tokenizer.hpp"
#include "tessera/formats/format_id.hpp"

namespace stories {

/// Generates `tokens` tokens with every format of weights on every backend that this CPU can run, or on
/// scalar and `backend` alone if that is not empty, with a cache of format `cache`, and prints per pair
/// its digest and "identical", or the first tensor that is not scalar's. The tokens are then run again
/// as one batch, which must end in the same logits. Answers how many pairs failed; the last line says
/// it too.
std::size_t compare_backends(const Checkpoint& checkpoint, const Tokenizer& tokenizer,
                             std::string_view backend, tessera::FormatId cache, std::size_t tokens,
                             std::FILE* out);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_COMPARE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A model that nobody trained, for machines without a real one: same file layout, same odd sizes,
/// the same bytes wherever it is made.
#ifndef TESSERA_EXAMPLES_STORIES_SYNTHETIC_HPP_
#define TESSERA_EXAMPLES_STORIES_SYNTHETIC_HPP_

#include <cstddef>
#include <vector>

#include "examples/stories/checkpoint.hpp"

namespace stories {

/// dim 64, hidden 172 (no multiple of 32), 3 layers, 8 heads on 4 key heads, 512 tokens.
inline constexpr Shape synthetic_shape = {64, 172, 3, 8, 4, 512, 512, true};

/// The bytes of a checkpoint file with seeded weights. Precondition: the shape is legal.
std::vector<std::byte> synthetic_checkpoint(const Shape& shape);

/// The bytes of a tokenizer file: <unk>, the two text marks, 256 bytes, then invented syllables.
std::vector<std::byte> synthetic_tokenizer(std::size_t vocab);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_SYNTHETIC_HPP_

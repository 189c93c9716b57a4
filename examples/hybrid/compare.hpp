// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Do all backends give the same bits, however the work is cut?
#ifndef TESSERA_EXAMPLES_HYBRID_COMPARE_HPP_
#define TESSERA_EXAMPLES_HYBRID_COMPARE_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "examples/hybrid/model.hpp"
#include "examples/hybrid/network.hpp"
#include "tessera/formats/format_id.hpp"

namespace hybrid {

/// What is compared.
struct CompareOptions {
  std::string_view backend;  ///< this and scalar; empty: every one of this program
  std::string_view weights;  ///< empty: every format
  tessera::FormatId cache = tessera::FormatId::f32;
};

/// Answers the prompts on backends in formats: bits must be scalar's. Prints a line for each and answers how many failed.
std::size_t compare_backends(const Network& network,
                             std::span<const std::vector<std::int32_t>> prompts,
                             const CompareOptions& options, std::FILE* out);

/// Answers the prompts with one kind, the work cut in several ways: one sequence at a time, prompts in pieces of whole
/// chunks and a product for each expert must give the bits of all at once, decode steps alone those of prompts computed
/// token by token, and all the same text. Prints a line for each way and answers how many failed.
std::size_t compare_ways(const ModelKind& kind, const Network& network,
                         std::span<const std::vector<std::int32_t>> prompts,
                         tessera::FormatId cache, std::FILE* out);

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_COMPARE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/format_kinds.hpp"

namespace hybrid {
namespace {

namespace format = tessera::format;

using Matrices = tessera::TypeList<format::q4_1, format::q5_1, format::q2_K, format::q4_K,
                                   format::q5_K, format::nbits<128, float, true>>;
using OfExperts = tessera::TypeList<format::q4_K>;

}  // namespace

FormatKinds formats_with_minima() {
  return format_kinds<Matrices, OfExperts>();
}

}  // namespace hybrid

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/format_kinds.hpp"

namespace hybrid {
namespace {

namespace format = tessera::format;

// f32, f16, bf16, q8_0 and q4_0 are shared with other programs.
using Matrices =
    tessera::TypeList<format::q5_0, format::q3_K, format::q6_K, format::iq4_nl, format::iq4_xs,
                      format::mxfp4, format::nvfp4, format::q1_0, format::q2_0, format::i8_row,
                      format::u8_row, format::nbits<32, tessera::Float16, false>>;
using OfExperts = tessera::TypeList<format::f32, format::q8_0, format::q6_K>;

}  // namespace

FormatKinds scaled_formats() {
  return format_kinds<Matrices, OfExperts>();
}

}  // namespace hybrid

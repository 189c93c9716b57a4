// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Storage formats by number: the type ids of GGUF files.
#ifndef TESSERA_FORMATS_FORMAT_ID_HPP_
#define TESSERA_FORMATS_FORMAT_ID_HPP_

#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// The number a GGUF file gives to the format.
enum class FormatId : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_K = 10,
  q3_K = 11,
  q4_K = 12,
  q5_K = 13,
  q6_K = 14,
  iq4_nl = 20,
  iq4_xs = 23,
  bf16 = 30,
  mxfp4 = 39,
  nvfp4 = 40,
  q1_0 = 41,
  q2_0 = 42,
};

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_FORMAT_ID_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Storage formats by number: the type ids of GGUF files.
#ifndef TESSERA_FORMATS_FORMAT_ID_HPP_
#define TESSERA_FORMATS_FORMAT_ID_HPP_

#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// The number a GGUF file gives to the format.
enum class FormatId : std::uint32_t { f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8, bf16 = 30 };

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_FORMAT_ID_HPP_

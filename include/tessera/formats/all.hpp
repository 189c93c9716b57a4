// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The list of storage formats. Packing, matmul, tools and tests run over it.
#ifndef TESSERA_FORMATS_ALL_HPP_
#define TESSERA_FORMATS_ALL_HPP_

#include "tessera/config.hpp"
#include "tessera/core/type_list.hpp"
#include "tessera/formats/bf16.hpp"
#include "tessera/formats/f16.hpp"
#include "tessera/formats/f32.hpp"
#include "tessera/formats/q4_0.hpp"
#include "tessera/formats/q8_0.hpp"

TESSERA_NAMESPACE_BEGIN

using all_formats = TypeList<format::f32, format::f16, format::bf16, format::q8_0, format::q4_0>;

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_ALL_HPP_

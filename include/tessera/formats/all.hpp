// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The list of storage formats. Packing, matmul, tools and tests run over it.
#ifndef TESSERA_FORMATS_ALL_HPP_
#define TESSERA_FORMATS_ALL_HPP_

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/type_list.hpp"
#include "tessera/formats/bf16.hpp"
#include "tessera/formats/f16.hpp"
#include "tessera/formats/f32.hpp"
#include "tessera/formats/int8_row.hpp"
#include "tessera/formats/iq4_nl.hpp"
#include "tessera/formats/iq4_xs.hpp"
#include "tessera/formats/mxfp4.hpp"
#include "tessera/formats/nbits.hpp"
#include "tessera/formats/nvfp4.hpp"
#include "tessera/formats/q1_0.hpp"
#include "tessera/formats/q2_0.hpp"
#include "tessera/formats/q2_k.hpp"
#include "tessera/formats/q3_k.hpp"
#include "tessera/formats/q4_0.hpp"
#include "tessera/formats/q4_1.hpp"
#include "tessera/formats/q4_k.hpp"
#include "tessera/formats/q5_0.hpp"
#include "tessera/formats/q5_1.hpp"
#include "tessera/formats/q5_k.hpp"
#include "tessera/formats/q6_k.hpp"
#include "tessera/formats/q8_0.hpp"

TESSERA_NAMESPACE_BEGIN

using all_formats =
    TypeList<format::f32, format::f16, format::bf16, format::q8_0, format::q4_0, format::q4_1,
             format::q5_0, format::q5_1, format::q2_K, format::q3_K, format::q4_K, format::q5_K,
             format::q6_K, format::iq4_nl, format::iq4_xs, format::mxfp4, format::nvfp4,
             format::q1_0, format::q2_0>;

/// Formats of no GGUF file, all one template (nbits.hpp): one of each kind, for tools and tests.
using nbits_formats = TypeList<format::nbits<16, Float16, true>, format::nbits<128, float, false>>;

/// Formats with a scale per row (int8_row.hpp), which are no blocks.
using row_formats = TypeList<format::i8_row, format::u8_row>;

/// Calls `body(Type<F>{})` for the format of a GGUF type id.
/// Errors: unknown_format (the body is not called).
template <class Body>
[[nodiscard]] TESSERA_INLINE Status with_format(std::uint32_t type_id, Body&& body) {
  Status status = Status::unknown_format;
  all_formats::for_each([&]<class F>(Type<F> type) TESSERA_LAMBDA {
    if (static_cast<std::uint32_t>(F::id) != type_id) return;
    status = Status::ok;
    body(type);
  });
  return status;
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_ALL_HPP_

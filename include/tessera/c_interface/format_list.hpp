// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The formats of a copy, and names for those of nbits.hpp.
#ifndef TESSERA_C_INTERFACE_FORMAT_LIST_HPP_
#define TESSERA_C_INTERFACE_FORMAT_LIST_HPP_

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/type_list.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/tessera.h"

TESSERA_NAMESPACE_BEGIN

namespace format {

// As TSR_FORMATS and ONLY_FORMATS of tessera_add_c_library() spell them.
using nbits16_f32 = nbits<16, float, false>;
using nbits16_f16 = nbits<16, Float16, false>;
using nbits16_f32z = nbits<16, float, true>;
using nbits16_f16z = nbits<16, Float16, true>;
using nbits32_f32 = nbits<32, float, false>;
using nbits32_f16 = nbits<32, Float16, false>;
using nbits32_f32z = nbits<32, float, true>;
using nbits32_f16z = nbits<32, Float16, true>;
using nbits64_f32 = nbits<64, float, false>;
using nbits64_f16 = nbits<64, Float16, false>;
using nbits64_f32z = nbits<64, float, true>;
using nbits64_f16z = nbits<64, Float16, true>;
using nbits128_f32 = nbits<128, float, false>;
using nbits128_f16 = nbits<128, Float16, false>;
using nbits128_f32z = nbits<128, float, true>;
using nbits128_f16z = nbits<128, Float16, true>;
using nbits256_f32 = nbits<256, float, false>;
using nbits256_f16 = nbits<256, Float16, false>;
using nbits256_f32z = nbits<256, float, true>;
using nbits256_f16z = nbits<256, Float16, true>;

}  // namespace format

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// The formats of this copy.
#ifdef TSR_FORMATS
using compiled_formats = TypeList<TSR_FORMATS>;
#else
using compiled_formats =
    all_formats::append<format::i8_row, format::u8_row, format::nbits32_f32, format::nbits32_f16,
                        format::nbits32_f32z, format::nbits32_f16z, format::nbits128_f32,
                        format::nbits128_f16, format::nbits128_f32z, format::nbits128_f16z>;
#endif

/// As with_format() of formats/all.hpp.
template <class Body>
[[nodiscard]] TESSERA_INLINE Status with_compiled_format(tsr_format format, Body&& body) {
  Status status = Status::unknown_format;
  compiled_formats::for_each([&]<class F>(Type<F> type) TESSERA_LAMBDA {
    if (static_cast<tsr_format>(F::id) != format) return;
    status = Status::ok;
    body(type);
  });
  return status;
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_FORMAT_LIST_HPP_

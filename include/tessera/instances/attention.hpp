// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention over caches of any format: tiles of queries and keys, their merge, and rows of each format.
#ifndef TESSERA_INSTANCES_ATTENTION_HPP_
#define TESSERA_INSTANCES_ATTENTION_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/kernels/attention/attention.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/merge.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

#define TESSERA_INSTANCES_(B)                      \
  TESSERA_INSTANCE(attend<B>)                      \
  TESSERA_INSTANCE(merge_parts<B>)                 \
  TESSERA_INSTANCE(decode_rows<B, format::f32>)    \
  TESSERA_INSTANCE(decode_rows<B, format::f16>)    \
  TESSERA_INSTANCE(decode_rows<B, format::bf16>)   \
  TESSERA_INSTANCE(decode_rows<B, format::q8_0>)   \
  TESSERA_INSTANCE(decode_rows<B, format::q4_0>)   \
  TESSERA_INSTANCE(decode_rows<B, format::q4_1>)   \
  TESSERA_INSTANCE(decode_rows<B, format::q5_0>)   \
  TESSERA_INSTANCE(decode_rows<B, format::q5_1>)   \
  TESSERA_INSTANCE(decode_rows<B, format::iq4_nl>) \
  TESSERA_INSTANCE(load_codes<B, format::q8_0>)    \
  TESSERA_INSTANCE(load_codes<B, format::q4_0>)    \
  TESSERA_INSTANCE(load_codes<B, format::q4_1>)    \
  TESSERA_INSTANCE(load_codes<B, format::q5_0>)    \
  TESSERA_INSTANCE(load_codes<B, format::q5_1>)    \
  TESSERA_INSTANCE(load_codes<B, format::iq4_nl>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_ATTENTION_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The table of storage formats.
#ifndef TESSERA_BENCH_OP_FORMATS_HPP_
#define TESSERA_BENCH_OP_FORMATS_HPP_

namespace op {

/// Per format: elements and bytes of a block, packed size over stored size per layout, and whether
/// packing and unpacking random blocks gives back every byte. Returns the exit code.
int print_formats();

}  // namespace op

#endif  // TESSERA_BENCH_OP_FORMATS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Bytes without a header: X.raw or X.bin beside a text X.shape, such as "f32 2 3 64".
#ifndef TESSERA_BENCH_DUMPS_RAW_HPP_
#define TESSERA_BENCH_DUMPS_RAW_HPP_

#include <string>

#include "bench/dumps/tensor.hpp"

namespace dumps {

/// Types: f64 f32 f16 bf16, i8 to i64, u8 to u64. Throws Refusal.
Tensor read_raw(const std::string& path, const std::string& shape_path);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_RAW_HPP_

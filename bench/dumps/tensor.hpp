// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A tensor from a file: element type, shape, and the bytes in C order.
#ifndef TESSERA_BENCH_DUMPS_TENSOR_HPP_
#define TESSERA_BENCH_DUMPS_TENSOR_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/elements.hpp"

namespace dumps {

using Axes = std::vector<std::size_t>;

struct Tensor {
  tessera::Element type = tessera::Element::f32;
  Axes shape;
  std::vector<std::byte> bytes;

  tessera::Elements elements() const { return {bytes.data(), bytes.size() / size_of(type), type}; }
};

/// How elements are stored: kind 'f' (IEEE), 'b' (bfloat16), 'i' or 'u' (integers), and their bytes.
struct Storage {
  char kind = 'f';
  std::size_t size = 4;
};

/// "3x20"; "scalar" for no axes.
std::string shape_text(const Axes& shape);

/// The product of the sizes times `size` bytes; throws Refusal if there are too many axes or it is not
/// `available`, the number of bytes that there are.
std::size_t checked_bytes(const Axes& shape, std::size_t size, std::size_t available,
                          const std::string& where);

/// Floats are kept as they are, integers become f64 (exactly up to 2^53).
Tensor tensor_of(Storage storage, Axes shape, std::vector<std::byte> bytes);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_TENSOR_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A safetensors file: 8 bytes little endian, the header's length; the header, a JSON object that gives each tensor's dtype,
/// shape and place (begin and end) in what follows, and strings under "__metadata__"; then the tensors, row-major.
#ifndef TESSERA_EXAMPLES_HYBRID_CONTAINER_HPP_
#define TESSERA_EXAMPLES_HYBRID_CONTAINER_HPP_

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hybrid {

/// A tensor of one or two dimensions; of one: a single row.
struct Tensor {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values;
};

struct Container {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;

  /// Reads a file's bytes; tensors are F32 or F16, widened. Without a value, `error` says what is wrong.
  static std::optional<Container> parse(std::span<const std::byte> bytes, std::string* error);
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_CONTAINER_HPP_

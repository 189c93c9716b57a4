// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Heads turned by the tables of a node, on the runtime's threads.
#ifndef TESSERA_EXAMPLES_ONNX_OPERATORS_ROTATION_HPP_
#define TESSERA_EXAMPLES_ONNX_OPERATORS_ROTATION_HPP_

#include "examples/onnx/runtime.hpp"
#include "tessera/rope.hpp"

namespace tessera_onnx {

/// Cosines or sines, a row per position.
inline tessera::MatrixView<const float> table_of(const Tensor& t) {
  return tessera::matrix(t.as<const float>(), t.size(0), t.size(1));
}

inline void rotate(const Call& call, const tessera::RopeArgs<>& args) {
  const std::size_t units = tessera::units(args);
  const std::size_t parts = parts_of(units);
  call.share(parts, [&](std::size_t part) {
    return tessera::rope(args, tessera::Slice{part, parts}.of(units));
  });
}

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_OPERATORS_ROTATION_HPP_

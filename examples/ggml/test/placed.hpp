// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tensors in buffers of the backend.
#ifndef TESSERA_EXAMPLES_GGML_TEST_PLACED_HPP_
#define TESSERA_EXAMPLES_GGML_TEST_PLACED_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/ggml/interface.hpp"

struct ggml::Graph {
  std::vector<ggml::Tensor*> nodes;
};

extern "C" {
std::size_t ggml_nbytes(const ggml::Tensor* t);
const ggml::TypeTraits* ggml_get_type_traits(std::int32_t type);
}

namespace ggml_test {

/// Dense, without memory.
inline ggml::Tensor tensor(std::int32_t type, std::int64_t n0, std::int64_t n1, std::int64_t n2 = 1,
                           std::int64_t n3 = 1) {
  ggml::Tensor t = {};
  const ggml::TypeTraits& traits = *ggml_get_type_traits(type);
  t.type = type;
  t.ne[0] = n0, t.ne[1] = n1, t.ne[2] = n2, t.ne[3] = n3;
  t.nb[0] = traits.block_bytes;
  t.nb[1] = traits.block_bytes * static_cast<std::size_t>(n0 / traits.block_elements);
  t.nb[2] = t.nb[1] * static_cast<std::size_t>(n1);
  t.nb[3] = t.nb[2] * static_cast<std::size_t>(n2);
  return t;
}

/// A buffer that holds one tensor.
struct Placed {
  ggml::Buffer* buffer;

  Placed(ggml::BufferType* type, ggml::Tensor& t, ggml::Usage usage)
      : buffer(type->functions.alloc_buffer(type, ggml_nbytes(&t))) {
    buffer->usage = usage;
    t.buffer = buffer;
    t.data = buffer->functions.get_base(buffer);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() {
    buffer->functions.free_buffer(buffer);
    delete buffer;
  }
  void set(ggml::Tensor& t, const void* data) const {
    buffer->functions.set_tensor(buffer, &t, data, 0, ggml_nbytes(&t));
  }
};

}  // namespace ggml_test

#endif  // TESSERA_EXAMPLES_GGML_TEST_PLACED_HPP_

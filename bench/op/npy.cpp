// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/npy.hpp"

#include <cstring>

#include "bench/dumps/npy.hpp"
#include "bench/op/options.hpp"

namespace op {

Array read_npy(const std::string& path) {
  const dumps::Tensor tensor = dumps::read_npy(path);
  if (tensor.type != tessera::Element::f32)
    throw Refusal(path + ": the elements must be f32 ('<f4')");
  std::size_t count = 1;
  for (const std::size_t n : tensor.shape) count = elements(count, n, path);
  Array array{tensor.shape, std::vector<float>(count)};
  if (count != 0) std::memcpy(array.values.data(), tensor.bytes.data(), tensor.bytes.size());
  return array;
}

void write_npy(const std::string& path, const Array& array) {
  dumps::write_npy(path, array.shape,
                   {array.values.data(), array.values.size(), tessera::Element::f32});
}

}  // namespace op

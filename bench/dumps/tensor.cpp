// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/tensor.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "bench/dumps/refusal.hpp"
#include "tessera/core/npy_header.hpp"

namespace dumps {
namespace {

double integer_at(const std::byte* at, Storage storage) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, storage.size);
  if (storage.kind == 'u') return static_cast<double>(bits);
  const auto unused = static_cast<unsigned>(64 - 8 * storage.size);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace

std::string shape_text(const Axes& shape) {
  std::string text;
  for (const std::size_t n : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(n);
  }
  return text.empty() ? "scalar" : text;
}

std::size_t checked_bytes(const Axes& shape, std::size_t size, std::size_t available,
                          const std::string& where) {
  if (shape.size() > tessera::max_axes)
    throw Refusal(where + ": the shape has more than " + std::to_string(tessera::max_axes) +
                  " axes");
  std::size_t bytes = size;
  for (const std::size_t n : shape)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      throw Refusal(where + ": the shape has more elements than memory has bytes");
  if (bytes != available) throw Refusal(where + ": the data are not as long as the shape says");
  return bytes;
}

Tensor tensor_of(Storage storage, Axes shape, std::vector<std::byte> bytes) {
  using tessera::Element;
  if (storage.kind == 'b') return {Element::bf16, std::move(shape), std::move(bytes)};
  if (storage.kind == 'f') {
    const Element type = storage.size == 8   ? Element::f64
                         : storage.size == 4 ? Element::f32
                                             : Element::f16;
    return {type, std::move(shape), std::move(bytes)};
  }
  const std::size_t count = bytes.size() / storage.size;
  std::vector<std::byte> values(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    const double x = integer_at(bytes.data() + i * storage.size, storage);
    std::memcpy(values.data() + i * sizeof x, &x, sizeof x);
  }
  return {Element::f64, std::move(shape), std::move(values)};
}

}  // namespace dumps

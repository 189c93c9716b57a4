// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/weights.hpp"

#include <algorithm>
#include <atomic>

#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

using ggml::Tensor;

// The rows of all matrices as they are stored, or decoded to f32 and contiguous.
struct Rows {
  tsr_format format;
  const std::byte* data;
  std::size_t nb[3];  // bytes between rows, matrices, stacks of matrices

  [[nodiscard]] const std::byte* matrix(std::size_t i2, std::size_t i3) const {
    return data + i2 * nb[1] + i3 * nb[2];
  }
};

tsr_status find_rows(const Tensor& t, Work& work, Rows& rows) {
  rows = {static_cast<tsr_format>(t.type), at(t), {t.nb[1], t.nb[2], t.nb[3]}};
  if (is_format(t.type)) return TSR_OK;
  const std::size_t k = size(t, 0), n = size(t, 1);
  float* const decoded = work.take_array<float>(k * row_count(t));
  if (decoded == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  const auto to_float = ggml::ggml_get_type_traits(t.type)->to_float;
  work.share(row_count(t), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      to_float(at(t, r / n % size(t, 2), r / n / size(t, 2)) + r % n * t.nb[1], decoded + r * k,
               t.ne[0]);
  });
  rows = {TSR_F32,
          reinterpret_cast<const std::byte*>(decoded),
          {k * sizeof(float), n * k * sizeof(float), size(t, 2) * n * k * sizeof(float)}};
  return TSR_OK;
}

// All matrices packed for this copy's tile, one behind the other; `memory` gives the place for so many bytes.
template <class Memory>
tsr_status pack(const Tensor& t, Work& work, tsr_weights& to, Memory&& memory) {
  const std::size_t k = size(t, 0), n = size(t, 1), matrices = size(t, 2) * size(t, 3);
  Rows rows;
  tsr_tile tile{};
  std::size_t bytes = 0;
  if (const tsr_status s = find_rows(t, work, rows); s != TSR_OK) return s;
  if (const tsr_status s = tsr_native_tile(rows.format, &tile); s != TSR_OK) return s;
  if (const tsr_status s = tsr_packed_size(rows.format, tile, n, k, &bytes); s != TSR_OK) return s;
  std::byte* const images = memory(matrices * bytes);
  if (images == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  constexpr std::size_t rows_at_once = 256;  // a multiple of every tile's columns
  const std::size_t pieces = (n + rows_at_once - 1) / rows_at_once;
  std::atomic<tsr_status> status = TSR_OK;
  const auto pack_piece = [&](std::size_t m, std::size_t piece) {
    const std::size_t first = piece * rows_at_once;
    const tsr_status s =
        tsr_pack_stored(rows.format, tile, rows.matrix(m % size(t, 2), m / size(t, 2)), n, k,
                        static_cast<std::ptrdiff_t>(rows.nb[0]), images + m * bytes, bytes, first,
                        std::min(n, first + rows_at_once));
    if (s != TSR_OK) status = s;
  };
  work.share(matrices * pieces, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) pack_piece(i / pieces, i % pieces);
  });
  to = {};
  to.format = rows.format;
  to.data = images;
  to.bytes = matrices * bytes;
  to.n = n;
  to.k = k;
  return status;
}

}  // namespace

bool is_format(std::int32_t type) {
  tsr_format_facts facts = tsr_format_init();
  return tsr_format_facts_of(static_cast<tsr_format>(type), &facts) == TSR_OK;
}

bool is_decoded(std::int32_t type) {
  const ggml::TypeTraits* const traits = ggml::ggml_get_type_traits(type);
  return !is_format(type) && traits != nullptr && traits->is_quantized &&
         traits->to_float != nullptr;
}

void PackedImages::forget(const void* begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto* const low = static_cast<const std::byte*>(begin);
  std::erase_if(images_, [&](const auto& entry) {
    const auto* const source = static_cast<const std::byte*>(entry.first);
    return source < low + bytes && low < source + entry.second.source_bytes;
  });
}

tsr_status packed_weights(const Tensor& t, Work& work, tsr_weights* to) {
  PackedImages* const kept = images_of(t);
  if (kept == nullptr)
    return pack(t, work, *to, [&](std::size_t bytes) { return work.take(bytes); });
  const std::lock_guard lock(kept->mutex_);
  const PackedImages::Source source{
      t.type, {t.ne[0], t.ne[1], t.ne[2], t.ne[3]}, {t.nb[0], t.nb[1], t.nb[2], t.nb[3]}};
  // A view of the same address may have other strides or another shape.
  const auto found = kept->images_.find(t.data);
  if (found != kept->images_.end() && found->second.source == source) {
    *to = found->second.weights;
    return TSR_OK;
  }
  PackedImages::Image image{nullptr, {}, source, ggml::ggml_nbytes(&t)};
  const tsr_status s = pack(t, work, image.weights, [&](std::size_t bytes) {
    image.memory = allocate(bytes);
    return image.memory.get();
  });
  if (s != TSR_OK) return s;
  *to = image.weights;
  kept->images_.insert_or_assign(t.data, std::move(image));
  return TSR_OK;
}

tsr_status weights_of(const Tensor& t, Work& work, tsr_weights* to, tsr_batches* batches) {
  if (images_of(t) != nullptr) return packed_weights(t, work, to);
  Rows rows;
  if (const tsr_status s = find_rows(t, work, rows); s != TSR_OK) return s;
  *to = {};
  to->format = rows.format;
  to->stored = 1;
  to->data = rows.data;
  to->n = size(t, 1);
  to->k = size(t, 0);
  to->row_bytes = static_cast<std::ptrdiff_t>(rows.nb[0]);
  batches->b_inner = static_cast<std::ptrdiff_t>(rows.nb[1]);
  batches->b_outer = static_cast<std::ptrdiff_t>(rows.nb[2]);
  return TSR_OK;
}

}  // namespace tessera_ggml

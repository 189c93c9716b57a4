// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/recording.hpp"

#include <cstdio>
#include <memory>

#include "examples/ggml/recorded_call.hpp"
#include "tessera/record.hpp"

namespace tessera_ggml {
namespace {

// Null where nothing is recorded. A folder that cannot be written is said once.
tessera::Recorder* recorder() {
  static const auto made = std::make_unique<tessera::Recorder>();
  static const char* said = nullptr;
  if (made->problem() != said) {
    said = made->problem();
    std::fprintf(stderr, "tessera: TESSERA_RECORD: %s\n", said);
  }
  return made->active() ? made.get() : nullptr;
}

std::mutex one_at_a_time;

bool is_wanted() {
  static const bool wanted = recorder() != nullptr;
  return wanted;
}

}  // namespace

Recording::Recording(const Tensor& dst) : dst_(dst) {
  if (!is_wanted()) return;
  lock_ = std::unique_lock(one_at_a_time);
  if (tessera::Recorder* const r = recorder(); r != nullptr) r->before(RecordedCall(dst).view());
}

void Recording::end() {
  if (!lock_.owns_lock()) return;
  if (tessera::Recorder* const r = recorder(); r != nullptr) r->after(RecordedCall(dst_).view());
  lock_.unlock();
}

void forget_recorded(const void* data, std::size_t bytes) {
  if (!is_wanted() || bytes == 0) return;
  const std::lock_guard lock(one_at_a_time);
  tessera::CallTensor all;
  all.data = data;
  all.type = tessera::Element::f16;  // whole halves: sizes are even, or a byte more is forgotten
  all.axes = 1;
  all.shape[0] = (bytes + 1) / 2;
  all.strides[0] = 1;
  if (tessera::Recorder* const r = recorder(); r != nullptr) r->forget(all);
}

}  // namespace tessera_ggml

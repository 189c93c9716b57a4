// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// States of recurrent operators, which ggml wants behind the outputs in one tensor.
#ifndef TESSERA_EXAMPLES_GGML_STATES_HPP_
#define TESSERA_EXAMPLES_GGML_STATES_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "examples/ggml/tensors.hpp"
#include "examples/ggml/work.hpp"

namespace tessera_ggml {

/// Is it `outputs` and then `states` floats, without gaps?
inline bool holds(const Tensor& dst, std::int64_t outputs, std::int64_t states) {
  return is_f32(&dst) && is_contiguous(dst) &&
         dst.ne[0] * static_cast<std::int64_t>(row_count(dst)) == outputs + states;
}

/// Behind `outputs` floats of dst lie `snapshots` states of all `sequences`, the newest first. Each sequence is a
/// call of its own whose state is updated in place, or outside of dst if older ones are wanted too.
class StateOutputs {
 public:
  StateOutputs(const Tensor& dst, std::size_t outputs, std::size_t state_floats,
               std::size_t sequences, std::size_t snapshots, Work& work)
      : data_(floats(dst) + outputs),
        state_(state_floats),
        sequences_(sequences),
        snapshots_(snapshots),
        outside_(snapshots > 1 ? work.take_array<float>(state_floats) : nullptr) {}

  [[nodiscard]] bool has_memory() const { return snapshots_ <= 1 || outside_ != nullptr; }

  /// The states of the call for a sequence that begins with a copy of `from`, in GGUF's order.
  template <class Args>
  void begin(Args& args, std::size_t sequence, const float* from) const {
    float* const own = data_ + sequence * state_;
    float* const slot = snapshots_ > 1 ? outside_ : own;
    std::memcpy(slot, from, state_ * sizeof(float));
    args.states = {slot, 1, static_cast<std::ptrdiff_t>(state_), TSR_STATE_REDUCTION};
    if (snapshots_ > 1)
      args.snapshots = {own, snapshots_, 0, static_cast<std::ptrdiff_t>(sequences_ * state_)};
  }

 private:
  float* data_;
  std::size_t state_, sequences_, snapshots_;
  float* outside_;
};

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_STATES_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The hot code of one backend, for the disassembler: q8_0 matmul, softmax, rope, attention, a norm and, where
// the vectors are the backend's own, a convolution and a recurrence.
// TESSERA_HOT_BACKEND names the backend's tag. Nothing here is run.
#include "tessera/tessera.hpp"

namespace tessera_hot {

using B = tessera::backend::TESSERA_HOT_BACKEND;
using F = tessera::format::q8_0;
using T = tessera::tile_for<F, B>;

tessera::Status matmul(const tessera::MatmulArgs<F, T>& args) {
  return tessera::matmul<B>(args);
}
tessera::Status softmax(const tessera::SoftmaxArgs& args) {
  return tessera::softmax<B>(args);
}
tessera::Status rope(const tessera::RopeArgs<>& args) {
  return tessera::rope<B>(args);
}
tessera::Status attention(const tessera::AttentionArgs<>& args) {
  return tessera::attention<B>(args);
}
tessera::Status rms_norm(const tessera::RmsNormArgs& args) {
  return tessera::rms_norm<B>(args);
}

template <class V>
concept Native = V::vector_via[0] == 'n';  // "native", not "via ..."

template <class V>
tessera::Status recurrent(const tessera::GatedDeltaNetStepArgs& args) {
  if constexpr (Native<V>) return tessera::gated_delta_net_step<V>(args);
  return tessera::check<V>(args);
}
template tessera::Status recurrent<B>(const tessera::GatedDeltaNetStepArgs&);

}  // namespace tessera_hot

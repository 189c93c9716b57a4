// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The kernels of rows behind the C interface.
#ifndef TESSERA_C_INTERFACE_ROWS_HPP_
#define TESSERA_C_INTERFACE_ROWS_HPP_

#include <cstddef>

#include "tessera/activation.hpp"
#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/head_norm.hpp"
#include "tessera/norm.hpp"
#include "tessera/softmax.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

template <class B>
Status call(const tsr_softmax_args& c, const Request& r) noexcept {
  return answer<B>(
      SoftmaxArgs{view(c.x), view(c.y), c.scale}, r,
      [](const auto& args, std::size_t, UnitRange range) { return softmax<B>(args, range); });
}

template <class B>
Status call(const tsr_rms_norm_args& c, const Request& r) noexcept {
  return answer<B>(
      RmsNormArgs{view(c.x), c.weight, view(c.y), c.eps}, r,
      [](const auto& args, std::size_t, UnitRange range) { return rms_norm<B>(args, range); });
}

template <class B>
Status call(const tsr_l2_norm_args& c, const Request& r) noexcept {
  return answer<B>(
      L2NormArgs{view(c.x), view(c.y), c.eps}, r,
      [](const auto& args, std::size_t, UnitRange range) { return l2_norm<B>(args, range); });
}

template <class B>
Status call(const tsr_gated_rms_norm_args& c, const Request& r) noexcept {
  if (c.order > TSR_GATE_BEFORE) return Status::unknown_choice;
  return answer<B>(
      GatedRmsNormArgs{view(c.x), view(c.z), view(c.weight), view(c.y), c.eps,
                       c.order == TSR_GATE_BEFORE ? GateOrder::before : GateOrder::after},
      r, [](const auto& args, std::size_t, UnitRange range) {
        return gated_rms_norm<B>(args, range);
      });
}

template <class B>
Status call(const tsr_swiglu_args& c, const Request& r) noexcept {
  return answer<B>(
      SwigluArgs{view(c.gate), view(c.up), view(c.y)}, r,
      [](const auto& args, std::size_t, UnitRange range) { return swiglu<B>(args, range); });
}

template <class B>
Status call(const tsr_activation_args& c, const Request& r) noexcept {
  if (c.function < TSR_SOFTPLUS || c.function > TSR_SILU) return Status::unknown_choice;
  return answer<B>(ActivationArgs{view(c.x), view(c.y)}, r,
                   [&](const auto& args, std::size_t, UnitRange range) {
                     return c.function == TSR_SOFTPLUS  ? softplus<B>(args, range)
                            : c.function == TSR_SIGMOID ? sigmoid<B>(args, range)
                                                        : silu<B>(args, range);
                   });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_ROWS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Epilogues of the C interface: a list of steps that is walked for every vector.
#ifndef TESSERA_C_INTERFACE_STEPS_HPP_
#define TESSERA_C_INTERFACE_STEPS_HPP_

#include <cstddef>

#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/matmul/finish.hpp"
#include "tessera/tile/epilogue.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// Are the steps ones that there are, with their data, and is there one gate for a pair?
inline Status check_steps(const tsr_step* steps, std::size_t count, std::size_t sources) noexcept {
  if (count == 0) return Status::ok;
  if (steps == nullptr) return Status::null_pointer;
  std::size_t gates = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const tsr_step& step = steps[i];
    if (step.kind > TSR_STEP_GATE) return Status::unknown_choice;
    gates += step.kind == TSR_STEP_GATE;
    const bool residual = step.kind == TSR_STEP_RESIDUAL;
    if (residual && step.type != TSR_F32 && step.type != TSR_F16 && step.type != TSR_BF16)
      return Status::unknown_choice;
    const bool reads = residual || step.kind == TSR_STEP_ROW_SCALE || step.kind == TSR_STEP_BIAS;
    if (reads && step.data == nullptr) return Status::null_pointer;
  }
  return gates == sources - 1 ? Status::ok : Status::unknown_choice;
}

/// The steps as one functor of tile/epilogue.hpp, with its operations.
struct Steps {
  static constexpr std::size_t registers = 2;  // as the costliest of them
  const tsr_step* steps;
  std::size_t count;

  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t column) const noexcept {
    return (*this)(d, v, v, row, column);  // without a pair there is no gate
  }
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, typename D::F32 up, std::size_t row,
                                 std::size_t column) const noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const tsr_step& step = steps[i];
      const auto* const floats = static_cast<const float*>(step.data);
      switch (step.kind) {
        case TSR_STEP_SCALE:
          v = epilogue::Scale{step.value}(d, v, row, column);
          break;
        case TSR_STEP_ROW_SCALE:
          v = epilogue::RowScale{floats}(d, v, row, column);
          break;
        case TSR_STEP_BIAS:
          v = epilogue::Bias{floats}(d, v, row, column);
          break;
        case TSR_STEP_RESIDUAL:
          if (step.type == TSR_F32)
            v = residual<float>(step)(d, v, row, column);
          else if (step.type == TSR_F16)
            v = residual<Float16>(step)(d, v, row, column);
          else
            v = residual<BFloat16>(step)(d, v, row, column);
          break;
        case TSR_STEP_CLAMP:
          v = epilogue::Clamp{step.value, step.high}(d, v, row, column);
          break;
        case TSR_STEP_RELU:
          v = epilogue::Relu{}(d, v, row, column);
          break;
        case TSR_STEP_SILU:
          v = epilogue::Silu{}(d, v, row, column);
          break;
        case TSR_STEP_GELU:
          v = epilogue::Gelu{}(d, v, row, column);
          break;
        default:
          v = d.rounded(d.mul(v, up));
          break;
      }
    }
    return v;
  }

 private:
  template <class T>
  TESSERA_INLINE static epilogue::Residual<T> residual(const tsr_step& step) noexcept {
    return {MatrixView<const T>{static_cast<const T*>(step.data), 0, 0, step.row_stride}};
  }
};

/// Calls body(finish) with what takes blocks of sums to `output`.
template <class B, class Output, class Body>
void with_finish(const Output& output, const tsr_step* steps, std::size_t count,
                 std::size_t sources, Body&& body) noexcept {
  const Steps walk = {steps, count};
  if (sources == 2) {
    const epilogue::Gated<epilogue::Silu> swiglu = {};
    body(count == 0 ? detail::finish_with<B, 2>(output, swiglu)
                    : detail::finish_with<B, 2>(output, walk));
  } else {
    const epilogue::Identity identity;
    body(count == 0 ? detail::finish_with<B, 1>(output, identity)
                    : detail::finish_with<B, 1>(output, walk));
  }
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_STEPS_HPP_

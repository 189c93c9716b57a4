// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Activations of rows: softplus, sigmoid, silu; gated: y = silu(gate) * up.
///
/// Exactness class: `identical`. Definition: the functions of core/math.hpp, which states their errors; for
/// swiglu one more rounded product. NaN and infinity as IEEE arithmetic gives; silu(-inf) is NaN.
#ifndef TESSERA_ACTIVATION_HPP_
#define TESSERA_ACTIVATION_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/activation/activation.hpp"
#include "tessera/kernels/swiglu/swiglu.hpp"

TESSERA_NAMESPACE_BEGIN

/// Three matrices of one shape. `y` may be `gate` or `up` (same pointer and stride). Halves of one
/// row are two views with the row's stride.
struct SwigluArgs {
  MatrixView<const float> gate;
  MatrixView<const float> up;
  MatrixView<float> y;
};

/// Two matrices of one shape. `y` may be `x` (same pointer and stride).
struct ActivationArgs {
  MatrixView<const float> x;
  MatrixView<float> y;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// One unit per row.
[[nodiscard]] TESSERA_INLINE std::size_t units(const SwigluArgs& args) noexcept {
  return args.gate.rows;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is gate or up), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const SwigluArgs& args) noexcept {
  if (const Status s = detail::check_input(args.gate); s != Status::ok) return s;
  if (const Status s = detail::check_input(args.up); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.gate.rows != args.y.rows || args.gate.cols != args.y.cols ||
      args.up.rows != args.y.rows || args.up.cols != args.y.cols)
    return Status::shape_mismatch;
  if (!detail::same_rows_or_apart(args.y, args.gate)) return Status::overlap;
  if (!detail::same_rows_or_apart(args.y, args.up)) return Status::overlap;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status swiglu(const SwigluArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < range.end; ++i)
    detail::swiglu_row<B>(args.gate.row(i), args.up.row(i), args.y.row(i), args.y.cols);
  return Status::ok;
}

/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status swiglu(const SwigluArgs& args) noexcept {
  return swiglu<B>(args, {0, units(args)});
}

/// One unit per row.
[[nodiscard]] TESSERA_INLINE std::size_t units(const ActivationArgs& args) noexcept {
  return args.x.rows;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is x), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const ActivationArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.rows != args.y.rows || args.x.cols != args.y.cols) return Status::shape_mismatch;
  if (!detail::same_rows_or_apart(args.y, args.x)) return Status::overlap;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

namespace detail {

template <class B, Activation A>
[[nodiscard]] Status activate(const ActivationArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < range.end; ++i)
    activation_row<B, A>(args.x.row(i), args.y.row(i), args.y.cols);
  return Status::ok;
}

}  // namespace detail

/// y = ln(1 + e^x), x itself above 20. Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status softplus(const ActivationArgs& args, UnitRange range) noexcept {
  return detail::activate<B, detail::Activation::softplus>(args, range);
}
/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status softplus(const ActivationArgs& args) noexcept {
  return softplus<B>(args, {0, units(args)});
}

/// y = 1 / (1 + e^-x). Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status sigmoid(const ActivationArgs& args, UnitRange range) noexcept {
  return detail::activate<B, detail::Activation::sigmoid>(args, range);
}
/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status sigmoid(const ActivationArgs& args) noexcept {
  return sigmoid<B>(args, {0, units(args)});
}

/// y = x / (1 + e^-x). Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status silu(const ActivationArgs& args, UnitRange range) noexcept {
  return detail::activate<B, detail::Activation::silu>(args, range);
}
/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status silu(const ActivationArgs& args) noexcept {
  return silu<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/rows.hpp"
#endif

#endif  // TESSERA_ACTIVATION_HPP_

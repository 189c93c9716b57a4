// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Softmax of rows: y = exp(x * scale - max) / sum.
///
/// Exactness class: `identical`. Definition, per row: `z = x * scale` rounded; max over z; `e =
/// exp(z - max)` (core/math.hpp); sum of e in 32 virtual lanes, folded (16, 8, 4, 2, 1); `y = e * (1 /
/// sum)`. A row of -inf only gives zeros. A row with a NaN, or with +inf, is all NaN.
#ifndef TESSERA_SOFTMAX_HPP_
#define TESSERA_SOFTMAX_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/softmax/softmax.hpp"

TESSERA_NAMESPACE_BEGIN

/// `y` and `x` have the same shape; `y` may be `x` (same pointer and stride).
struct SoftmaxArgs {
  MatrixView<const float> x;
  MatrixView<float> y;
  FloatDefaultOne scale = {};
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// One unit per row.
[[nodiscard]] TESSERA_INLINE std::size_t units(const SoftmaxArgs& args) noexcept {
  return args.x.rows;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is x), not_finite (scale), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const SoftmaxArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.rows != args.y.rows || args.x.cols != args.y.cols) return Status::shape_mismatch;
  if (!detail::same_rows_or_apart(args.y, args.x)) return Status::overlap;
  if (!is_finite(args.scale)) return Status::not_finite;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status softmax(const SoftmaxArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < range.end; ++i)
    detail::softmax_row<B>(args.x.row(i), args.scale, args.y.row(i), args.x.cols);
  return Status::ok;
}

/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status softmax(const SoftmaxArgs& args) noexcept {
  return softmax<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/rows.hpp"
#endif

#endif  // TESSERA_SOFTMAX_HPP_

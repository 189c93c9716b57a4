// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Negation of rows: y = -x.
///
/// Exactness class: `exact`. A NaN keeps its bits but for the sign.
#ifndef TESSERA_NEGATE_HPP_
#define TESSERA_NEGATE_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/negate/negate.hpp"

TESSERA_NAMESPACE_BEGIN

/// `y` and `x` have the same shape; `y` may be `x` (same pointer and stride).
struct NegateArgs {
  MatrixView<const float> x;
  MatrixView<float> y;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// One unit per row.
[[nodiscard]] TESSERA_INLINE std::size_t units(const NegateArgs& args) noexcept {
  return args.x.rows;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is x), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const NegateArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.rows != args.y.rows || args.x.cols != args.y.cols) return Status::shape_mismatch;
  if (!detail::same_rows_or_apart(args.y, args.x)) return Status::overlap;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status negate(const NegateArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < range.end; ++i)
    detail::negate_row<B>(args.x.row(i), args.y.row(i), args.x.cols);
  return Status::ok;
}

/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status negate(const NegateArgs& args) noexcept {
  return negate<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_NEGATE_HPP_

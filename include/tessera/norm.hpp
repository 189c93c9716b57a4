// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Root-mean-square normalisation of rows.
///
/// Exactness class: `identical`. Definition, per row of n: lane i mod 32 accumulates
/// `acc = fma(x, x, acc)` ascending, the 32 lanes are folded (16, 8, 4, 2, 1);
/// `r = 1 / sqrt(sum / n + eps)`; `y = (x * r) * w`, each product rounded.
/// NaN or infinity in a row makes the whole row NaN or zero as IEEE arithmetic gives.
#ifndef TESSERA_NORM_HPP_
#define TESSERA_NORM_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/rms_norm/rms_norm.hpp"

TESSERA_NAMESPACE_BEGIN

/// `y` and `x` have the same shape; `y` may be `x` (same pointer and stride). `weight` has x.cols
/// elements, or is null for none.
struct RmsNormArgs {
  MatrixView<const float> x;
  const float* weight = nullptr;
  MatrixView<float> y;
  Parameter<float, internal::parameter_bits(1e-5f)> eps = {};  ///< 1e-5 unless set
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// One unit per row.
[[nodiscard]] TESSERA_INLINE std::size_t units(const RmsNormArgs& args) noexcept {
  return args.x.rows;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is x), not_finite (eps), position_range (eps < 0), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const RmsNormArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.rows != args.y.rows || args.x.cols != args.y.cols) return Status::shape_mismatch;
  if (args.weight != nullptr) {
    if (detail::misaligned(args.weight)) return Status::misaligned;
    const auto w = matrix(args.weight, 1, args.x.cols);
    if (detail::intersects(detail::extent(args.y), detail::extent(w))) return Status::overlap;
  }
  if (!detail::same_rows_or_apart(args.y, args.x)) return Status::overlap;
  if (!is_finite(args.eps)) return Status::not_finite;
  if (args.eps < 0.0f) return Status::position_range;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status rms_norm(const RmsNormArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < range.end; ++i)
    detail::rms_norm_row<B>(args.x.row(i), args.weight, args.y.row(i), args.x.cols, args.eps);
  return Status::ok;
}

/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status rms_norm(const RmsNormArgs& args) noexcept {
  return rms_norm<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/rows.hpp"
#endif

#endif  // TESSERA_NORM_HPP_

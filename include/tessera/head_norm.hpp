// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Normalisation of the rows of heads: unit length, and root mean square by groups with a gate.
///
/// Exactness class: `identical`. Sums of squares as in norm.hpp: 32 lanes ascending, then the fixed tree.
/// - l2_norm: `y = x * r`, `r = 1 / max(sqrt(sum), eps)`.
/// - gated_rms_norm: rms_norm's `y = (x * r) * w` per row, its products rounded; the gate is one more
///   rounded product with `silu(z)` of core/math.hpp, of x before the norm or of y after it.
/// NaN or infinity in a row of x or z reach that row only, as IEEE arithmetic gives.
#ifndef TESSERA_HEAD_NORM_HPP_
#define TESSERA_HEAD_NORM_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/gated_rms_norm/gated_rms_norm.hpp"
#include "tessera/kernels/l2_norm/l2_norm.hpp"

TESSERA_NAMESPACE_BEGIN

/// `y` and `x` are heads x tokens rows of one size; `y` may be `x` (same pointer and strides).
struct L2NormArgs {
  HeadView<const float> x;
  HeadView<float> y;
  Parameter<float, internal::parameter_bits(1e-6f)> eps = {};  ///< 1e-6 unless set
};

/// When a norm's gate is applied.
enum class GateOrder : unsigned char {
  after,   ///< norm(x) * w * silu(z): gated delta net
  before,  ///< norm(x * silu(z)) * w: Mamba-2
};

/// A head is a group of the row: `x`, `y` and `z` are groups x tokens x size; `z` may have no data. `y`
/// may be `x`. `weight` is groups x size (a stride of 0 shares one row), or has no data.
struct GatedRmsNormArgs {
  HeadView<const float> x;
  HeadView<const float> z = {};
  MatrixView<const float> weight = {};
  HeadView<float> y;
  Parameter<float, internal::parameter_bits(1e-5f)> eps = {};  ///< 1e-5 unless set
  GateOrder order = GateOrder::after;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// x, y and eps, which both norms have.
[[nodiscard]] TESSERA_INLINE Status check_head_norm(const HeadView<const float>& x,
                                                    const HeadView<float>& y, float eps) noexcept {
  if (x.heads == 0 || x.dim == 0) return Status::empty_shape;
  if (x.heads != y.heads || x.tokens != y.tokens || x.dim != y.dim) return Status::shape_mismatch;
  if (const Status s = check_input(strided(x)); s != Status::ok) return s;
  if (const Status s = check_output(strided(y)); s != Status::ok) return s;
  const bool same =
      x.data == y.data && x.head_stride == y.head_stride && x.token_stride == y.token_stride;
  if (!same && meets(extent(strided(y)), extent(strided(x)))) return Status::overlap;
  if (!is_finite(eps)) return Status::not_finite;
  return eps < 0.0f ? Status::position_range : Status::ok;
}

}  // namespace detail

/// One unit per row, heads fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const L2NormArgs& args) noexcept {
  return args.x.heads * args.x.tokens;
}
/// \copydoc units(const L2NormArgs&)
[[nodiscard]] TESSERA_INLINE std::size_t units(const GatedRmsNormArgs& args) noexcept {
  return args.x.heads * args.x.tokens;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// overlap (unless y is x), not_finite (eps), position_range (eps < 0), wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const L2NormArgs& args) noexcept {
  if (const Status s = detail::check_head_norm(args.x, args.y, args.eps); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}
/// Errors: those of check(const L2NormArgs&); overlap also where y meets z or the weights.
template <class B = default_backend>
[[nodiscard]] Status check(const GatedRmsNormArgs& args) noexcept {
  if (const Status s = detail::check_head_norm(args.x, args.y, args.eps); s != Status::ok) return s;
  const auto y = detail::extent(detail::strided(args.y));
  if (args.z.data != nullptr) {
    if (args.z.heads != args.x.heads || args.z.tokens != args.x.tokens || args.z.dim != args.x.dim)
      return Status::shape_mismatch;
    const auto z = detail::strided(args.z);
    if (const Status s = detail::check_input(z); s != Status::ok) return s;
    if (detail::meets(y, detail::extent(z))) return Status::overlap;
  }
  if (args.weight.data != nullptr) {
    if (args.weight.rows != args.x.heads || args.weight.cols != args.x.dim)
      return Status::shape_mismatch;
    if (const Status s = detail::check_input(args.weight); s != Status::ok) return s;
    if (detail::meets(y, detail::extent(args.weight))) return Status::overlap;
  }
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status l2_norm(const L2NormArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t h = u % args.x.heads;
    const std::size_t t = u / args.x.heads;
    detail::l2_norm_row<B>(args.x.row(h, t), args.y.row(h, t), args.x.dim, args.eps);
  }
  return Status::ok;
}
/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status l2_norm(const L2NormArgs& args) noexcept {
  return l2_norm<B>(args, {0, units(args)});
}

/// Rows `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status gated_rms_norm(const GatedRmsNormArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t h = u % args.x.heads;
    const std::size_t t = u / args.x.heads;
    detail::gated_rms_norm_row<B>(
        args.x.row(h, t), args.z.data == nullptr ? nullptr : args.z.row(h, t),
        args.weight.data == nullptr ? nullptr : args.weight.row(h), args.y.row(h, t), args.x.dim,
        args.eps, args.order == GateOrder::before);
  }
  return Status::ok;
}
/// All rows. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status gated_rms_norm(const GatedRmsNormArgs& args) noexcept {
  return gated_rms_norm<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/rows.hpp"
#endif

#endif  // TESSERA_HEAD_NORM_HPP_

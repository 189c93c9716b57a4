// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rotary position embedding: pairs of a head turned by position-dependent angles.
///
/// Exactness class: `identical`. Definition: the angle of pair p at position t is t * base^(-2p /
/// rotary), computed and reduced in double (core/angles.hpp), cosine and sine rounded to f32;
/// `y0 = fma(-x1, sin, x0 * cos)`, `y1 = fma(x1, cos, x0 * sin)`, inner products rounded. Elements
/// from `rotary` on are copied bit for bit. NaN and infinity as IEEE arithmetic gives.
#ifndef TESSERA_ROPE_HPP_
#define TESSERA_ROPE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/rope/rope.hpp"

TESSERA_NAMESPACE_BEGIN

/// Which elements of a head form a pair. There is no default: models differ.
enum class Pairing : std::uint8_t {
  interleaved,  ///< (2p, 2p + 1)
  half          ///< (p, p + rotary / 2)
};

/// Positions are at most this.
inline constexpr std::int32_t rope_max_position = 1 << 20;

/// Cosines and sines for a batch of positions, to be reused over heads and layers: row i of `cosine`
/// and `sine` (rotary / 2 columns each) belongs to positions[i].
struct RopeTableArgs {
  std::span<const std::int32_t> positions;
  Parameter<double, internal::parameter_bits(10000.0)> base = {};  ///< 10000 unless set
  MatrixView<float> cosine;
  MatrixView<float> sine;
};

/// Rotates the first 2 * cosine.cols elements of every row of `x` (heads x tokens x dim) into `y`;
/// token t uses row t of the table. `y` may be `x` (same pointer and strides).
struct RopeArgs {
  HeadView<const float> x;
  HeadView<float> y;
  MatrixView<const float> cosine;
  MatrixView<const float> sine;
  Pairing pairing;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Errors: empty_shape, null_pointer, shape_mismatch (rows != positions), shape_too_large,
/// stride_too_small, misaligned, overlap (the two tables), not_finite / not_positive (base),
/// position_range (|position| > rope_max_position), control_register. No backend: scalar double
/// arithmetic.
[[nodiscard]] inline Status check(const RopeTableArgs& args) noexcept {
  if (const Status s = detail::check_output(args.cosine); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.sine); s != Status::ok) return s;
  if (args.positions.data() == nullptr) return Status::null_pointer;
  if (args.cosine.rows != args.positions.size() || args.sine.rows != args.positions.size() ||
      args.cosine.cols != args.sine.cols)
    return Status::shape_mismatch;
  if (detail::intersects(detail::extent(args.cosine), detail::extent(args.sine)))
    return Status::overlap;
  const double base = args.base;
  if (!(base - base == 0.0)) return Status::not_finite;
  if (!(base >= 0x1p-1000)) return Status::not_positive;
  for (std::size_t i = 0; i < args.positions.size(); ++i)
    if (args.positions[i] > rope_max_position || args.positions[i] < -rope_max_position)
      return Status::position_range;
  return detail::check_control();
}

/// Fills the table. Errors: those of check(args).
[[nodiscard]] inline Status rope_table(const RopeTableArgs& args) noexcept {
  if (const Status s = check(args); s != Status::ok) return s;
  const double ln_base = log_double(args.base);
  for (std::size_t i = 0; i < args.positions.size(); ++i)
    detail::rope_table_row(args.positions[i], ln_base, 2 * args.cosine.cols, args.cosine.row(i),
                           args.sine.row(i));
  return Status::ok;
}

/// One unit per head and token, tokens fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const RopeArgs& args) noexcept {
  return args.x.heads * args.x.tokens;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// head_size (the rotated part is longer than the head), overlap (unless y is x), wrong_vlen,
/// control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const RopeArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.heads != args.y.heads || args.x.tokens != args.y.tokens || args.x.dim != args.y.dim)
    return Status::shape_mismatch;
  if (args.x.tokens == 0) return B::check();
  if (const Status s = detail::check_input(args.cosine); s != Status::ok) return s;
  if (const Status s = detail::check_input(args.sine); s != Status::ok) return s;
  if (args.cosine.rows != args.x.tokens || args.sine.rows != args.x.tokens ||
      args.cosine.cols != args.sine.cols)
    return Status::shape_mismatch;
  if (args.cosine.cols > args.x.dim / 2) return Status::head_size;
  const auto y = detail::extent(args.y);
  const bool in_place = args.y.data == args.x.data && args.y.head_stride == args.x.head_stride &&
                        args.y.token_stride == args.x.token_stride;
  if (!in_place && detail::intersects(y, detail::extent(args.x))) return Status::overlap;
  if (detail::intersects(y, detail::extent(args.cosine)) ||
      detail::intersects(y, detail::extent(args.sine)))
    return Status::overlap;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status rope(const RopeArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t pairs = args.cosine.cols;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t head = u / args.x.tokens;
    const std::size_t token = u % args.x.tokens;
    const float* x = args.x.row(head, token);
    float* y = args.y.row(head, token);
    if (args.pairing == Pairing::interleaved)
      detail::rotate_interleaved<B>(x, args.cosine.row(token), args.sine.row(token), pairs, y);
    else
      detail::rotate_half<B>(x, args.cosine.row(token), args.sine.row(token), pairs, y);
    if (x != y && args.x.dim != 2 * pairs)
      __builtin_memcpy(y + 2 * pairs, x + 2 * pairs, (args.x.dim - 2 * pairs) * sizeof(float));
  }
  return Status::ok;
}

/// All heads and tokens. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status rope(const RopeArgs& args) noexcept {
  return rope<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_ROPE_HPP_

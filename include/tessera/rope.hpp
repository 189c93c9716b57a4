// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rotary position embedding: pairs of a head turned by position-dependent angles.
///
/// Exactness class: `identical`. Definition: the angle of pair p at position t is t * base^(-2p /
/// rotary) / frequency_factors[p], scaled as RopeScaling says, computed and reduced in double
/// (core/angles.hpp); cosine and sine times the magnitude, rounded to f32: absolute error at most 1e-6
/// at every position up to rope_max_position where the magnitude is 1. `y0 = fma(-x1, sin, x0 * cos)`,
/// `y1 = fma(x1, cos, x0 * sin)`, inner products rounded; inverse: `y1 = fma(-x0, sin, x1 * cos)`, `y0
/// = fma(x0, cos, x1 * sin)`. 16-bit elements are widened exactly and rounded once, to nearest even.
/// Elements outside the rotated part are copied bit for bit. NaN and infinity as IEEE arithmetic gives.
#ifndef TESSERA_ROPE_HPP_
#define TESSERA_ROPE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/rope/rope.hpp"
#include "tessera/kernels/rope/table.hpp"

TESSERA_NAMESPACE_BEGIN

/// Which elements of a head form a pair. There is no default: models differ.
enum class Pairing : std::uint8_t {
  interleaved,  ///< (2p, 2p + 1)
  half          ///< (p, p + rotary / 2); also of multi-section and vision models
};

/// Positions are at most this.
inline constexpr std::int32_t rope_max_position = 1 << 20;

/// Cosines and sines for a batch of positions, to be reused over heads and layers: row i of `cosine`
/// and `sine` (rotary / 2 columns each) belongs to token i.
struct RopeTableArgs {
  /// One per token; with planes, the t of all tokens, then the h, w and e.
  std::span<const std::int32_t> positions;
  Parameter<double, internal::parameter_bits(10000.0)> base = {};  ///< 10000 unless set
  MatrixView<float> cosine;
  MatrixView<float> sine;
  std::span<const float> frequency_factors = {};  ///< none, or at least one per pair
  RopeScaling scaling = {};
  RopePlanes planes = RopePlanes::one;
  std::uint32_t section[4] = {};  ///< pairs of t, h, w, e; their pattern repeats
};

/// Rotates elements offset .. offset + 2 * cosine.cols - 1 of every row of `x` (heads x tokens x dim)
/// into `y`. `y` may be `x` (same pointer and strides). T is float, Float16 or BFloat16, and so is C.
template <class T = float, class C = float>
struct RopeArgs {
  HeadView<const T> x;
  HeadView<T> y;
  MatrixView<const C> cosine;
  MatrixView<const C> sine;
  Pairing pairing;
  std::size_t offset = 0;
  bool inverse = false;
  /// Row of the tables that token t uses; empty: row t of tables with as many rows as tokens.
  std::span<const std::int32_t> positions = {};
};

/// Rotates rows of a cache of block format F in place, as when its tokens move: decoded, rotated,
/// encoded again by the format's rule. Only blocks that hold rotated elements are rewritten; each loses
/// at most what encoding loses (q8_0: half of amax / 127 per element, and the rounding of the scale).
template <class F>
struct RopeShiftArgs {
  HeadView<typename F::Block> k;  ///< heads x tokens rows of dim blocks
  MatrixView<const float> cosine;
  MatrixView<const float> sine;
  Pairing pairing;
  std::size_t offset = 0;
  bool inverse = false;
  std::span<const std::int32_t> positions = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Tables of as many rows as tokens, or positions that name their rows.
template <class C>
inline Status check_tables(const MatrixView<const C>& cosine, const MatrixView<const C>& sine,
                           std::span<const std::int32_t> positions, std::size_t tokens) noexcept {
  if (const Status s = check_input(cosine); s != Status::ok) return s;
  if (const Status s = check_input(sine); s != Status::ok) return s;
  if (cosine.rows != sine.rows || cosine.cols != sine.cols) return Status::shape_mismatch;
  if (positions.size() != (positions.data() == nullptr ? 0 : tokens)) return Status::shape_mismatch;
  if (positions.empty()) return cosine.rows == tokens ? Status::ok : Status::shape_mismatch;
  for (const std::int32_t row : positions)
    if (row < 0 || static_cast<std::size_t>(row) >= cosine.rows) return Status::position_range;
  return Status::ok;
}

/// Does [offset, offset + 2 * pairs) lie within a head?
TESSERA_INLINE constexpr bool rotates_within(std::size_t offset, std::size_t pairs,
                                             std::size_t dim) noexcept {
  return pairs <= dim / 2 && offset <= dim - 2 * pairs;
}

TESSERA_INLINE std::size_t table_row(std::span<const std::int32_t> positions,
                                     std::size_t token) noexcept {
  return positions.empty() ? token : static_cast<std::size_t>(positions[token]);
}

inline bool finite(double x) noexcept {
  return x - x == 0.0;
}

/// The numbers of a table, and the largest angle they can give.
inline Status check_frequencies(const RopeTableArgs& args) noexcept {
  const RopeScaling& s = args.scaling;
  const double base = args.base;
  if (!finite(base) || !finite(s.frequency_scale) || !finite(s.ext_factor) ||
      !finite(s.attention_factor))
    return Status::not_finite;
  constexpr double least = 0x1p-1000;
  if (!(base >= least) || !(s.frequency_scale >= least)) return Status::not_positive;
  const double ext = s.ext_factor < 0.0 ? -s.ext_factor : double{s.ext_factor};
  if (ext != 0.0) {  // the ramp divides by ln base and takes logarithms of betas
    if (!finite(s.beta_fast) || !finite(s.beta_slow)) return Status::not_finite;
    if (!(base > 1.0) || !(s.beta_fast >= least) || !(s.beta_slow >= least))
      return Status::not_positive;
  }
  double factor = 1.0;
  if (!args.frequency_factors.empty()) {
    if (args.frequency_factors.size() < args.cosine.cols) return Status::shape_mismatch;
    if (misaligned(args.frequency_factors.data())) return Status::misaligned;
    for (const float f : args.frequency_factors.first(args.cosine.cols)) {
      if (!finite(static_cast<double>(f))) return Status::not_finite;
      if (!(f > 0.0f)) return Status::not_positive;
      if (static_cast<double>(f) < factor) factor = static_cast<double>(f);
    }
  }
  double highest = s.frequency_scale;
  if (ext != 0.0) highest = highest * (1.0 + ext) + ext;
  highest = highest / factor * (base < 1.0 ? 1.0 / base : 1.0);
  for (const std::int32_t position : args.positions) {
    if (position > rope_max_position || position < -rope_max_position)
      return Status::position_range;
    const auto p = static_cast<double>(position < 0 ? -position : position);
    if (p * highest > 0x1p22) return Status::position_range;
  }
  return Status::ok;
}

}  // namespace detail

/// Errors: empty_shape (also sections that sum to 0), null_pointer, shape_mismatch (rows != tokens, too
/// few factors), shape_too_large, stride_too_small, misaligned, overlap (the two tables, or one and the
/// factors or positions), not_finite / not_positive (base, factors, scaling; YaRN needs base > 1),
/// position_range (|position| > rope_max_position, or an angle above 2^22 by factors or scaling),
/// control_register. No backend: scalar double arithmetic.
[[nodiscard]] inline Status check(const RopeTableArgs& args) noexcept {
  if (const Status s = detail::check_output(args.cosine); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.sine); s != Status::ok) return s;
  if (args.positions.data() == nullptr) return Status::null_pointer;
  const std::size_t planes = args.planes == RopePlanes::one ? 1 : 4;
  if (args.positions.size() / planes != args.cosine.rows || args.positions.size() % planes != 0 ||
      args.sine.rows != args.cosine.rows || args.cosine.cols != args.sine.cols)
    return Status::shape_mismatch;
  if (planes != 1 && (args.section[0] | args.section[1] | args.section[2] | args.section[3]) == 0)
    return Status::empty_shape;
  const auto span_of = [](auto s) TESSERA_LAMBDA {
    const auto p = reinterpret_cast<std::uintptr_t>(s.data());
    return detail::Extent{p, p + s.size_bytes()};
  };
  const auto cosine = detail::extent(args.cosine);
  const auto sine = detail::extent(args.sine);
  if (detail::intersects(cosine, sine)) return Status::overlap;
  for (const auto& table : {cosine, sine})
    if (detail::intersects(table, span_of(args.positions)) ||
        detail::intersects(table, span_of(args.frequency_factors)))
      return Status::overlap;
  if (const Status s = detail::check_frequencies(args); s != Status::ok) return s;
  return detail::check_control();
}

/// Fills the table. Errors: those of check(args).
[[nodiscard]] inline Status rope_table(const RopeTableArgs& args) noexcept {
  if (const Status s = check(args); s != Status::ok) return s;
  const std::size_t tokens = args.cosine.rows;
  const detail::RopeFrequencies frequencies(args.base, args.cosine.cols,
                                            args.planes == RopePlanes::vision, args.scaling);
  for (std::size_t p = 0; p < args.cosine.cols; ++p) {
    const detail::PairPlane plane = detail::plane_of(p, args.planes, args.section);
    const double factor =
        args.frequency_factors.empty() ? 1.0 : static_cast<double>(args.frequency_factors[p]);
    const double frequency = frequencies.of(p, plane.first, factor);
    for (std::size_t i = 0; i < tokens; ++i) {
      const auto position = static_cast<double>(args.positions[plane.plane * tokens + i]);
      const CosSinDouble c = cos_sin_double(rounded(position * frequency));
      args.cosine.row(i)[p] = static_cast<float>(rounded(c.cos * frequencies.magnitude));
      args.sine.row(i)[p] = static_cast<float>(rounded(c.sin * frequencies.magnitude));
    }
  }
  return Status::ok;
}

/// One unit per head and token, tokens fastest.
template <class B = default_backend, class T = float, class C = float>
[[nodiscard]] TESSERA_INLINE std::size_t units(const RopeArgs<T, C>& args) noexcept {
  return args.x.heads * args.x.tokens;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// head_size (the rotated part leaves the head), position_range (positions beyond the tables), overlap
/// (unless y is x), wrong_vlen, control_register.
template <class B = default_backend, class T = float, class C = float>
[[nodiscard]] Status check(const RopeArgs<T, C>& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.heads != args.y.heads || args.x.tokens != args.y.tokens || args.x.dim != args.y.dim)
    return Status::shape_mismatch;
  if (args.x.tokens == 0) return B::check();
  if (const Status s = detail::check_tables(args.cosine, args.sine, args.positions, args.x.tokens);
      s != Status::ok)
    return s;
  if (!detail::rotates_within(args.offset, args.cosine.cols, args.x.dim)) return Status::head_size;
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
template <class B = default_backend, class T = float, class C = float>
[[nodiscard]] Status rope(const RopeArgs<T, C>& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const auto rotate = detail::rotation<B, T, C>(args.inverse, args.pairing == Pairing::interleaved);
  const std::size_t end = args.offset + 2 * args.cosine.cols;
  const bool copies = args.x.data != args.y.data && (args.offset != 0 || end != args.x.dim);
  for (std::size_t u = range.begin; u < range.end;) {
    const std::size_t head = u / args.x.tokens;
    const std::size_t token = u % args.x.tokens;
    const std::size_t row = detail::table_row(args.positions, token);
    // Tokens whose rows of the table follow one another: without positions, all of the head.
    std::size_t count = args.positions.empty() ? args.x.tokens - token : 1;
    if (count > range.end - u) count = range.end - u;
    const T* x = args.x.row(head, token);
    T* y = args.y.row(head, token);
    rotate({x + args.offset, y + args.offset, args.cosine.row(row), args.sine.row(row),
            args.x.token_stride, args.y.token_stride, args.cosine.row_stride, args.sine.row_stride,
            args.cosine.cols},
           count);
    for (u += count; copies && count != 0; --count) {
      if (args.offset != 0) __builtin_memcpy(y, x, args.offset * sizeof(T));
      if (args.x.dim != end) __builtin_memcpy(y + end, x + end, (args.x.dim - end) * sizeof(T));
      x += args.x.token_stride, y += args.y.token_stride;
    }
  }
  return Status::ok;
}

/// All heads and tokens. Errors: those of check(args).
template <class B = default_backend, class T = float, class C = float>
[[nodiscard]] Status rope(const RopeArgs<T, C>& args) noexcept {
  return rope<B>(args, {0, units(args)});
}

/// One row decoded.
template <class B = default_backend, class F>
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const RopeShiftArgs<F>& args) noexcept {
  constexpr std::size_t limit = std::size_t{1} << 40;
  if (args.k.dim > limit) return {};
  return {0, detail::round_up(args.k.dim * F::group * sizeof(float), workspace_alignment)};
}

/// One unit per head and token, tokens fastest.
template <class B = default_backend, class F>
[[nodiscard]] TESSERA_INLINE std::size_t units(const RopeShiftArgs<F>& args) noexcept {
  return args.k.heads * args.k.tokens;
}

/// Errors: those of RopeArgs' check, scratch_too_small, workspace_misaligned.
template <class B = default_backend, class F>
[[nodiscard]] Status check(const RopeShiftArgs<F>& args) noexcept {
  static_assert(!F::is_float, "a cache of floats is rotated in place by rope()");
  if (const Status s = detail::check_output(args.k); s != Status::ok) return s;
  if (args.k.tokens == 0) return B::check();
  if (const Status s = detail::check_tables(args.cosine, args.sine, args.positions, args.k.tokens);
      s != Status::ok)
    return s;
  const WorkspaceSize need = workspace_size(args);
  if (need.scratch == 0) return Status::shape_too_large;
  if (!detail::rotates_within(args.offset, args.cosine.cols, args.k.dim * F::group))
    return Status::head_size;
  const auto k = detail::extent(args.k);
  if (detail::intersects(k, detail::extent(args.cosine)) ||
      detail::intersects(k, detail::extent(args.sine)))
    return Status::overlap;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend, class F>
[[nodiscard]] Status rope_shift(const RopeShiftArgs<F>& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t pairs = args.cosine.cols;
  const std::size_t first = args.offset / F::group;
  const std::size_t blocks = detail::div_up(args.offset + 2 * pairs, F::group) - first;
  auto* decoded = reinterpret_cast<float*>(args.workspace.scratch.data());
  float* rotated = decoded + (args.offset - first * F::group);
  const auto rotate =
      detail::rotation<B, float, float>(args.inverse, args.pairing == Pairing::interleaved);
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t token = u % args.k.tokens;
    const std::size_t row = detail::table_row(args.positions, token);
    typename F::Block* block = args.k.row(u / args.k.tokens, token) + first;
    const auto* bytes = reinterpret_cast<const std::byte*>(block);
    detail::decode_rows<B, F>({bytes, 0, 1}, blocks, decoded, blocks * F::group);
    rotate({rotated, rotated, args.cosine.row(row), args.sine.row(row), 0, 0, 0, 0, pairs}, 1);
    for (std::size_t i = 0; i < blocks; ++i) F::quantize_block(decoded + i * F::group, block[i]);
  }
  return Status::ok;
}

/// All heads and tokens. Errors: those of check(args).
template <class B = default_backend, class F>
[[nodiscard]] Status rope_shift(const RopeShiftArgs<F>& args) noexcept {
  return rope_shift<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/rows.hpp"
#endif

#endif  // TESSERA_ROPE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The selective state-space scan of Mamba-1 and Mamba-2.
///
/// Exactness class: `identical`. Definition, per token of a sequence, head h, channel p, state n:
/// - `step = softplus(dt)` (core/math.hpp; or dt itself), then no less than dt_min, no more than dt_max;
/// - `decay = exp(min(step * a, 40))`, `u = x * step`, products rounded;
/// - `state = fma(b, u, decay * state)`, the inner product rounded;
/// - `y = fma(c, state, y)` over ascending n from zero; then `y = fma(d, x, y)`, then `y * silu(z)`.
/// So a sequence split over several calls gives the same bits.
///
/// ScanAlgorithm::chunked, for one rate per head and without snapshots, gives the same up to roundings,
/// also `identical` on all backends: chunks of scan_chunk tokens are cut from the first token of the call
/// on; per chunk `l = step * a` rounded; a weight is exp(min(., 40)) of a sum of l over ascending tokens;
/// sums of products are fma chains over ascending states or tokens:
/// - `y_i = sum over n of c_i * state`, times the state's weight, then fma of (c_i . b_j) * weight, both
///   rounded, and u_j for j up to i; then d and z as above;
/// - `state = weight * state`, then fma of b_j and u_j * weight, both rounded.
/// A NaN in a token's b, c or dt reaches other tokens of its chunk only where the formula has it.
/// A NaN in dt, x, z or the state stays in
/// its head or channel; one in b or c reaches the channels of its group. Later tokens inherit it.
/// Sources: Gu, Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces", 2023; Dao, Gu,
/// "Transformers are SSMs", 2024.
#ifndef TESSERA_SSM_SCAN_HPP_
#define TESSERA_SSM_SCAN_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/ssm_scan/arguments.hpp"
#include "tessera/kernels/ssm_scan/chunked.hpp"
#include "tessera/kernels/ssm_scan/ssm_scan.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of scratch a call needs; zeros where the shapes are refused.
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const SsmScanArgs& args) noexcept {
  if (args.b.dim > (std::size_t{1} << 40)) return {};
  if (args.algorithm == ScanAlgorithm::chunked) return {0, detail::chunk_scratch(args).bytes()};
  return {0, detail::scan_scratch(args).bytes()};
}

/// One unit per sequence and 256 columns (channels of all heads), columns fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const SsmScanArgs& args) noexcept {
  return args.sequences.size() * detail::div_up(args.x.heads * args.x.dim, detail::scan_columns);
}

namespace detail {

[[nodiscard]] TESSERA_INLINE Status check_shapes(const SsmScanArgs& a) noexcept {
  if (a.x.heads == 0 || a.x.dim == 0 || a.b.heads == 0 || a.b.dim == 0) return Status::empty_shape;
  const auto like_x = [&](std::size_t heads, std::size_t tokens, std::size_t dim) TESSERA_LAMBDA {
    return heads == a.x.heads && tokens == a.x.tokens && dim == a.x.dim;
  };
  if (!like_x(a.y.heads, a.y.tokens, a.y.dim) ||
      (a.z.data != nullptr && !like_x(a.z.heads, a.z.tokens, a.z.dim)) ||
      !like_x(a.dt.channels, a.dt.tokens, a.x.dim) || a.a.channels != a.x.heads ||
      (a.a.tokens != 1 && a.a.tokens != a.b.dim) || a.b.tokens != a.x.tokens ||
      a.c.tokens != a.x.tokens || a.c.heads != a.b.heads || a.c.dim != a.b.dim)
    return Status::shape_mismatch;
  if (a.x.heads % a.b.heads != 0) return Status::head_ratio;
  std::size_t size = 0;
  if (mul_overflows(a.x.heads, a.x.dim, &size) || mul_overflows(size, a.b.dim, &size) ||
      size > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(float))
    return Status::shape_too_large;
  return Status::ok;
}

}  // namespace detail

/// Errors: empty_shape, shape_mismatch, head_ratio (heads are no multiple of the groups),
/// position_range (a sequence's tokens or slot; dt_min above dt_max; chunked with rates per state or
/// snapshots), not_finite (a limit is NaN),
/// null_pointer, shape_too_large, misaligned, stride_too_small (elements of y, the states or the
/// snapshots coincide), overlap (two sequences share tokens or a slot; y, the states or the snapshots
/// meet another operand), scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const SsmScanArgs& args) noexcept {
  if (const Status s = detail::check_shapes(args); s != Status::ok) return s;
  const std::size_t size = args.x.heads * args.x.dim * args.b.dim;
  auto z_view = args.z;
  if (z_view.data == nullptr) z_view = {};
  const auto x = detail::strided(args.x), b = detail::strided(args.b);
  const auto c = detail::strided(args.c), z = detail::strided(z_view);
  const auto dt = detail::strided(args.dt), a = detail::strided(args.a);
  const auto d = detail::strided<1>(args.d, {{args.d == nullptr ? 0 : args.x.heads, 1}});
  for (const auto* in : {&x, &b, &c, &z})
    if (const Status s = detail::check_input(*in); s != Status::ok) return s;
  for (const auto* in : {&dt, &a})
    if (const Status s = detail::check_input(*in); s != Status::ok) return s;
  if (const Status s = detail::check_input(d); s != Status::ok) return s;
  const auto y = detail::strided(args.y);
  const auto states = detail::strided(args.states, size);
  const auto kept = detail::strided(args.snapshots, args.sequences.size(), size);
  if (const Status s = detail::check_output(y); s != Status::ok) return s;
  if (const Status s = detail::check_output(states); s != Status::ok) return s;
  if (const Status s = detail::check_output(kept); s != Status::ok) return s;
  if (const Status s = detail::check_sequences(args.sequences, args.x.tokens, args.states.slots);
      s != Status::ok)
    return s;
  const float low = args.dt_min, high = args.dt_max;
  if (low != low || high != high) return Status::not_finite;
  if (low > high) return Status::position_range;
  const auto ey = detail::extent(y), es = detail::extent(states), ek = detail::extent(kept);
  for (const auto& in : {detail::extent(x), detail::extent(b), detail::extent(c), detail::extent(z),
                         detail::extent(dt), detail::extent(a), detail::extent(d)})
    if (detail::meets(in, ey, es, ek)) return Status::overlap;
  if (detail::meets(ey, es, ek) || detail::meets(es, ek)) return Status::overlap;
  if (args.algorithm == ScanAlgorithm::chunked && (args.a.tokens != 1 || args.snapshots.count != 0))
    return Status::position_range;
  const WorkspaceSize need = workspace_size(args);
  if (need.scratch == 0) return Status::shape_too_large;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status ssm_scan(const SsmScanArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t columns = args.x.heads * args.x.dim;
  const std::size_t blocks = detail::div_up(columns, detail::scan_columns);
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t begin = u % blocks * detail::scan_columns;
    const std::size_t end = begin + detail::scan_columns;
    const std::size_t stop = end < columns ? end : columns;
    if (args.algorithm == ScanAlgorithm::chunked)
      detail::ScanChunks<typename B::Vectors>(args, u / blocks).run(begin, stop);
    else
      detail::ScanSequence<typename B::Vectors>(args, u / blocks).run(begin, stop);
  }
  return Status::ok;
}

/// All sequences and columns. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status ssm_scan(const SsmScanArgs& args) noexcept {
  return ssm_scan<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/ssm_scan.hpp"
#endif

#endif  // TESSERA_SSM_SCAN_HPP_

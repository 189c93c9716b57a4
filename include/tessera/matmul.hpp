// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrix product with packed weights: C[M][N] = epilogue(sum over k of A[M][k] * B[N][k]).
///
/// Exactness class: `identical` (the same bits on every backend, vector length, split and tile).
/// Definition (float formats): one f32 fma chain per output over ascending k, from zero, weights
/// widened exactly. Definition (block formats): activations are quantised per row and group of 32
/// (kernels/matmul/quantize_rows.hpp); groups ascending, `acc = fma(float(isum), sa * sw, acc)` from
/// zero, `isum` the exact int32 sum of level products, `sa * sw` rounded to f32; formats with minima
/// then `acc = fma(-mw, sa * float(asum), acc)`, `asum` the sum of the activations' codes in the group,
/// the product rounded. A group shares one scale of the weights, 16 or 32 elements (two groups of 16
/// have one `sa`); `sw` and `mw` are f32 products of the format's factors (formats/).
/// NaN and infinity: float formats as IEEE arithmetic gives; block formats: an activation group
/// with a NaN or infinity makes its row's outputs NaN, a weight scale that is NaN or infinite acts as
/// IEEE arithmetic gives.
#ifndef TESSERA_MATMUL_HPP_
#define TESSERA_MATMUL_HPP_

#include <cstddef>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/plan.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/tile/epilogue.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_NAMESPACE_BEGIN

/// Weights packed by pack_weights<F, T>: an n x k matrix, one row per output column.
template <class F, class T>
struct PackedWeights {
  std::span<const std::byte> image = {};
  std::size_t n = 0;
  std::size_t k = 0;
};

/// The operands of a matrix product. `a` is M x K, `b` N x K packed, `c` M x N. `a` and `c` may be
/// rows of larger matrices; `c` must not overlap `a`.
template <class F, class T>
struct MatmulArgs {
  MatrixView<const float> a;
  PackedWeights<F, T> b;
  MatrixView<float> c;
  Workspace workspace = {};  ///< see workspace_size(args); `scratch` per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// The tile whose packed layout backend B reads without rearranging, for format F.
template <class F, class B = default_backend>
using tile_for =
    std::conditional_t<F::is_float, typename B::FloatAtom::tile, typename B::DotAtom::tile>;

/// Bytes of workspace the product needs; zeros where the shapes are refused.
template <class B = default_backend, class F, class T>
[[nodiscard]] WorkspaceSize workspace_size(const MatmulArgs<F, T>& args) noexcept {
  if (packed_size<F, T>(args.b.n, args.b.k) == 0 || args.a.rows > PTRDIFF_MAX / 64 ||
      detail::extent_overflows(args.a.rows, static_cast<std::ptrdiff_t>(args.b.k), args.b.k, 64))
    return {};
  return detail::MatmulPlan<B, F, T>{args.a.rows, args.b.n, args.b.k}.workspace();
}

/// 2 for block formats (quantise the activations, multiply), 1 for float formats. The caller puts a
/// barrier between phases.
template <class B = default_backend, class F, class T>
[[nodiscard]] constexpr std::size_t phases(const MatmulArgs<F, T>&) noexcept {
  return F::is_float ? 1 : 2;
}

/// Independent work units of a phase.
template <class B = default_backend, class F, class T>
[[nodiscard]] std::size_t units(const MatmulArgs<F, T>& args, std::size_t phase) noexcept {
  if (!F::is_float && phase == 0) return detail::div_up(args.a.rows, B::DotAtom::block_tile::m);
  return detail::MatmulPlan<B, F, T>{args.a.rows, args.b.n, args.b.k}.units();
}

/// The Status the product would return; reads no data but the packed header.
/// Errors: empty_shape, null_pointer, shape_mismatch (a.cols != b.k, a.rows != c.rows,
/// b.n != c.cols), shape_too_large, stride_too_small, misaligned, overlap (c and a), every packed_*
/// code, workspace_too_small, scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend, class F, class T>
[[nodiscard]] Status check(const MatmulArgs<F, T>& args) noexcept {
  if (const Status s = detail::check_input(args.a); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.c); s != Status::ok) return s;
  if (args.a.rows != args.c.rows || args.a.cols != args.b.k || args.b.n != args.c.cols)
    return Status::shape_mismatch;
  if (detail::intersects(detail::extent(args.a), detail::extent(args.c)) &&
      !detail::columns_apart(args.c, args.a))
    return Status::overlap;
  if (const Status s = check_packed<F, T>(args.b.image, args.b.n, args.b.k); s != Status::ok)
    return s;
  const WorkspaceSize need = workspace_size<B>(args);
  if (need.shared == 0 && need.scratch == 0 && !detail::MatmulPlan<B, F, T>::reads_floats_in_place)
    return Status::shape_too_large;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range` of one phase. Units of a phase may run in any order on any threads.
/// Errors: those of check(args), bad_phase, bad_unit_range.
template <class B = default_backend, class F, class T, class E = epilogue::Identity>
[[nodiscard]] Status matmul_phase(const MatmulArgs<F, T>& args, std::size_t phase, UnitRange range,
                                  const E& e = {}) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (phase >= phases<B>(args)) return Status::bad_phase;
  if (const Status s = detail::check_range(range, units<B>(args, phase)); s != Status::ok) return s;
  const detail::MatmulPlan<B, F, T> plan{args.a.rows, args.b.n, args.b.k};
  std::byte* shared = args.workspace.shared.data();
  std::byte* scratch = args.workspace.scratch.data();
  if constexpr (F::is_float) {
    detail::multiply_floats(plan, args.a, args.b.image.data(), scratch, args.c, range, e);
  } else if (phase == 0) {
    for (std::size_t u = range.begin; u < range.end; ++u)
      detail::quantize_row_tile<B>(args.a, u, detail::ActivationNeeds::of<F>(), shared);
  } else {
    detail::multiply_quantized(plan, args.b.image.data(), shared, scratch, args.c, range, e);
  }
  return Status::ok;
}

/// The whole product on the calling thread. Errors: those of check(args).
template <class B = default_backend, class F, class T, class E = epilogue::Identity>
[[nodiscard]] Status matmul(const MatmulArgs<F, T>& args, const E& e = {}) noexcept {
  for (std::size_t p = 0; p < phases<B>(args); ++p)
    if (const Status s = matmul_phase<B>(args, p, {0, units<B>(args, p)}, e); s != Status::ok)
      return s;
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_MATMUL_HPP_

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
/// Definition (formats with a scale per row): activations are quantised with one scale per row; pieces of 65536
/// elements ascending, `acc = fma(float(isum), sa * sw, acc)` from zero, `isum` the exact int32 sum of the
/// activations' codes times (weight code - zero point), `sa * sw` rounded to f32.
/// NaN and infinity: float formats as IEEE arithmetic gives; block formats: an activation group
/// with a NaN or infinity makes its row's outputs NaN, a weight scale that is NaN or infinite acts as
/// IEEE arithmetic gives.
#ifndef TESSERA_MATMUL_HPP_
#define TESSERA_MATMUL_HPP_

#include <cstddef>
#include <span>
#include <type_traits>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/kernels/matmul/activations.hpp"
#include "tessera/kernels/matmul/batches.hpp"
#include "tessera/kernels/matmul/checks.hpp"
#include "tessera/kernels/matmul/finish.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/plan.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul/weights.hpp"
#include "tessera/quantize_rows.hpp"
#include "tessera/tile/epilogue.hpp"
#include "tessera/tile/pack_int8_row.hpp"
#include "tessera/tile/pack_nbits.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_NAMESPACE_BEGIN

/// The operands of a matrix product. `a` is M x K, `b` N x K packed, `c` M x N. `a` and `c` may be
/// rows of larger matrices; `c` must not overlap `a`.
/// A: elements of the activations: float, Float16 or BFloat16, widened exactly; or QuantizedActivations, of
/// this backend, for block formats. C: elements of the output: float, Float16 or BFloat16, rounded to
/// nearest even behind the epilogue. W: PackedWeights; or PackedPair for a gated product: the activations
/// are prepared once, both products of a block meet in the epilogue (SwiGLU if none is given) and only
/// its result is written; or StoredRows with T = no_tile: rows that are decoded per column block. The
/// epilogue's row counts through all batches.
template <class F, class T, class A = float, class C = float, class W = PackedWeights<F, T>>
struct MatmulArgs {
  static_assert(!F::is_float || !std::is_same_v<A, QuantizedActivations>,
                "weights of a float format are multiplied by floats, not by quantised activations");
  using Weights = W;
  static constexpr std::size_t sources = W::sources;
  static constexpr bool prepared = internal::is_prepared<F, A>;  ///< need activations no phase?
  typename internal::ActivationOperand<A>::type a;
  W b;
  MatrixView<C> c;
  Workspace workspace = {};  ///< see workspace_size(args); `scratch` per concurrent call
  Batches batches = {};      ///< more than one product in a call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// The tile whose packed layout backend B reads without rearranging, for format F.
template <class F, class B = default_backend>
using tile_for =
    std::conditional_t<F::is_float, typename B::FloatAtom::tile, typename B::DotAtom::tile>;

namespace detail {

/// workspace_size() of shapes that fit.
template <class B, class F, class T, class... More>
[[nodiscard]] TESSERA_INLINE WorkspaceSize
fitting_workspace(const MatmulArgs<F, T, More...>& args) noexcept {
  const MatmulPlan<B, F, T> plan{args.a.rows, args.b.n, args.b.k};
  const std::size_t rows = prepared_row_count<B, F>(args.a.rows, args.batches.count());
  return {args.prepared ? 0 : plan.prepared_bytes(rows), args.sources * plan.scratch()};
}

}  // namespace detail

/// Bytes of workspace the product needs; zeros where the shapes are refused.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] WorkspaceSize workspace_size(const MatmulArgs<F, T, More...>& args) noexcept {
  if (!detail::shapes_fit<F, T>(args.a.rows, args.batches, args.b)) return {};
  return detail::fitting_workspace<B>(args);
}

/// 2: prepare the activations (quantise them, or widen 16-bit ones for a float format), multiply; 1 where
/// there is nothing to prepare. The caller puts a barrier between phases.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] constexpr std::size_t phases(const MatmulArgs<F, T, More...>& args) noexcept {
  return args.prepared ? 1 : 2;
}

/// Independent work units of a phase.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] std::size_t units(const MatmulArgs<F, T, More...>& args, std::size_t phase) noexcept {
  const std::size_t products = args.batches.count();
  if (!args.prepared && phase == 0) return products * detail::prepare_units<B, F>(args.a.rows);
  return products * detail::MatmulPlan<B, F, T>{args.a.rows, args.b.n, args.b.k}.units();
}

/// The Status the product would return; reads no data but the packed header.
/// Errors: empty_shape, null_pointer, shape_mismatch (a.cols != b.k, a.rows != c.rows,
/// b.n != c.cols, quantised rows in batches), batch_ratio, group_multiple (stored rows), shape_too_large, stride_too_small, misaligned, overlap (c and a, c and stored rows), every packed_*
/// and every quantized_* code, workspace_too_small, scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] Status check(const MatmulArgs<F, T, More...>& args) noexcept {
  const Batches& batches = args.batches;
  if (const Status s = detail::check_batches(batches); s != Status::ok) return s;
  if (const Status s = detail::check_activations<B, F>(args.a, batches); s != Status::ok) return s;
  if (args.c.rows == 0 || args.c.cols == 0) return Status::empty_shape;
  const auto c = detail::strided_rows(args.c, batches, batches.c_outer, batches.c_inner);
  if (const Status s = detail::check_output(c); s != Status::ok) return s;
  if (args.a.rows != args.c.rows || args.a.cols != args.b.k || args.b.n != args.c.cols)
    return Status::shape_mismatch;
  if (!detail::is_apart(args.c, args.a, batches)) return Status::overlap;
  if (const Status s = detail::check_all_weights<F, T>(args.b, batches); s != Status::ok) return s;
  if (!detail::is_apart_from(args.c, args.b, batches)) return Status::overlap;
  if (!detail::shapes_fit<F, T>(args.a.rows, batches, args.b)) return Status::shape_too_large;
  const WorkspaceSize need = detail::fitting_workspace<B>(args);
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range` of one phase. Units of a phase may run in any order on any threads.
/// Errors: those of check(args), bad_phase, bad_unit_range.
template <class B = default_backend, class F, class T, class... More,
          class E = detail::DefaultEpilogue<typename MatmulArgs<F, T, More...>::Weights>>
[[nodiscard]] Status matmul_phase(const MatmulArgs<F, T, More...>& args, std::size_t phase,
                                  UnitRange range, const E& e = {}) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (phase >= phases<B>(args)) return Status::bad_phase;
  if (const Status s = detail::check_range(range, units<B>(args, phase)); s != Status::ok) return s;
  const detail::MatmulPlan<B, F, T> plan{args.a.rows, args.b.n, args.b.k};
  std::byte* shared = args.workspace.shared.data();
  std::byte* scratch = args.workspace.scratch.data();
  if constexpr (!MatmulArgs<F, T, More...>::prepared) {
    if (phase == 0) {
      for (std::size_t u = range.begin; u < range.end; ++u)
        detail::prepare_unit<B, F>(args.a, args.batches, u, shared);
      return Status::ok;
    }
  }
  const auto rows = detail::prepared_rows<B, F>(args.a, args.batches, shared);
  const detail::BatchOutput output{args.c, args.batches};
  const detail::Finish finish =
      detail::finish_with<B, MatmulArgs<F, T, More...>::sources>(output, e);
  detail::Schedule schedule = plan.schedule();
  schedule.weights = detail::weight_steps<F, T>(args.b, args.batches);
  detail::multiply(plan, args.b, schedule, rows, scratch, range, finish);
  return Status::ok;
}

/// The whole product on the calling thread. Errors: those of check(args).
template <class B = default_backend, class F, class T, class... More,
          class E = detail::DefaultEpilogue<typename MatmulArgs<F, T, More...>::Weights>>
[[nodiscard]] Status matmul(const MatmulArgs<F, T, More...>& args, const E& e = {}) noexcept {
  for (std::size_t p = 0; p < phases<B>(args); ++p)
    if (const Status s = matmul_phase<B>(args, p, {0, units<B>(args, p)}, e); s != Status::ok)
      return s;
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/matmul.hpp"
#include "tessera/instances/packing.hpp"
#endif

#endif  // TESSERA_MATMUL_HPP_

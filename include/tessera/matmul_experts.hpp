// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrix products with a choice of weights per row (mixtures of experts; MUL_MAT_ID):
/// c[t][s] = epilogue(weights[ids[t][s]] * a[t][s % slots of a]), t a token, s one of its `used` slots.
///
/// Exactness class: `identical`. Definition, NaN and infinity: each row as in matmul.hpp; a row has the bits
/// that matmul gives it alone. Every activation row is quantised once, however many experts read it. With
/// PackedPair both products of a block meet in the epilogue and only its result is written.
#ifndef TESSERA_MATMUL_EXPERTS_HPP_
#define TESSERA_MATMUL_EXPERTS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/control.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/matmul_experts/arguments.hpp"
#include "tessera/kernels/matmul_experts/rows.hpp"
#include "tessera/matmul.hpp"

TESSERA_NAMESPACE_BEGIN

/// `a`: tokens x slots rows of K; one slot: a row that all of a token's experts read; generally the used slots
/// are a multiple of a's, and slot s reads row s % slots. `b`: `experts` weight matrices N x K, their images of
/// packed_size(N, K) bytes one behind the other (each packed on its own). `ids`: tokens x used, its `cols` 1;
/// an expert may occur any number of times, also within a token, or never. `c`: tokens x used rows of N;
/// must not overlap `a` or `ids`. The epilogue's row is token * used + slot. A, C, W as in MatmulArgs (A is
/// an element: quantised rows are not an operand here).
template <class F, class T, class A = float, class C = float, class W = PackedWeights<F, T>>
struct MatmulExpertsArgs {
  using Weights = W;
  using Output = C;
  static constexpr std::size_t sources = W::sources;
  SlotView<const A> a;
  W b;
  std::size_t experts = 0;
  SlotView<const std::int32_t> ids;
  SlotView<C> c;
  Workspace workspace = {};  ///< see workspace_size(args); `scratch` per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

template <class B, class F, class T, class... More>
TESSERA_INLINE ExpertRows<B, F> expert_rows(const MatmulExpertsArgs<F, T, More...>& args) noexcept {
  return {args.experts, args.ids.tokens * args.ids.slots, args.a.tokens * args.a.slots, args.b.k};
}
template <class B, class F, class T, class... More>
TESSERA_INLINE MatmulPlan<B, F, T> expert_plan(
    const MatmulExpertsArgs<F, T, More...>& args) noexcept {
  return {1, args.b.n, args.b.k};
}

/// Shapes whose sizes in bytes fit size_t.
template <class F, class T, class... More>
TESSERA_INLINE bool experts_fit(const MatmulExpertsArgs<F, T, More...>& args) noexcept {
  std::size_t pairs = 0;
  std::size_t images = 0;
  const std::size_t image = packed_size<F, T>(args.b.n, args.b.k);
  return image != 0 && !mul_overflows(args.experts, image, &images) &&
         images <= static_cast<std::size_t>(PTRDIFF_MAX) && args.experts < UINT32_MAX &&
         !mul_overflows(args.ids.tokens, args.ids.slots, &pairs) && pairs < UINT32_MAX / 16 &&
         !extent_overflows(pairs, static_cast<std::ptrdiff_t>(args.b.k), args.b.k, 1024);
}

}  // namespace detail

/// Bytes of workspace the products need; zeros where the shapes are refused.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] WorkspaceSize workspace_size(const MatmulExpertsArgs<F, T, More...>& args) noexcept {
  if (!detail::experts_fit(args)) return {};
  return {detail::expert_rows<B>(args).bytes(),
          args.sources * detail::expert_plan<B>(args).scratch()};
}

/// 3: sort the slots by expert and quantise the activations; bring the activations into that order; multiply.
/// The caller puts a barrier between phases.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] constexpr std::size_t phases(const MatmulExpertsArgs<F, T, More...>&) noexcept {
  return 3;
}

/// Independent work units of a phase: the sort and one per activation row; one per row (or row tile) to be
/// moved, which may be none; one per expert and column block.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] std::size_t units(const MatmulExpertsArgs<F, T, More...>& args,
                                std::size_t phase) noexcept {
  const detail::ExpertRows<B, F> rows = detail::expert_rows<B>(args);
  if (phase == 0) return 1 + (F::is_float ? 0 : rows.sources);
  if (phase == 1) return rows.gather_units();
  return args.experts * detail::expert_plan<B>(args).column_blocks();
}

/// The Status the products would return; reads the ids and the packed headers of experts they name.
/// Errors: empty_shape, null_pointer, shape_mismatch (a.cols != b.k, b.n != c.cols, tokens or used slots that
/// disagree, ids.cols != 1), slot_ratio, expert_range, shape_too_large, stride_too_small, misaligned, overlap
/// (c and a or ids), every packed_* code, workspace_too_small, scratch_too_small, workspace_misaligned,
/// wrong_vlen, control_register.
template <class B = default_backend, class F, class T, class... More>
[[nodiscard]] Status check(const MatmulExpertsArgs<F, T, More...>& args) noexcept {
  const auto a = detail::strided_slots(args.a);
  const auto ids = detail::strided_slots(args.ids);
  const auto c = detail::strided_slots(args.c);
  if (a.empty() || ids.empty() || c.empty() || args.experts == 0) return Status::empty_shape;
  if (const Status s = detail::check_input(a); s != Status::ok) return s;
  if (const Status s = detail::check_input(ids); s != Status::ok) return s;
  if (const Status s = detail::check_output(c); s != Status::ok) return s;
  if (args.a.cols != args.b.k || args.b.n != args.c.cols || args.ids.cols != 1 ||
      args.a.tokens != args.c.tokens || args.ids.tokens != args.c.tokens ||
      args.ids.slots != args.c.slots)
    return Status::shape_mismatch;
  if (args.ids.slots % args.a.slots != 0) return Status::slot_ratio;
  if (detail::meets(detail::extent(c), detail::extent(a), detail::extent(ids)))
    return Status::overlap;
  if (!detail::experts_fit(args)) return Status::shape_too_large;
  if (const Status s = detail::check_weights<F, T>(args.b, args.experts - 1); s != Status::ok)
    return s;
  for (std::size_t t = 0; t < args.ids.tokens; ++t)
    for (std::size_t s = 0; s < args.ids.slots; ++s) {
      const std::int32_t id = *args.ids.row(t, s);
      if (id < 0 || static_cast<std::size_t>(id) >= args.experts) return Status::expert_range;
    }
  // The experts that are read: those of the ids, or all where the ids are more.
  const std::size_t pairs = args.ids.tokens * args.ids.slots;
  for (std::size_t i = 0; i < pairs && i < args.experts; ++i) {
    const std::size_t e =
        pairs < args.experts
            ? static_cast<std::size_t>(*args.ids.row(i / args.ids.slots, i % args.ids.slots))
            : i;
    if (const Status s = detail::check_weights<F, T>(args.b, e); s != Status::ok) return s;
  }
  if (const Status s = detail::check_workspace(args.workspace, workspace_size<B>(args));
      s != Status::ok)
    return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range` of one phase. Units of a phase may run in any order on any threads.
/// Errors: those of check(args), bad_phase, bad_unit_range.
template <class B = default_backend, class F, class T, class... More,
          class E = detail::DefaultEpilogue<typename MatmulExpertsArgs<F, T, More...>::Weights>>
[[nodiscard]] Status matmul_experts_phase(const MatmulExpertsArgs<F, T, More...>& args,
                                          std::size_t phase, UnitRange range,
                                          const E& e = {}) noexcept {
  using Args = MatmulExpertsArgs<F, T, More...>;
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (phase >= phases<B>(args)) return Status::bad_phase;
  if (const Status s = detail::check_range(range, units<B>(args, phase)); s != Status::ok) return s;
  const detail::ExpertRows<B, F> layout = detail::expert_rows<B>(args);
  std::byte* const shared = args.workspace.shared.data();
  if (phase == 0) {
    for (std::size_t u = range.begin; u < range.end; ++u) {
      if (u == 0) {
        detail::group_rows(layout, args.ids, args.a.slots, shared);
      } else if constexpr (!F::is_float) {
        detail::quantize_source(layout, args.a, u - 1, shared);
      }
    }
  } else if (phase == 1) {
    for (std::size_t u = range.begin; u < range.end; ++u) {
      if constexpr (F::is_float) {
        const std::size_t row = layout.rows(shared)[u];
        detail::widen_row<B>(
            args.a.row(row / args.a.slots, row % args.a.slots), args.a.cols,
            reinterpret_cast<float*>(layout.grouped_rows(shared)) + u * args.a.cols);
      } else {
        detail::gather_row_tile(layout, u, shared);
      }
    }
  } else {
    const detail::MatmulPlan<B, F, T> plan = detail::expert_plan<B>(args);
    detail::Schedule schedule = plan.schedule();
    schedule.chunk_rows = SIZE_MAX / 2;  // a unit has all rows of its expert
    schedule.offsets = layout.offsets(shared);
    schedule.tiles = layout.tiles(shared);
    schedule.weights.outer_bytes =
        static_cast<std::ptrdiff_t>(packed_size<F, T>(args.b.n, args.b.k));
    const detail::ExpertOutput<typename Args::Output> output{args.c, layout.order(shared)};
    const detail::Finish finish = detail::finish_with<B, Args::sources>(output, e);
    detail::multiply(plan, args.b, schedule, layout.prepared(shared), args.workspace.scratch.data(),
                     range, finish);
  }
  return Status::ok;
}

/// All of it on the calling thread. Errors: those of check(args).
template <class B = default_backend, class F, class T, class... More,
          class E = detail::DefaultEpilogue<typename MatmulExpertsArgs<F, T, More...>::Weights>>
[[nodiscard]] Status matmul_experts(const MatmulExpertsArgs<F, T, More...>& args,
                                    const E& e = {}) noexcept {
  for (std::size_t p = 0; p < phases<B>(args); ++p)
    if (const Status s = matmul_experts_phase<B>(args, p, {0, units<B>(args, p)}, e);
        s != Status::ok)
      return s;
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/matmul.hpp"
#include "tessera/instances/packing.hpp"
#endif

#endif  // TESSERA_MATMUL_EXPERTS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Walsh-Hadamard transform along heads: what runtimes apply to Q, K and V before a quantised cache,
/// for it spreads outliers over the row and leaves dot products alone (it is orthogonal and symmetric).
///
/// Exactness class: `identical`. Definition, per block of n = 2^s elements: s stages of sums and
/// differences, stage i combining elements whose indices differ in bit i; the results of the last
/// times 1 / sqrt(n) (that factor rounded once), rounded. y[j] = sum_i (-1)^popcount(i & j) x[i] /
/// sqrt(n). NaN and infinity as IEEE arithmetic gives.
#ifndef TESSERA_HADAMARD_HPP_
#define TESSERA_HADAMARD_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/hadamard/hadamard.hpp"

TESSERA_NAMESPACE_BEGIN

/// `y` and `x` have the same shape; `y` may be `x` (same pointer and strides). Rows are transformed in
/// blocks of `block` elements, a power of two that divides the head size; 0: the whole head.
struct HadamardArgs {
  HeadView<const float> x;
  HeadView<float> y;
  std::size_t block = 0;
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

TESSERA_INLINE std::size_t hadamard_length(const HadamardArgs& args) noexcept {
  return args.block == 0 ? args.x.dim : args.block;
}

}  // namespace detail

/// Two blocks.
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const HadamardArgs& args) noexcept {
  const std::size_t n = detail::hadamard_length(args);
  if (n > (std::size_t{1} << 40)) return {};
  return {0, detail::round_up(2 * n * sizeof(float), workspace_alignment)};
}

/// One unit per head and token, tokens fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const HadamardArgs& args) noexcept {
  return args.x.heads * args.x.tokens;
}

/// Errors: empty_shape, null_pointer, shape_mismatch, shape_too_large, stride_too_small, misaligned,
/// head_size (the block is no power of two, or does not divide the head), overlap (unless y is x),
/// scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const HadamardArgs& args) noexcept {
  if (const Status s = detail::check_input(args.x); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.y); s != Status::ok) return s;
  if (args.x.heads != args.y.heads || args.x.tokens != args.y.tokens || args.x.dim != args.y.dim)
    return Status::shape_mismatch;
  const std::size_t n = detail::hadamard_length(args);
  if ((n & (n - 1)) != 0 || args.x.dim % n != 0) return Status::head_size;
  const bool in_place = args.y.data == args.x.data && args.y.head_stride == args.x.head_stride &&
                        args.y.token_stride == args.x.token_stride;
  if (args.x.tokens != 0 && !in_place &&
      detail::intersects(detail::extent(args.y), detail::extent(args.x)))
    return Status::overlap;
  const WorkspaceSize need = workspace_size(args);
  if (need.scratch == 0) return Status::shape_too_large;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status hadamard(const HadamardArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t n = detail::hadamard_length(args);
  auto* scratch = reinterpret_cast<float*>(args.workspace.scratch.data());
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const float* x = args.x.row(u / args.x.tokens, u % args.x.tokens);
    float* y = args.y.row(u / args.x.tokens, u % args.x.tokens);
    for (std::size_t i = 0; i < args.x.dim; i += n) {
      if (n == 1)
        y[i] = x[i];
      else
        detail::hadamard_block<B>(x + i, y + i, n, scratch);
    }
  }
  return Status::ok;
}

/// All heads and tokens. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status hadamard(const HadamardArgs& args) noexcept {
  return hadamard<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_HADAMARD_HPP_

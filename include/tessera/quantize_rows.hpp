// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Activations quantised once, for products with any number of weight matrices.
///
/// Exactness class: `identical` in value; the layout is that of a backend's tile. Definition, NaN and
/// infinity: kernels/matmul/quantize_rows.hpp; products have the bits they have with the floats
/// themselves.
#ifndef TESSERA_QUANTIZE_ROWS_HPP_
#define TESSERA_QUANTIZE_ROWS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul/quantized_header.hpp"

TESSERA_NAMESPACE_BEGIN

/// M x K activations, of A: float, Float16 or BFloat16, and where they go: quantized_size() bytes, aligned
/// to workspace_alignment, that do not overlap `a`. `needs`: ActivationNeeds::of<F...>() for the formats
/// of all the weights that will be multiplied.
template <class A = float>
struct QuantizeRowsArgs {
  MatrixView<const A> a;
  std::span<std::byte> out = {};
  ActivationNeeds needs = {};
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of rows x cols quantised activations; 0 where they do not fit size_t or there are none.
template <class B = default_backend>
[[nodiscard]] std::size_t quantized_size(std::size_t rows, std::size_t cols,
                                         ActivationNeeds needs) noexcept {
  if (rows == 0 || cols == 0 || rows > PTRDIFF_MAX / 64 ||
      detail::extent_overflows(rows, static_cast<std::ptrdiff_t>(cols), cols, 64))
    return 0;
  return detail::quantized_header<typename B::DotAtom>(rows, cols, needs).bytes;
}

/// One unit per row tile.
template <class B = default_backend, class A>
[[nodiscard]] std::size_t units(const QuantizeRowsArgs<A>& args) noexcept {
  return detail::div_up(args.a.rows, B::DotAtom::block_tile::m);
}

/// Errors: empty_shape, null_pointer, shape_too_large, misaligned (`a`, or `out` to
/// workspace_alignment), quantized_too_small, overlap, wrong_vlen, control_register.
template <class B = default_backend, class A>
[[nodiscard]] Status check(const QuantizeRowsArgs<A>& args) noexcept {
  if (const Status s = detail::check_input(args.a); s != Status::ok) return s;
  const std::size_t need = quantized_size<B>(args.a.rows, args.a.cols, args.needs);
  if (need == 0) return Status::shape_too_large;
  if (args.out.data() == nullptr) return Status::null_pointer;
  const auto begin = reinterpret_cast<std::uintptr_t>(args.out.data());
  if (begin % workspace_alignment != 0) return Status::misaligned;
  if (args.out.size() < need) return Status::quantized_too_small;
  if (detail::intersects(detail::extent(args.a), {begin, begin + need})) return Status::overlap;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`, in any order on any threads; together they write all of quantized_size() bytes but
/// alignment gaps. Errors: those of check(args), bad_unit_range.
template <class B = default_backend, class A>
[[nodiscard]] Status quantize_rows(const QuantizeRowsArgs<A>& args, UnitRange range) noexcept {
  using Atom = typename B::DotAtom;
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units<B>(args)); s != Status::ok) return s;
  if (range.begin == 0 && range.end != 0) {
    const QuantizedHeader h = detail::quantized_header<Atom>(args.a.rows, args.a.cols, args.needs);
    __builtin_memcpy(args.out.data(), &h, sizeof h);
  }
  for (std::size_t u = range.begin; u < range.end; ++u)
    detail::quantize_row_tile<B>(args.a, u, args.needs, args.out.data() + sizeof(QuantizedHeader));
  return Status::ok;
}

/// All rows. Errors: those of check(args).
template <class B = default_backend, class A>
[[nodiscard]] Status quantize_rows(const QuantizeRowsArgs<A>& args) noexcept {
  return quantize_rows<B>(args, {0, units<B>(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/matmul.hpp"
#endif

#endif  // TESSERA_QUANTIZE_ROWS_HPP_

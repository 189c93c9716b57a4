// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrix products behind the C interface: matmul.hpp, matmul_experts.hpp and quantize_rows.hpp.
///
/// The C++ interface has a type for each format, tile, element of the activations and of the output, and
/// epilogue: thousands of combinations. Here they are values. What a format and a tile make of the weights
/// is asked through a table of functions (WeightsForm); all else is the same code for all.
#ifndef TESSERA_C_INTERFACE_MATMUL_HPP_
#define TESSERA_C_INTERFACE_MATMUL_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/backend/control.hpp"
#include "tessera/c_interface/common.hpp"
#include "tessera/c_interface/steps.hpp"
#include "tessera/c_interface/weights.hpp"
#include "tessera/config.hpp"
#include "tessera/kernels/matmul_experts/rows.hpp"
#include "tessera/matmul.hpp"
#include "tessera/matmul_experts.hpp"
#include "tessera/quantize_rows.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// Bytes of an element of activations or outputs; 0 for anything else.
TESSERA_INLINE std::size_t element_bytes(tsr_format type) noexcept {
  return type == TSR_F32 ? 4 : type == TSR_F16 || type == TSR_BF16 ? 2 : 0;
}

/// Rows of all products of a call.
TESSERA_INLINE detail::Strided<4> strided_rows(const void* data, std::size_t size, std::size_t rows,
                                               std::size_t cols, std::ptrdiff_t row_stride,
                                               const Batches& b, std::ptrdiff_t outer,
                                               std::ptrdiff_t inner) noexcept {
  return {reinterpret_cast<std::uintptr_t>(data),
          size,
          {{b.outer, outer}, {b.inner, inner}, {rows, row_stride}, {cols, 1}}};
}

/// matmul(): the operands of MatmulArgs with their types as values.
template <class B>
class Matmul {
  using Atom = typename B::DotAtom;
  using Rows = detail::RowTiles<Atom>;

 public:
  explicit Matmul(const tsr_matmul_args& c) noexcept
      : c_(c),
        workspace_(view(c.workspace)),
        batches_{c.batches.outer,         c.batches.inner,   c.batches.outer_weights,
                 c.batches.inner_weights, c.batches.a_outer, c.batches.a_inner,
                 c.batches.c_outer,       c.batches.c_inner, c.batches.b_outer,
                 c.batches.b_inner} {}

  /// Looks up everything that is a number. Nothing else may be called before it has said ok.
  Status prepare() noexcept {
    if (const Status s = find_weights<B>(c_.b, form_); s != Status::ok) return s;
    const bool quantized = c_.a_type == TSR_QUANTIZED;
    if ((element_bytes(c_.a_type) == 0 && !(quantized && !form_.traits.is_float)) ||
        element_bytes(c_.c_type) == 0)
      return Status::unknown_choice;
    prepared_ = form_.traits.is_float ? c_.a_type == TSR_F32 : quantized;
    return check_steps(c_.steps, c_.step_count, form_.sources);
  }

  friend std::size_t phases(const Matmul& m) noexcept { return m.prepared_ ? 1 : 2; }
  friend std::size_t units(const Matmul& m, std::size_t phase) noexcept {
    const std::size_t products = m.batches_.count();
    return products * (phase + 1 < phases(m) ? m.prepare_units() : m.multiply_units());
  }
  friend WorkspaceSize workspace_size(const Matmul& m) noexcept {
    if (!m.fits()) return {};
    return {m.prepared_ ? 0 : m.prepared_bytes(), m.form_.sources * m.form_.scratch(m.c_.b)};
  }
  friend Status check(const Matmul& m) noexcept { return m.status(); }

  Status run(std::size_t phase, UnitRange range) const noexcept {
    if (const Status s = status(); s != Status::ok) return s;
    if (const Status s = detail::check_range(range, units(*this, phase)); s != Status::ok) return s;
    if (phase + 1 < phases(*this)) return prepare_rows(range);
    detail::Schedule schedule = form_.schedule(c_.a.rows, c_.b);
    schedule.weights = form_.steps(c_.b, batches_);
    return with_element(c_.c_type, [&]<class C>(Type<C>) {
      const detail::BatchOutput<C> output{view_as<C>(c_.c), batches_};
      with_finish<B>(output, c_.steps, c_.step_count, form_.sources,
                     [&](const detail::Finish& finish) { multiply(schedule, range, finish); });
      return Status::ok;
    });
  }

 private:
  // In the order of matmul.hpp's check().
  Status status() const noexcept {
    if (const Status s = detail::check_batches(batches_); s != Status::ok) return s;
    if (const Status s = check_activations(); s != Status::ok) return s;
    if (c_.c.rows == 0 || c_.c.cols == 0) return Status::empty_shape;
    const auto c = strided_rows(c_.c.data, element_bytes(c_.c_type), c_.c.rows, c_.c.cols,
                                c_.c.row_stride, batches_, batches_.c_outer, batches_.c_inner);
    if (const Status s = detail::check_output(c); s != Status::ok) return s;
    if (c_.a.rows != c_.c.rows || c_.a.cols != c_.b.k || c_.b.n != c_.c.cols)
      return Status::shape_mismatch;
    if (!is_apart(detail::extent(c))) return Status::overlap;
    if (const Status s = form_.check(c_.b, batches_); s != Status::ok) return s;
    if (!form_.packed && detail::intersects(detail::extent(c), form_.extent_stored(c_.b, batches_)))
      return Status::overlap;
    if (!fits()) return Status::shape_too_large;
    if (const Status s = detail::check_workspace(workspace_, workspace_size(*this));
        s != Status::ok)
      return s;
    if (const Status s = B::check(); s != Status::ok) return s;
    return detail::check_control();
  }
  bool fits() const noexcept { return form_.fit(c_.a.rows, batches_, c_.b); }

  QuantizedActivations quantized() const noexcept {
    return {bytes(c_.a.data, c_.a_bytes), c_.a.rows, c_.a.cols};
  }
  detail::Strided<4> activations() const noexcept {
    return strided_rows(c_.a.data, element_bytes(c_.a_type), c_.a.rows, c_.a.cols, c_.a.row_stride,
                        batches_, batches_.a_outer, batches_.a_inner);
  }
  Status check_activations() const noexcept {
    if (c_.a_type == TSR_QUANTIZED) {
      const Status s = detail::check_quantized<Atom>(quantized(), form_.needs);
      return s == Status::ok && batches_.count() != 1 ? Status::shape_mismatch : s;
    }
    if (c_.a.rows == 0 || c_.a.cols == 0) return Status::empty_shape;
    return detail::check_input(activations());
  }
  bool is_apart(detail::Extent output) const noexcept {
    if (c_.a_type == TSR_QUANTIZED)
      return detail::is_apart(view_as<float>(c_.c), quantized(), batches_);
    if (!detail::intersects(output, detail::extent(activations()))) return true;
    if (batches_.count() != 1 || element_bytes(c_.a_type) != element_bytes(c_.c_type)) return false;
    return c_.a_type == TSR_F32
               ? detail::columns_apart(view_as<float>(c_.c), view_as<float>(c_.a))
               : detail::columns_apart(view_as<Float16>(c_.c), view_as<Float16>(c_.a));
  }

  std::size_t prepared_rows() const noexcept {
    return batches_.count() *
           (form_.traits.is_float ? c_.a.rows : detail::round_up(c_.a.rows, Atom::block_tile::m));
  }
  std::size_t prepare_units() const noexcept {  // of one product
    return form_.traits.is_float ? c_.a.rows : detail::div_up(c_.a.rows, Atom::block_tile::m);
  }
  std::size_t multiply_units() const noexcept {
    const detail::Schedule s = form_.schedule(c_.a.rows, c_.b);
    return s.column_blocks * s.row_chunks;
  }
  detail::QuantizedRows<Atom> layout() const noexcept {
    return {prepared_rows(), c_.a.cols, form_.needs};
  }
  std::size_t prepared_bytes() const noexcept {
    return form_.traits.is_float
               ? detail::round_up(prepared_rows() * c_.b.k * sizeof(float), workspace_alignment)
               : detail::QuantizedRows<Atom>(prepared_rows(), c_.b.k, form_.needs).bytes();
  }
  Status prepare_rows(UnitRange range) const noexcept {
    const std::size_t of_product = prepare_units();
    std::byte* const shared = workspace_.shared.data();
    return with_element(c_.a_type, [&]<class A>(Type<A>) {
      for (std::size_t u = range.begin; u < range.end; ++u) {
        const auto rows = detail::rows_of_product(view_as<A>(c_.a), u / of_product, batches_.inner,
                                                  batches_.a_outer, batches_.a_inner);
        const std::size_t at = u % of_product;
        if (form_.traits.is_float)
          detail::widen_row<B>(rows.row(at), rows.cols,
                               reinterpret_cast<float*>(shared) + u * rows.cols);
        else
          detail::quantize_rows_to<B>(rows, at * Atom::block_tile::m, layout(), u, shared);
      }
      return Status::ok;
    });
  }
  void multiply(const detail::Schedule& schedule, UnitRange range,
                const detail::Finish& finish) const noexcept {
    std::byte* const shared = workspace_.shared.data();
    std::byte* const scratch = workspace_.scratch.data();
    if (form_.traits.is_float) {
      const auto rows = prepared_
                            ? detail::FloatRows{view_as<float>(c_.a), c_.a.rows, batches_.inner,
                                                batches_.a_outer, batches_.a_inner}
                            : detail::FloatRows{matrix(reinterpret_cast<const float*>(shared),
                                                       prepared_rows(), c_.a.cols)};
      return form_.multiply(c_.b, schedule, rows, scratch, range, finish);
    }
    if (prepared_) {
      const QuantizedActivations a = quantized();
      const auto needs = detail::needs_of(detail::header_of(a));
      return form_.multiply(c_.b, schedule, Rows{{a.rows, a.cols, needs}, detail::rows_of(a)},
                            scratch, range, finish);
    }
    form_.multiply(c_.b, schedule, Rows{layout(), shared}, scratch, range, finish);
  }

  const tsr_matmul_args& c_;
  Workspace workspace_;
  Batches batches_;
  WeightsForm<B> form_ = {};
  bool prepared_ = false;
};

template <class B>
Status call(const tsr_matmul_args& c, const Request& r) noexcept {
  Matmul<B> product(c);
  if (const Status s = product.prepare(); s != Status::ok) return s;
  return answer<B>(product, r, [](const auto& m, std::size_t phase, UnitRange range) {
    return m.run(phase, range);
  });
}

/// matmul_experts(): the operands of MatmulExpertsArgs with their types as values. K is what the layout of the
/// rows needs to know of the format (WeightsKind).
template <class B, class K>
class MatmulExperts {
 public:
  MatmulExperts(const tsr_matmul_experts_args& c, const WeightsForm<B>& form) noexcept
      : c_(c), form_(form), workspace_(view(c.workspace)) {}

  friend std::size_t phases(const MatmulExperts&) noexcept { return 3; }
  friend std::size_t units(const MatmulExperts& m, std::size_t phase) noexcept {
    const auto rows = m.rows();
    if (phase == 0) return 1 + (K::is_float ? 0 : rows.sources);
    if (phase == 1) return rows.gather_units();
    return m.c_.experts * m.form_.schedule(1, m.c_.b).column_blocks;
  }
  friend WorkspaceSize workspace_size(const MatmulExperts& m) noexcept {
    if (!m.fits()) return {};
    return {m.rows().bytes(), m.form_.sources * m.form_.scratch(m.c_.b)};
  }
  friend Status check(const MatmulExperts& m) noexcept { return m.status(); }

  Status run(std::size_t phase, UnitRange range) const noexcept {
    if (const Status s = status(); s != Status::ok) return s;
    if (const Status s = detail::check_range(range, units(*this, phase)); s != Status::ok) return s;
    if (phase < 2)
      return with_element(c_.a_type, [&]<class A>(Type<A>) {
        const SlotView<const A> a = {static_cast<const A*>(c_.a.data),
                                     c_.a.tokens,
                                     c_.a.slots,
                                     c_.a.cols,
                                     c_.a.token_stride,
                                     c_.a.slot_stride};
        for (std::size_t u = range.begin; u < range.end; ++u)
          phase == 0 ? sort_or_quantize(a, u) : gather(a, u);
        return Status::ok;
      });
    detail::Schedule schedule = form_.schedule(1, c_.b);
    const detail::ExpertRows<B, K> layout = rows();
    std::byte* const shared = workspace_.shared.data();
    schedule.chunk_rows = SIZE_MAX / 2;  // a unit has all rows of its expert
    schedule.offsets = layout.offsets(shared);
    schedule.tiles = layout.tiles(shared);
    schedule.weights.outer_bytes = static_cast<std::ptrdiff_t>(form_.image_bytes(c_.b));
    return with_element(c_.c_type, [&]<class C>(Type<C>) {
      const detail::ExpertOutput<C> output{output_rows<C>(), layout.order(shared)};
      with_finish<B>(output, c_.steps, c_.step_count, form_.sources,
                     [&](const detail::Finish& finish) {
                       const auto prepared = layout.prepared(shared);
                       std::byte* const scratch = workspace_.scratch.data();
                       form_.multiply(c_.b, schedule, prepared, scratch, range, finish);
                     });
      return Status::ok;
    });
  }

 private:
  detail::ExpertRows<B, K> rows() const noexcept {
    return {c_.experts, c_.ids.tokens * c_.ids.slots, c_.a.tokens * c_.a.slots, c_.b.k};
  }
  SlotView<const std::int32_t> ids() const noexcept {
    return {static_cast<const std::int32_t*>(c_.ids.data),
            c_.ids.tokens,
            c_.ids.slots,
            c_.ids.cols,
            c_.ids.token_stride,
            c_.ids.slot_stride};
  }
  template <class C>
  SlotView<C> output_rows() const noexcept {
    return {static_cast<C*>(c_.c.data), c_.c.tokens,     c_.c.slots, c_.c.cols,
            c_.c.token_stride,          c_.c.slot_stride};
  }
  template <class S>
  static detail::Strided<3> strided_slots(const S& v, std::size_t size) noexcept {
    return {reinterpret_cast<std::uintptr_t>(v.data),
            size,
            {{v.tokens, v.token_stride}, {v.slots, v.slot_stride}, {v.cols, 1}}};
  }
  bool fits() const noexcept {
    std::size_t pairs = 0;
    std::size_t images = 0;
    const std::size_t image = form_.image_bytes(c_.b);
    return image != 0 && !detail::mul_overflows(c_.experts, image, &images) &&
           images <= static_cast<std::size_t>(PTRDIFF_MAX) && c_.experts < UINT32_MAX &&
           !detail::mul_overflows(c_.ids.tokens, c_.ids.slots, &pairs) && pairs < UINT32_MAX / 16 &&
           !detail::extent_overflows(pairs, static_cast<std::ptrdiff_t>(c_.b.k), c_.b.k, 1024);
  }
  // In the order of matmul_experts.hpp's check().
  Status status() const noexcept {
    const auto a = strided_slots(c_.a, element_bytes(c_.a_type));
    const auto named = strided_slots(c_.ids, sizeof(std::int32_t));
    const auto c = strided_slots(c_.c, element_bytes(c_.c_type));
    if (a.empty() || named.empty() || c.empty() || c_.experts == 0) return Status::empty_shape;
    if (const Status s = detail::check_input(a); s != Status::ok) return s;
    if (const Status s = detail::check_input(named); s != Status::ok) return s;
    if (const Status s = detail::check_output(c); s != Status::ok) return s;
    if (c_.a.cols != c_.b.k || c_.b.n != c_.c.cols || c_.ids.cols != 1 ||
        c_.a.tokens != c_.c.tokens || c_.ids.tokens != c_.c.tokens || c_.ids.slots != c_.c.slots)
      return Status::shape_mismatch;
    if (c_.ids.slots % c_.a.slots != 0) return Status::slot_ratio;
    if (detail::meets(detail::extent(c), detail::extent(a), detail::extent(named)))
      return Status::overlap;
    if (!fits()) return Status::shape_too_large;
    if (const Status s = check_experts(); s != Status::ok) return s;
    if (const Status s = detail::check_workspace(workspace_, workspace_size(*this));
        s != Status::ok)
      return s;
    if (const Status s = B::check(); s != Status::ok) return s;
    return detail::check_control();
  }
  /// The last image, which says how many there are, and those that are read.
  Status check_experts() const noexcept {
    if (const Status s = form_.check_image(c_.b, c_.experts - 1); s != Status::ok) return s;
    const auto all = ids();
    const std::size_t pairs = all.tokens * all.slots;
    for (std::size_t p = 0; p < pairs; ++p) {
      const std::int32_t id = *all.row(p / all.slots, p % all.slots);
      if (id < 0 || static_cast<std::size_t>(id) >= c_.experts) return Status::expert_range;
    }
    for (std::size_t i = 0; i < pairs && i < c_.experts; ++i) {
      const std::size_t e =
          pairs < c_.experts ? static_cast<std::size_t>(*all.row(i / all.slots, i % all.slots)) : i;
      if (const Status s = form_.check_image(c_.b, e); s != Status::ok) return s;
    }
    return Status::ok;
  }
  template <class A>
  void sort_or_quantize(const SlotView<const A>& a, std::size_t u) const noexcept {
    std::byte* const shared = workspace_.shared.data();
    if (u == 0) {
      detail::group_rows(rows(), ids(), a.slots, shared);
    } else if constexpr (!K::is_float) {
      detail::quantize_source(rows(), a, u - 1, shared);
    }
  }
  template <class A>
  void gather(const SlotView<const A>& a, std::size_t u) const noexcept {
    std::byte* const shared = workspace_.shared.data();
    const auto layout = rows();
    if constexpr (K::is_float) {
      const std::size_t row = layout.rows(shared)[u];
      detail::widen_row<B>(a.row(row / a.slots, row % a.slots), a.cols,
                           reinterpret_cast<float*>(layout.grouped_rows(shared)) + u * a.cols);
    } else {
      detail::gather_row_tile(layout, u, shared);
    }
  }

  const tsr_matmul_experts_args& c_;
  const WeightsForm<B>& form_;
  Workspace workspace_;
};

template <class B>
Status call(const tsr_matmul_experts_args& c, const Request& r) noexcept {
  WeightsForm<B> form = {};
  if (const Status s = find_weights<B>(c.b, form); s != Status::ok) return s;
  if (!form.packed || element_bytes(c.a_type) == 0 || element_bytes(c.c_type) == 0)
    return Status::unknown_choice;
  if (const Status s = check_steps(c.steps, c.step_count, form.sources); s != Status::ok) return s;
  return with_kind(form, [&]<class K>(Type<K>) {
    return answer<B>(
        MatmulExperts<B, K>(c, form), r,
        [](const auto& m, std::size_t phase, UnitRange range) { return m.run(phase, range); });
  });
}

/// What the formats of all weights ask of the activations. Those with a scale per row and those with a scale
/// per block want them quantised each in a way of its own.
inline Status needs_of(const tsr_format* formats, std::size_t count,
                       ActivationNeeds& needs) noexcept {
  if (formats == nullptr && count != 0) return Status::null_pointer;
  needs = {0, 0};
  bool blocks = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Status known = with_compiled_format(formats[i], [&]<class F>(Type<F>) {
      constexpr ActivationNeeds more = ActivationNeeds::of<F>();
      needs.sums_of |= more.sums_of;
      needs.weighted_of |= more.weighted_of;
      needs.whole_rows = needs.whole_rows || more.whole_rows;
      blocks = blocks || (!F::is_float && !more.whole_rows);
    });
    if (known != Status::ok) return known;
  }
  return needs.whole_rows && blocks ? Status::quantized_needs : Status::ok;
}

template <class B>
Status quantized_size(std::size_t rows, std::size_t cols, const tsr_format* formats,
                      std::size_t count, std::size_t* size) noexcept {
  ActivationNeeds needs;
  if (size == nullptr) return Status::null_pointer;
  if (const Status s = needs_of(formats, count, needs); s != Status::ok) return s;
  *size = tessera::quantized_size<B>(rows, cols, needs);
  return Status::ok;
}

template <class B>
Status call(const tsr_quantize_rows_args& c, const Request& r) noexcept {
  ActivationNeeds needs;
  if (const Status s = needs_of(c.formats, c.format_count, needs); s != Status::ok) return s;
  return with_element(c.a_type, [&]<class A>(Type<A>) {
    const QuantizeRowsArgs<A> args = {view_as<A>(c.a), bytes(c.out, c.out_bytes), needs};
    return answer<B>(args, r, [](const auto& a, std::size_t, UnitRange range) {
      return quantize_rows<B>(a, range);
    });
  });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_MATMUL_HPP_

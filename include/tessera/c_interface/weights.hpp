// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What matrix products ask of weights, the types of format, tile and form forgotten.
#ifndef TESSERA_C_INTERFACE_WEIGHTS_HPP_
#define TESSERA_C_INTERFACE_WEIGHTS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/c_interface/common.hpp"
#include "tessera/c_interface/tiles.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/kernels/matmul/checks.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/plan.hpp"
#include "tessera/kernels/matmul/weights.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// What layouts of activations depend on in a format.
template <bool Float, std::size_t Group, bool Minima>
struct WeightsKind {
  static constexpr bool is_float = Float;
  static constexpr std::size_t scale_group = Group;
  static constexpr bool has_minima = Minima;
};
using all_kinds = TypeList<WeightsKind<true, 1, false>, WeightsKind<false, 32, false>,
                           WeightsKind<false, 32, true>, WeightsKind<false, 16, false>,
                           WeightsKind<false, 16, true>, WeightsKind<false, 0, false>>;

/// One format and tile, or stored rows of a format.
template <class B>
struct WeightsForm {
  detail::PanelTraits traits = {};
  TileShape tile = {};
  std::size_t sources = 1;
  std::size_t scale_group = 1;
  bool has_minima = false;
  bool packed = true;
  ActivationNeeds needs = {};
  /// The product of a block format; `sources` is to be set.
  detail::BlockProduct (*blocks)(const tsr_weights&) noexcept = nullptr;
  void (*multiply_product)(const detail::BlockProduct&, const detail::Schedule&,
                           const detail::RowTiles<typename B::DotAtom>&, std::byte* scratch,
                           UnitRange, const detail::Finish&) noexcept = nullptr;
  /// The product of a float format; likewise.
  detail::FloatProduct (*floats)(const tsr_weights&) noexcept = nullptr;
  std::size_t (*float_scratch)(const tsr_weights&) noexcept = nullptr;  ///< of one source
  Status (*check_stored)(const tsr_weights&, const Batches&) noexcept = nullptr;
  detail::Extent (*extent_stored)(const tsr_weights&, const Batches&) noexcept = nullptr;

  /// Bytes of scratch of one source.
  std::size_t scratch(const tsr_weights& w) const noexcept {
    return traits.is_float ? float_scratch(w) : blocks(w).source_scratch;
  }
  /// The product with rows that are prepared: `rows` are FloatRows or RowTiles.
  template <class Rows>
  void multiply(const tsr_weights& w, const detail::Schedule& s, const Rows& rows,
                std::byte* scratch, UnitRange range, const detail::Finish& finish) const noexcept {
    if constexpr (std::is_same_v<Rows, detail::FloatRows>) {
      detail::FloatProduct product = floats(w);
      product.sources = sources;
      detail::multiply_floats<B>(product, s, rows, scratch, range, finish);
    } else {
      detail::BlockProduct product = blocks(w);
      product.sources = sources;
      multiply_product(product, s, rows, scratch, range, finish);
    }
  }

  /// How the work of one product is cut: the same for all float formats, and for all others.
  detail::Schedule schedule(std::size_t rows, const tsr_weights& w) const noexcept {
    if (traits.is_float)
      return detail::MatmulPlan<B, format::f32, tile::scalar>{rows, w.n, w.k}.schedule();
    return detail::MatmulPlan<B, format::q8_0, tile::scalar>{rows, w.n, w.k}.schedule();
  }
  /// Bytes of one packed image; 0 where there is none.
  std::size_t image_bytes(const tsr_weights& w) const noexcept {
    bool overflow = false;
    return w.n == 0 || w.k == 0 ? 0 : detail::image_bytes(traits, tile.n, w.n, w.k, &overflow);
  }
  /// The index-th of the images that lie one behind the other, of each source.
  Status check_image(const tsr_weights& w, std::size_t index) const noexcept {
    const std::size_t size = image_bytes(w);
    for (std::size_t s = 0; s < sources; ++s) {
      auto images = s == 0 ? bytes(w.data, w.bytes) : bytes(w.pair, w.pair_bytes);
      if (images.data() == nullptr) return Status::null_pointer;
      if (index != 0 && size != 0) {
        if (images.size() / size <= index) return Status::packed_too_small;
        images = images.subspan(index * size);
      }
      if (const Status status = detail::check_image(images, traits, tile, w.n, w.k);
          status != Status::ok)
        return status;
    }
    return Status::ok;
  }
  Status check(const tsr_weights& w, const Batches& b) const noexcept {
    if (!packed) return check_stored(w, b);
    for (std::size_t i = 0; i < b.outer_weights * b.inner_weights; ++i)
      if (const Status s = check_image(w, i); s != Status::ok) return s;
    return Status::ok;
  }
  /// Do the sizes of `rows` rows of activations per product, and of the weights, fit size_t?
  bool fit(std::size_t rows, const Batches& b, const tsr_weights& w) const noexcept {
    const StoredRows<format::f32> shape = {nullptr, w.n, w.k};
    return detail::shapes_fit<format::f32, no_tile>(rows, b, shape) &&
           (!packed || image_bytes(w) != 0);
  }
  /// From one product's weights to the next one's.
  detail::WeightSteps steps(const tsr_weights& w, const Batches& b) const noexcept {
    const StoredRows<format::f32> any = {};
    detail::WeightSteps steps = detail::weight_steps<format::f32, no_tile>(any, b);
    if (packed) {
      steps.inner_bytes = static_cast<std::ptrdiff_t>(image_bytes(w));
      steps.outer_bytes = static_cast<std::ptrdiff_t>(b.inner_weights) * steps.inner_bytes;
    }
    return steps;
  }
};

/// The operand of the C++ interface: a pair, whether there is a second matrix or not, or stored rows.
template <class W>
TESSERA_INLINE W weights(const tsr_weights& w) noexcept {
  if constexpr (W::packed) {
    return {bytes(w.data, w.bytes), bytes(w.pair, w.pair_bytes), w.n, w.k};
  } else {
    W stored = {static_cast<const std::byte*>(w.data), w.n, w.k, w.row_bytes};
    if (w.element_bytes != 0) stored.element_bytes = w.element_bytes;
    return stored;
  }
}

template <class B, class Kind>
void multiply_kind(const detail::BlockProduct& product, const detail::Schedule& schedule,
                   const detail::RowTiles<typename B::DotAtom>& rows, std::byte* scratch,
                   UnitRange range, const detail::Finish& finish) noexcept {
  detail::multiply_product<B, Kind>(product, schedule, rows, scratch, range, finish);
}

template <class B, class F, class T, class W>
WeightsForm<B> form_of() noexcept {
  using Plan = detail::MatmulPlan<B, F, T>;
  WeightsForm<B> form;
  form.traits = detail::panel_traits<F>();
  form.tile = tile_shape<T>;
  form.packed = W::packed;
  form.needs = ActivationNeeds::of<F>();
  if constexpr (F::is_float) {
    form.floats = [](const tsr_weights& w) noexcept {
      return detail::float_product<B, F, T>(weights<W>(w));
    };
    form.float_scratch = [](const tsr_weights& w) noexcept { return Plan{1, w.n, w.k}.scratch(); };
  } else {
    using Kind = WeightsKind<false, F::scale_group, F::has_minima>;
    form.scale_group = F::scale_group;
    form.has_minima = F::has_minima;
    form.blocks = [](const tsr_weights& w) noexcept {
      return detail::block_product(Plan{1, w.n, w.k}, weights<W>(w));
    };
    form.multiply_product = &multiply_kind<B, Kind>;
  }
  if constexpr (!W::packed) {
    form.check_stored = [](const tsr_weights& w, const Batches& b) noexcept {
      return detail::check_all_weights<F, T>(weights<W>(w), b);
    };
    form.extent_stored = [](const tsr_weights& w, const Batches& b) noexcept {
      return detail::extent(detail::strided_bytes(weights<W>(w), b));
    };
  }
  return form;
}

/// The form of these weights: stored rows by their format, packed ones by the tile that their header names
/// (B's own where it cannot be read: the checks will say what is wrong).
template <class B>
[[nodiscard]] Status find_weights(const tsr_weights& w, WeightsForm<B>& form) noexcept {
  if (w.stored != 0 && w.pair != nullptr) return Status::unknown_choice;
  PackedHeader header = {};
  tsr_tile tile = {};
  if (read_header(bytes(w.data, w.bytes), header) == Status::ok)
    tile = {header.tile.m, header.tile.n, header.tile.k};
  Status status = Status::ok;
  const Status known = with_compiled_format(w.format, [&]<class F>(Type<F>) {
    if (w.stored != 0) {
      if constexpr (RowFormat<F>)
        status = Status::unknown_choice;
      else
        form = form_of<B, F, no_tile, StoredRows<F>>();
      return;
    }
    const auto take = [&]<class T>(Type<T>) {
      form = form_of<B, F, T, PackedPair<F, T>>();
      form.sources = w.pair != nullptr ? 2 : 1;
      return Status::ok;
    };
    if (with_tile<B, F>(tile, take) != Status::ok)
      static_cast<void>(with_tile<B, F>(tsr_tile{}, take));
  });
  return known != Status::ok ? known : status;
}

/// Calls body(Type<K>{}) for the kind of a form.
template <class B, class Body>
[[nodiscard]] Status with_kind(const WeightsForm<B>& form, Body&& body) {
  Status status = Status::unknown_format;
  all_kinds::for_each([&]<class K>(Type<K> kind) {
    if (K::is_float == form.traits.is_float && K::scale_group == form.scale_group &&
        K::has_minima == form.has_minima)
      status = body(kind);
  });
  return status;
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_WEIGHTS_HPP_

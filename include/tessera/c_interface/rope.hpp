// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rotary embedding behind the C interface.
#ifndef TESSERA_C_INTERFACE_ROPE_HPP_
#define TESSERA_C_INTERFACE_ROPE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/attention.hpp"
#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/rope.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

TESSERA_INLINE bool is_pairing(tsr_pairing p) noexcept {
  return p == TSR_PAIRING_INTERLEAVED || p == TSR_PAIRING_HALF;
}
TESSERA_INLINE Pairing pairing(tsr_pairing p) noexcept {
  return p == TSR_PAIRING_INTERLEAVED ? Pairing::interleaved : Pairing::half;
}

template <class B>
Status call(const tsr_rope_table_args& c, const Request& r) noexcept {
  if (c.planes > TSR_PLANES_VISION) return Status::unknown_choice;
  RopeTableArgs args;
  args.positions = {c.positions, c.position_count};
  args.base = c.base;
  args.cosine = view(c.cosine), args.sine = view(c.sine);
  args.frequency_factors = {c.frequency_factors, c.factor_count};
  args.scaling = {c.scaling.frequency_scale, c.scaling.ext_factor, c.scaling.attention_factor,
                  c.scaling.beta_fast,       c.scaling.beta_slow,  c.scaling.original_context};
  args.planes = static_cast<RopePlanes>(c.planes);
  for (std::size_t i = 0; i < 4; ++i) args.section[i] = c.section[i];
  return answer<B>(args, r, [](const auto& a, std::size_t, UnitRange range) {
    // One unit: the whole table.
    if (const Status s = detail::check_range(range, 1); s != Status::ok) return s;
    return range.begin == range.end ? check(a) : rope_table(a);
  });
}
static_assert(static_cast<std::uint32_t>(RopePlanes::vision) == TSR_PLANES_VISION &&
              static_cast<std::uint32_t>(RopePlanes::sections) == TSR_PLANES_SECTIONS &&
              static_cast<std::uint32_t>(RopePlanes::interleaved) == TSR_PLANES_INTERLEAVED);

template <class B>
Status call(const tsr_rope_args& c, const Request& r) noexcept {
  if (!is_pairing(c.pairing)) return Status::unknown_choice;
  return with_element(c.type, [&]<class T>(Type<T>) {
    return with_element(c.table_type, [&]<class C>(Type<C>) {
      const RopeArgs<T, C> args = {view_as<T>(c.x),      view_as<T>(c.y),
                                   view_as<C>(c.cosine), view_as<C>(c.sine),
                                   pairing(c.pairing),   c.offset,
                                   c.inverse != 0,       {c.positions, c.position_count}};
      return answer<B>(
          args, r, [](const auto& a, std::size_t, UnitRange range) { return rope<B>(a, range); });
    });
  });
}

template <class B>
Status call(const tsr_rope_shift_args& c, const Request& r) noexcept {
  if (!is_pairing(c.pairing)) return Status::unknown_choice;
  Status status = Status::unknown_format;
  const Status known = with_compiled_format(c.format, [&]<class F>(Type<F>) {
    if constexpr (CacheFormat<F> && !F::is_float) {
      const RopeShiftArgs<F> args = {view_as<typename F::Block>(c.k),
                                     view(c.cosine),
                                     view(c.sine),
                                     pairing(c.pairing),
                                     c.offset,
                                     c.inverse != 0,
                                     {c.positions, c.position_count},
                                     view(c.workspace)};
      status = answer<B>(args, r, [](const auto& a, std::size_t, UnitRange range) {
        return rope_shift<B>(a, range);
      });
    }
  });
  return known != Status::ok ? known : status;
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_ROPE_HPP_

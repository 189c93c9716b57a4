// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention and what goes with it behind the C interface.
#ifndef TESSERA_C_INTERFACE_ATTENTION_HPP_
#define TESSERA_C_INTERFACE_ATTENTION_HPP_

#include <cstddef>
#include <span>

#include "tessera/attention.hpp"
#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/hadamard.hpp"
#include "tessera/kv_cache.hpp"
#include "tessera/scores.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// Calls body(Type<F>{}) for a format that a cache can have.
template <class Body>
[[nodiscard]] Status with_cache_format(tsr_format format, Body&& body) {
  Status status = Status::unknown_format;
  const Status known = with_compiled_format(format, [&]<class F>(Type<F> type) {
    if constexpr (CacheFormat<F>) status = body(type);
  });
  return known != Status::ok ? known : status;
}

/// The same for codes whose scales lie apart.
template <class Body>
[[nodiscard]] Status with_scaled_codes(tsr_format format, Body&& body) {
  if (format == TSR_SCALED_INT8) return body(Type<ScaledInt8>{});
  if (format == TSR_SCALED_INT4) return body(Type<ScaledInt4>{});
  return Status::unknown_format;
}

TESSERA_INLINE MaskView view(const tsr_mask& m) noexcept {
  return {m.f32,
          reinterpret_cast<const Float16*>(m.f16),
          m.heads,
          m.sequences,
          m.query_stride,
          m.head_stride,
          m.sequence_stride};
}
TESSERA_INLINE SequenceBatch view(const tsr_sequence_batch& s) noexcept {
  return {s.count,
          s.q_stride,
          s.k_stride,
          s.v_stride,
          s.out_stride,
          s.gate_stride,
          {s.key_lengths, s.key_length_count},
          {s.offsets, s.offset_count}};
}
TESSERA_INLINE PageTable view(const tsr_page_table& p) noexcept {
  return {p.page_tokens, {p.table, p.table_count}, p.pages_per_sequence, p.pages, p.k_stride,
          p.v_stride};
}
TESSERA_INLINE Query query(tsr_query q) noexcept {
  return q == TSR_QUERY_FULL ? Query::full : Query::quantized;
}

/// What is the same over rows and over a cache.
template <class Args>
TESSERA_INLINE void take_attention(Args& args, const tsr_attention_args& c) noexcept {
  args.q = view(c.q), args.out = view(c.out);
  args.scale = c.scale, args.soft_cap = c.soft_cap;
  args.causal = c.causal != 0, args.causal_offset = c.causal_offset;
  args.query = query(c.query);
  args.before = c.before, args.after = c.after;
  args.mask = view(c.mask);
  args.slopes = {c.slopes, c.slope_count}, args.sinks = {c.sinks, c.sink_count};
  args.gate = view(c.gate), args.log_sum_exp = view(c.log_sum_exp);
  args.sequences = view(c.sequences);
  args.workspace = view(c.workspace);
}

/// The arguments of the C++ interface.
template <class K, class V>
AttentionArgs<K, V> attention_args(const tsr_attention_args& c) noexcept {
  AttentionArgs<K, V> args = {};
  take_attention(args, c);
  args.k = view_as<typename K::Block>(c.k), args.v = view_as<typename V::Block>(c.v);
  args.pages = view(c.pages);
  args.k_scales = {c.k_scales, c.k_scale_count}, args.v_scales = {c.v_scales, c.v_scale_count};
  return args;
}

static_assert(sizeof(tsr_kv_held) == sizeof(KvHeld) &&
              offsetof(tsr_kv_held, end) == offsetof(KvHeld, end));
TESSERA_INLINE std::span<const KvHeld> view(const tsr_kv_held* held, std::size_t count) noexcept {
  return {reinterpret_cast<const KvHeld*>(held), count};
}
TESSERA_INLINE KvShape kv_shape(const tsr_kv_cache& c) noexcept {
  return {c.sequences, c.key_heads, c.capacity, c.dk, c.dv};
}

template <class T>
KvAttentionArgs<T> kv_attention_args(const tsr_attention_args& c) noexcept {
  KvAttentionArgs<T> args = {};
  take_attention(args, c);
  args.cache = {bytes(static_cast<const void*>(c.cache.memory), c.cache.bytes), kv_shape(c.cache)};
  args.held = view(c.held, c.held_count);
  return args;
}

/// Calls body(Type<T>{}) for a tile that caches can have; zeros: the one B reads in place.
template <class B, class Body>
[[nodiscard]] Status with_kv_tile(const tsr_tile& tile, Body&& body) {
  using Own = kv_tile<B>;
  using Tiles = all_int8_tiles::append<tile::floats64>;  // the last one is rvv's for keys
  static_assert(Tiles::has<Own>);
  tsr_tile wanted = tile;
  if ((tile.m | tile.n | tile.k) == 0) wanted = {Own::m, Own::n, Own::k};
  Status status = Status::packed_tile;
  Tiles::for_each([&]<class T>(Type<T> type) {
    if constexpr (attention_block % T::n == 0 && 32 % T::k == 0) {
      if (T::m == wanted.m && T::n == wanted.n && T::k == wanted.k) status = body(type);
    }
  });
  return status;
}

template <class B>
Status call(const tsr_kv_append_args& c, const Request& r) noexcept {
  return with_kv_tile<B>(c.cache.tile, [&]<class T>(Type<T>) {
    return with_element(c.type, [&]<class A>(Type<A>) {
      const KvAppendArgs<T, A> args = {{bytes(c.cache.memory, c.cache.bytes), kv_shape(c.cache)},
                                       view_as<A>(c.k),
                                       view_as<A>(c.v),
                                       view(c.held, c.held_count),
                                       {c.counts, c.count_count},
                                       c.k_stride,
                                       c.v_stride};
      return answer<B>(
          args, r, [](const auto& a, std::size_t, UnitRange range) { return kv_append(a, range); });
    });
  });
}

/// attention() with its formats as values: what a pair of formats makes of the arguments.
template <class B>
struct Attention {
  Status status;
  detail::AttentionProblem problem;
  detail::CacheReaders readers;

  friend Status check(const Attention& a) noexcept { return a.status; }
  friend std::size_t units(const Attention& a) noexcept {
    return a.problem.sequences.count * a.problem.key_heads * a.problem.query_tiles();
  }
  friend WorkspaceSize workspace_size(const Attention& a) noexcept {
    return detail::attention_workspace(a.problem, a.readers.products);
  }
  Status run(UnitRange range) const noexcept {
    if (status != Status::ok) return status;
    if (const Status s = detail::check_range(range, units(*this)); s != Status::ok) return s;
    detail::attend<B>(problem, readers, range, {}, nullptr);
    return Status::ok;
  }
};

template <class K, class V, class B>
void erase(const AttentionArgs<K, V>& args, Attention<B>& out) noexcept {
  out = {check<B>(args), detail::problem_of(args), detail::cache_readers<B, K, V>(args.query)};
}

/// Looks up the formats. Nothing of `out` means anything where this refuses.
template <class B>
[[nodiscard]] Status find_attention(const tsr_attention_args& c, Attention<B>& out) noexcept {
  if (c.query > TSR_QUERY_FULL) return Status::unknown_choice;
  if (c.cache.memory != nullptr)
    return with_kv_tile<B>(c.cache.tile, [&]<class T>(Type<T>) {
      erase(kv_attention_args<T>(c), out);
      return Status::ok;
    });
  const auto erased = [&]<class K, class V>(Type<K>, Type<V>) {
    erase(attention_args<K, V>(c), out);
    return Status::ok;
  };
  if (c.k_format == TSR_SCALED_INT8 || c.k_format == TSR_SCALED_INT4)
    return with_scaled_codes(c.k_format, [&](auto k) {
      return with_scaled_codes(c.v_format, [&](auto v) { return erased(k, v); });
    });
  return with_cache_format(c.k_format, [&](auto k) {
    return with_cache_format(c.v_format, [&](auto v) { return erased(k, v); });
  });
}

template <class B>
Status call(const tsr_attention_args& c, const Request& r) noexcept {
  Attention<B> a;
  if (const Status s = find_attention(c, a); s != Status::ok) return s;
  return answer<B>(a, r,
                   [](const auto& of, std::size_t, UnitRange range) { return of.run(range); });
}

/// attention_blocks().
template <class B>
Status blocks(const tsr_attention_args& c, KeyRange keys, std::span<float> partials,
              UnitRange range) noexcept {
  Attention<B> a;
  if (const Status s = find_attention(c, a); s != Status::ok) return s;
  if (a.status != Status::ok) return a.status;
  detail::BlockRange cut;
  if (const Status s = detail::blocks_of(a.problem, keys, cut); s != Status::ok) return s;
  if (partials.size() < detail::partial_floats(a.problem, cut.count))
    return Status::workspace_too_small;
  if (detail::misaligned(partials.data())) return Status::misaligned;
  if (const Status s = detail::check_partials(a.problem, partials); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(a)); s != Status::ok) return s;
  const detail::BlockPartials to = {partials.data(), cut.first, cut.count};
  if (cut.count != 0) detail::attend<B>(a.problem, a.readers, range, keys, &to);
  return Status::ok;
}

/// partial_size(): shapes alone, whatever the formats.
template <class B>
Status partial_size(const tsr_attention_args& c, KeyRange keys, std::size_t* floats) noexcept {
  if (floats == nullptr) return Status::null_pointer;
  Attention<B> a;
  if (const Status s = find_attention(c, a); s != Status::ok) return s;
  detail::BlockRange cut;
  const bool refused = detail::blocks_of(a.problem, keys, cut) != Status::ok;
  *floats = refused ? 0 : detail::partial_floats(a.problem, cut.count);
  return Status::ok;
}

/// Most parts of one merge: they are copied onto the stack.
inline constexpr std::size_t most_parts = 64;

/// attention_merge().
template <class B>
Status merge(const tsr_attention_args& c, const tsr_attention_part* parts, std::size_t count,
             UnitRange range) noexcept {
  if (parts == nullptr && count != 0) return Status::null_pointer;
  if (count > most_parts) return Status::shape_too_large;
  Attention<B> a;
  if (const Status s = find_attention(c, a); s != Status::ok) return s;
  if (a.status != Status::ok) return a.status;
  AttentionPart copies[most_parts];
  for (std::size_t i = 0; i < count; ++i)
    copies[i] = {{parts[i].key_begin, parts[i].key_end}, {parts[i].partials, parts[i].floats}};
  const std::span<const AttentionPart> all(copies, count);
  if (const Status s = detail::check_parts(a.problem, all); s != Status::ok) return s;
  for (const AttentionPart& part : all)
    if (const Status s = detail::check_apart_from_outputs(a.problem, part.partials);
        s != Status::ok)
      return s;
  const std::size_t rows = a.problem.sequences.count * a.problem.q.heads * a.problem.q.tokens;
  if (const Status s = detail::check_range(range, rows); s != Status::ok) return s;
  detail::merge_parts<B>(a.problem, all, range);
  return Status::ok;
}

template <class B>
Status call(const tsr_scores_args& c, const Request& r) noexcept {
  if (c.query > TSR_QUERY_FULL) return Status::unknown_choice;
  return with_cache_format(c.k_format, [&]<class K>(Type<K>) {
    const ScoresArgs<K> args = {view(c.q),         view_as<typename K::Block>(c.k),
                                view(c.out),       c.scale,
                                c.transposed != 0, view(c.workspace),
                                query(c.query)};
    return answer<B>(
        args, r, [](const auto& a, std::size_t, UnitRange range) { return scores<B>(a, range); });
  });
}

template <class B>
Status call(const tsr_hadamard_args& c, const Request& r) noexcept {
  return answer<B>(
      HadamardArgs{view(c.x), view(c.y), c.block, view(c.workspace)}, r,
      [](const auto& a, std::size_t, UnitRange range) { return hadamard<B>(a, range); });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_ATTENTION_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A cache of keys and values that attention reads without re-arranging: kv_append() puts tokens where a
/// tile wants them, KvAttentionArgs (attention.hpp) attends to them.
///
/// Exactness class: `exact`. Definition: what is stored is the q8_0 block of each 32 elements, by that
/// format's published rule (formats/q8_0.hpp), so attention has the bits it has over q8_0 rows, on every
/// backend and for every tile. A block that holds a NaN or an infinity becomes a NaN scale with codes 0.
/// Layout: KvCache. Every backend reads every tile's; the one whose order it is, B::KeyAtom::tile,
/// without moving keys.
#ifndef TESSERA_KV_CACHE_HPP_
#define TESSERA_KV_CACHE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/checks.hpp"
#include "tessera/kernels/attention/kv_cache.hpp"
#include "tessera/kernels/kv_append/kv_append.hpp"

TESSERA_NAMESPACE_BEGIN

/// Appends the tokens of `k` (Hkv x n x Dk) and `v` (Hkv x n x Dv) of A: float, Float16 or BFloat16. `held`
/// says per sequence which tokens are there already; the first new one has position held.end, and
/// afterwards kv_held_after(held, tokens, capacity) are there. Beyond the capacity the oldest are
/// replaced; of more new tokens than the capacity the last ones stay. Sequences of unequal length:
/// `counts`, each at most n. To drop the last tokens of a sequence, lower held.end; to empty it, {0, 0}.
template <class T, class A = float>
struct KvAppendArgs {
  KvCache<T, std::byte> cache;
  HeadView<const A> k;
  HeadView<const A> v;
  std::span<const KvHeld> held;
  std::span<const std::int32_t> counts = {};  ///< tokens of each sequence; empty: all of k
  std::ptrdiff_t k_stride = 0;                ///< between sequences, in elements
  std::ptrdiff_t v_stride = 0;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// The tile whose order backend B reads in place.
template <class B = default_backend>
using kv_tile = typename B::KeyAtom::tile;

/// One unit per sequence and key head, heads fastest.
template <class T, class A>
[[nodiscard]] TESSERA_INLINE std::size_t units(const KvAppendArgs<T, A>& args) noexcept {
  return args.cache.shape.sequences * args.cache.shape.key_heads;
}

/// Reads no data but ranges and counts. Errors: empty_shape, group_multiple (Dk, Dv), null_pointer,
/// shape_too_large, cache_too_small, misaligned (the cache to workspace_alignment), shape_mismatch (k, v
/// and the cache; ranges or counts of another number), position_range (a range that the cache cannot
/// hold, a count beyond k's tokens), overlap (the cache and an operand), control_register.
template <class T, class A>
[[nodiscard]] Status check(const KvAppendArgs<T, A>& args) noexcept {
  const KvShape& shape = args.cache.shape;
  if (const Status s = detail::check_kv_cache(args.cache); s != Status::ok) return s;
  const detail::ByteGrid operands[] = {detail::grid_of(args.k, shape.sequences, args.k_stride),
                                       detail::grid_of(args.v, shape.sequences, args.v_stride),
                                       detail::grid_of(args.held), detail::grid_of(args.counts)};
  if (const Status s = detail::check_cache(args.k, operands[0], args.k_stride); s != Status::ok)
    return s;
  if (const Status s = detail::check_cache(args.v, operands[1], args.v_stride); s != Status::ok)
    return s;
  if (args.k.heads != shape.key_heads || args.v.heads != shape.key_heads ||
      args.k.dim != shape.dk || args.v.dim != shape.dv || args.k.tokens != args.v.tokens ||
      (!args.counts.empty() && args.counts.size() != shape.sequences))
    return Status::shape_mismatch;
  if (const Status s = detail::check_held(shape, args.held); s != Status::ok) return s;
  if (args.k.tokens > detail::kv_most_tokens) return Status::shape_too_large;
  for (std::size_t i = 0; i < shape.sequences; ++i) {
    const std::size_t n = args.k.tokens;
    if (!args.counts.empty() &&
        (args.counts[i] < 0 || static_cast<std::size_t>(args.counts[i]) > n))
      return Status::position_range;
    const std::size_t count = args.counts.empty() ? n : static_cast<std::size_t>(args.counts[i]);
    if (args.held[i].end + count > detail::kv_most_tokens) return Status::position_range;
  }
  const detail::ByteGrid memory = detail::grid_of(args.cache.memory);
  for (const detail::ByteGrid& operand : operands)
    if (memory.touches(operand)) return Status::overlap;
  return detail::check_control();
}

/// Units `range`; any units on any thread. Errors: those of check(args), bad_unit_range.
template <class T, class A>
[[nodiscard]] Status kv_append(const KvAppendArgs<T, A>& args, UnitRange range) noexcept {
  if (const Status s = check(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const detail::KvLayout layout(args.cache.shape);
  const std::size_t slots = layout.ring * attention_block;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t sequence = u / layout.heads;
    const std::size_t head = u % layout.heads;
    const auto place = static_cast<std::ptrdiff_t>(sequence);
    const std::size_t n =
        args.counts.empty() ? args.k.tokens : static_cast<std::size_t>(args.counts[sequence]);
    for (std::size_t i = n > slots ? n - slots : 0; i < n; ++i) {
      const std::size_t token = args.held[sequence].end + i;
      detail::store_kv_token<T>(layout, args.cache.memory.data() + layout.at(sequence, head, token),
                                token % attention_block,
                                args.k.row(head, i) + place * args.k_stride,
                                args.v.row(head, i) + place * args.v_stride);
    }
  }
  return Status::ok;
}

/// All sequences and heads. Errors: those of check(args).
template <class T, class A>
[[nodiscard]] Status kv_append(const KvAppendArgs<T, A>& args) noexcept {
  return kv_append(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KV_CACHE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A cache of keys and values in the order that a tile reads them: its shape, its bytes, and where a
/// token lies.
#ifndef TESSERA_KERNELS_ATTENTION_KV_CACHE_HPP_
#define TESSERA_KERNELS_ATTENTION_KV_CACHE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_NAMESPACE_BEGIN

/// Sizes of a cache. Dk and Dv are multiples of 32; `capacity`, tokens that a sequence holds, is rounded
/// up to whole attention_blocks.
struct KvShape {
  std::size_t sequences = 1;
  std::size_t key_heads = 0;
  std::size_t capacity = 0;
  std::size_t dk = 0;
  std::size_t dv = 0;
};

/// Keys and values of sequences x key heads x tokens, with the values of format::q8_0, in the order that
/// tile T (Tile<M, N, K>) reads them; kv_cache_size() bytes, aligned to workspace_alignment, of the
/// caller. Position-independent; needs no initialisation, for what was not appended is never used.
///
/// Token t of a sequence lies in slot t % capacity: a ring, in which new tokens replace the oldest. Slots
/// come in blocks of attention_block, one after another, head by head, sequence by sequence. A block
/// holds, for G = Dk / 32 groups:
/// - the codes of its keys in panels of N keys: [panel][G][32 / K][N][K];
/// - their f16 scales: [G][attention_block];
/// - the values in strips of 128 elements (the last may have 32, 64 or 96), per strip of E elements the
///   codes [attention_block][E] and then the f16 scales [attention_block][E / 32].
/// That is 34 bytes per 32 elements, as in rows of q8_0.
template <class T, class Byte = const std::byte>
struct KvCache {
  static_assert(attention_block % T::n == 0 && 32 % T::k == 0);
  std::span<Byte> memory = {};
  KvShape shape = {};

  /// What is appended to is then read.
  TESSERA_INLINE constexpr operator KvCache<T>() const noexcept
    requires(!std::is_const_v<Byte>)
  {
    return {memory, shape};
  }
};

/// In place of a storage format: keys and values are those of a KvCache<T>.
template <class T>
struct KvTiles {
  using tile = T;
  static constexpr bool is_kv_cache = true;
};

/// What a sequence holds after `count` more tokens were appended.
[[nodiscard]] TESSERA_INLINE constexpr KvHeld kv_held_after(KvHeld held, std::size_t count,
                                                            std::size_t capacity) noexcept {
  const std::size_t room = internal::round_up(capacity, attention_block);
  const std::size_t end = held.end + count;
  return {end - held.begin > room ? end - room : held.begin, end};
}

namespace internal {

/// Elements of a strip of values.
inline constexpr std::size_t kv_strip = 128;
/// Positions are counted below this.
inline constexpr std::size_t kv_most_tokens = std::size_t{1} << 48;

/// Offsets in bytes. Precondition: a shape that check_kv_shape() accepts.
struct KvLayout {
  std::size_t heads;
  std::size_t ring;  ///< blocks of a sequence
  std::size_t dk;
  std::size_t dv;

  TESSERA_INLINE constexpr explicit KvLayout(const KvShape& s) noexcept
      : heads(s.key_heads), ring(div_up(s.capacity, attention_block)), dk(s.dk), dv(s.dv) {}

  /// Of so many elements of a block's tokens.
  TESSERA_INLINE static constexpr std::size_t bytes_of(std::size_t elements) noexcept {
    return attention_block * (elements / 32 * 34);
  }
  TESSERA_INLINE constexpr std::size_t key_scales() const noexcept { return attention_block * dk; }
  TESSERA_INLINE constexpr std::size_t values() const noexcept { return bytes_of(dk); }
  TESSERA_INLINE constexpr std::size_t block() const noexcept { return bytes_of(dk + dv); }
  TESSERA_INLINE constexpr std::size_t head() const noexcept { return ring * block(); }
  TESSERA_INLINE constexpr std::size_t sequence() const noexcept { return heads * head(); }
  /// Of the block that holds a token.
  TESSERA_INLINE constexpr std::size_t at(std::size_t sequence_index, std::size_t head_index,
                                          std::size_t token) const noexcept {
    return sequence_index * sequence() + head_index * head() +
           token / attention_block % ring * block();
  }
};

/// Its size in bytes, too.
[[nodiscard]] TESSERA_INLINE constexpr Status check_kv_shape(const KvShape& s,
                                                             std::size_t& bytes) noexcept {
  bytes = 0;
  if (s.sequences == 0 || s.key_heads == 0 || s.capacity == 0 || s.dk == 0 || s.dv == 0)
    return Status::empty_shape;
  if (s.dk % 32 != 0 || s.dv % 32 != 0) return Status::group_multiple;
  constexpr std::size_t most = std::size_t{1} << 40;
  if (s.dk > most || s.dv > most || s.capacity > kv_most_tokens) return Status::shape_too_large;
  std::size_t n = KvLayout::bytes_of(s.dk + s.dv);
  if (__builtin_mul_overflow(n, div_up(s.capacity, attention_block), &n) ||
      __builtin_mul_overflow(n, s.key_heads, &n) || __builtin_mul_overflow(n, s.sequences, &n) ||
      n > static_cast<std::size_t>(PTRDIFF_MAX))
    return Status::shape_too_large;
  bytes = n;
  return Status::ok;
}

template <class T, class Byte>
[[nodiscard]] TESSERA_INLINE Status check_kv_cache(const KvCache<T, Byte>& cache) noexcept {
  std::size_t bytes = 0;
  if (const Status s = check_kv_shape(cache.shape, bytes); s != Status::ok) return s;
  if (cache.memory.data() == nullptr) return Status::null_pointer;
  if (cache.memory.size() < bytes) return Status::cache_too_small;
  const bool off = reinterpret_cast<std::uintptr_t>(cache.memory.data()) % workspace_alignment != 0;
  return off ? Status::misaligned : Status::ok;
}

/// One range per sequence, of no more tokens than the ring has slots.
[[nodiscard]] TESSERA_INLINE Status check_held(const KvShape& shape,
                                               std::span<const KvHeld> held) noexcept {
  if (held.size() != shape.sequences) return Status::shape_mismatch;
  const std::size_t slots = round_up(shape.capacity, attention_block);
  for (const KvHeld& h : held)
    if (h.begin > h.end || h.end - h.begin > slots || h.end > kv_most_tokens)
      return Status::position_range;
  return Status::ok;
}

/// Where the codes of key `key` of a block lie for tile T, group `group` of `groups`, k step `step`.
template <class T>
TESSERA_INLINE std::size_t kv_key_codes(std::size_t groups, std::size_t key, std::size_t group,
                                        std::size_t step) noexcept {
  return ((key / T::n * groups + group) * 32 + step * T::k) * T::n + key % T::n * T::k;
}

/// Calls body(first element, elements, offset of the codes, offset of the scales) for the strips of values
/// of `dim` elements.
template <class Body>
TESSERA_INLINE void for_strips(std::size_t dim, Body&& body) noexcept {
  for (std::size_t e = 0; e < dim; e += kv_strip) {
    const std::size_t n = dim - e < kv_strip ? dim - e : kv_strip;
    const std::size_t codes = KvLayout::bytes_of(e);
    body(e, n, codes, codes + attention_block * n);
  }
}

}  // namespace internal

/// Bytes of a cache; 0 where the shape is refused.
[[nodiscard]] TESSERA_INLINE constexpr std::size_t kv_cache_size(const KvShape& shape) noexcept {
  std::size_t bytes = 0;
  (void)internal::check_kv_shape(shape, bytes);
  return bytes;
}

/// Sequences [first, first + count) of a cache. Precondition: that there are so many.
template <class T, class Byte>
[[nodiscard]] TESSERA_INLINE constexpr KvCache<T, Byte> kv_sequences(const KvCache<T, Byte>& cache,
                                                                     std::size_t first,
                                                                     std::size_t count) noexcept {
  KvCache<T, Byte> part = cache;
  part.shape.sequences = count;
  const std::size_t one = internal::KvLayout(cache.shape).sequence();
  part.memory = cache.memory.subspan(first * one, count * one);
  return part;
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_KV_CACHE_HPP_

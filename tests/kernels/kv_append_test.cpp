// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The cache in tiles: what kv_append stores and where, and refusals. Attention over it: attention_tiles_test.cpp.
#include "tests/reference/kv_append.hpp"

#include <cstring>

#include "tessera/kv_cache.hpp"
#include "tests/kernels/kv_problem.hpp"

namespace tessera_test {
namespace {

using tessera::KvHeld;

float value_at(const std::byte* memory, const reference::KvPlace& at) {
  tessera::Float16 d;
  std::memcpy(&d, memory + at.scale, sizeof d);
  return tessera::to_float(d) * static_cast<float>(static_cast<std::int8_t>(memory[at.code]));
}

/// Every element of every tile's layout, a ring that wraps, sequences of unequal length, and no byte else.
TEST(KvAppend, EveryElementInItsPlace) {
  tessera::all_int8_tiles::for_each([]<class T>(tessera::Type<T>) {
    if constexpr (tessera::attention_block % T::n == 0) {
      const tessera::KvShape shape{3, 2, 100, 64, 160};
      const Heads k = std::move(Heads(6, 150, 64, {true, 3}).fill_with(1));
      const Heads v = std::move(Heads(6, 150, 160).fill_with(2));
      KvMemory<T> m(shape);
      append_all(m, k, v, {150, 0, 1}, 37);
      ASSERT_EQ(m.held[0].begin, 22u);
      ASSERT_EQ(m.held[0].end, 150u);
      const reference::KvPlaces places{T::n, T::k, 2, 128, 64, 160};
      std::vector<bool> written(m.bytes.size());
      const auto compare = [&](const Heads& x, std::size_t s, std::size_t h, std::size_t t,
                               auto&& place) {
        std::vector<float> got;
        reference::Expected want;
        for (std::size_t d = 0; d < x.dim(); ++d) {
          const auto at = place(s, h, t, d);
          got.push_back(value_at(m.bytes.data(), at));
          written[at.code] = written[at.scale] = written[at.scale + 1] = true;
          if (d % 32 == 0) reference::q8_0_block(x.row(s * 2 + h, t) + d, want);
        }
        ASSERT_TRUE(matches(got, want)) << T::n << " " << s << " " << h << " " << t;
      };
      for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t t = m.held[s].begin; t < m.held[s].end; ++t) {
            compare(k, s, h, t, [&](auto... i) { return places.key(i...); });
            compare(v, s, h, t, [&](auto... i) { return places.value(i...); });
          }
      for (std::size_t i = 0; i < m.bytes.size(); ++i)
        ASSERT_TRUE(written[i] || m.bytes[i] == std::byte{0xff}) << T::n << " " << i;
    }
  });
}

/// The last of more tokens than there is room for; f16 and bf16 like the floats they stand for.
TEST(KvAppend, MoreThanTheCapacityAndHalves) {
  using T = tessera::tile::ime1_int8;
  const tessera::KvShape shape{1, 1, 64, 32, 32};
  Heads x = std::move(Heads(1, 200, 32).fill_with(3));
  std::vector<tessera::Float16> half;
  std::vector<tessera::BFloat16> brain;
  for (std::size_t t = 0; t < 200; ++t)
    for (std::size_t d = 0; d < 32; ++d) {
      float& f = x.row(0, t)[d];
      f = tessera::to_float(tessera::to_bfloat16(tessera::to_float(tessera::to_float16(f))));
      half.push_back(tessera::to_float16(f)), brain.push_back(tessera::to_bfloat16(f));
    }
  KvMemory<T> want(shape);
  append_all(want, x, x, {200}, 7);
  const auto same = [&]<class A>(const A* data) {
    KvMemory<T> m(shape);
    const tessera::HeadView<const A> view{data, 1, 200, 32, 0, 32};
    ASSERT_EQ(tessera::kv_append(tessera::KvAppendArgs<T, A>{m.cache(), view, view, m.held}),
              Status::ok);
    ASSERT_EQ(std::memcmp(m.bytes.data(), want.bytes.data(), m.bytes.size()), 0);
  };
  same(static_cast<const float*>(x.row(0, 0)));
  same(half.data());
  same(brain.data());
  EXPECT_EQ(tessera::kv_held_after({3, 60}, 200, 64).begin, 196u);
  EXPECT_EQ(tessera::kv_held_after({3, 60}, 7, 64).begin, 3u);
}

TEST(KvAppend, Refused) {
  using T = tessera::tile::ime2_int8;
  const tessera::KvShape shape{2, 3, 100, 64, 32};
  Heads k(6, 5, 64, {false, 1}), v(6, 5, 32);
  KvMemory<T> m(shape);
  std::vector<std::int32_t> counts{5, 4};
  tessera::KvAppendArgs<T> a;
  const auto restore = [&] {
    m.shape = shape;
    m.held = {{0, 0}, {40, 168}};
    counts = {5, 4};
    a = {m.cache(), k.input(), v.input(), m.held, counts};
    a.k.heads = a.v.heads = 3;
    a.k_stride = 3 * a.k.head_stride, a.v_stride = 3 * a.v.head_stride;
  };
  const auto refused = [&](Status want) {
    EXPECT_EQ(tessera::check(a), want);
    EXPECT_EQ(tessera::kv_append(a), want);
    EXPECT_EQ(tessera::kv_append(a, {0, 1}), want);
    for (const std::byte b : m.bytes) ASSERT_EQ(b, std::byte{0xff});
    restore();
  };
  restore();
  ASSERT_EQ(tessera::check(a), Status::ok);
  ASSERT_EQ(tessera::kv_append(a, {5, 7}), Status::bad_unit_range);
  for (std::size_t tessera::KvShape::* of :
       {&tessera::KvShape::sequences, &tessera::KvShape::key_heads, &tessera::KvShape::capacity,
        &tessera::KvShape::dk, &tessera::KvShape::dv}) {
    a.cache.shape.*of = 0;
    ASSERT_EQ(tessera::kv_cache_size(a.cache.shape), 0u);
    refused(Status::empty_shape);
    a.cache.shape.*of = std::size_t{1} << 62;
    ASSERT_EQ(tessera::kv_cache_size(a.cache.shape), 0u);
    refused(Status::shape_too_large);
  }
  a.cache.shape.dv = 33;
  refused(Status::group_multiple);
  a.cache.memory = {};
  refused(Status::null_pointer);
  a.cache.memory = a.cache.memory.first(a.cache.memory.size() - 1);
  refused(Status::cache_too_small);
  a.cache.shape.capacity = 64;
  a.cache.memory = a.cache.memory.subspan(32);
  refused(Status::misaligned);
  a.k.data = nullptr;
  refused(Status::null_pointer);
  a.v.data = shifted(a.v.data, 1);
  refused(Status::misaligned);
  a.k_stride = PTRDIFF_MAX;
  refused(Status::shape_too_large);
  for (auto* view : {&a.k, &a.v}) {
    view->heads = 2;
    refused(Status::shape_mismatch);
    view->tokens = 4;
    refused(Status::shape_mismatch);
    view->dim = 96;
    refused(Status::shape_mismatch);
  }
  a.counts = a.counts.first(1);
  refused(Status::shape_mismatch);
  a.held = a.held.first(1);
  refused(Status::shape_mismatch);
  for (const std::int32_t count : {-1, 6}) {
    counts[1] = count;
    refused(Status::position_range);
  }
  for (const KvHeld held : {KvHeld{2, 1}, KvHeld{0, 129}, KvHeld{SIZE_MAX - 9, SIZE_MAX - 8}}) {
    m.held[0] = held;
    refused(Status::position_range);
  }
  a.k.data = reinterpret_cast<const float*>(m.bytes.data());
  refused(Status::overlap);
  a.held = {reinterpret_cast<const KvHeld*>(m.bytes.data() + 64), 2};
  m.bytes.fill_bytes(0);  // two empty ranges
  EXPECT_EQ(tessera::kv_append(a), Status::overlap);
}

}  // namespace
}  // namespace tessera_test

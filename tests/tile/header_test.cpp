// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A packed image says what it is, and nothing else is accepted: every field of the header, every
// truncation, every misalignment has its Status.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tessera/tile/packing.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/random.hpp"
#include "tests/tile/layouts.hpp"

namespace {

using namespace tessera_test;
using tessera::PackedHeader;
using tessera::Status;

static_assert(offsetof(PackedHeader, magic) == 0 && offsetof(PackedHeader, version) == 8 &&
              offsetof(PackedHeader, format) == 12 && offsetof(PackedHeader, tile) == 16 &&
              offsetof(PackedHeader, reserved) == 22 && offsetof(PackedHeader, n) == 24 &&
              offsetof(PackedHeader, k) == 32 && offsetof(PackedHeader, panel) == 40 &&
              offsetof(PackedHeader, bytes) == 48 && offsetof(PackedHeader, zero) == 56);

/// An image of 2 * n + 3 rows and two groups.
struct Packed {
  explicit Packed(const Layout& l)
      : layout(l), n(2 * l.n + 3), k(2 * l.format.group), image(l.image(n, k)) {
    Random r(1);
    EXPECT_EQ(StoredWeights(l.format, n, k, r).pack(l, image.span()), Status::ok);
  }
  /// check() after one change of the header, which is then undone.
  template <class Change>
  Status check_after(Change change) {
    PackedHeader h;
    std::memcpy(&h, image.data(), sizeof h);
    const PackedHeader saved = h;
    change(h);
    std::memcpy(image.data(), &h, sizeof h);
    const Status s = layout.check(image.span(), n, k);
    std::memcpy(image.data(), &saved, sizeof saved);
    return s;
  }

  const Layout& layout;
  std::size_t n;
  std::size_t k;
  GuardedBuffer<std::byte> image;
};

TEST(PackedHeaders, MagicVersionAndFormatAreVerified) {
  using H = PackedHeader;
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    Packed p(layout);
    EXPECT_EQ(p.check_after([](H&) {}), Status::ok);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(p.check_after([i](H& h) { h.magic[i] ^= 0x20; }), Status::packed_magic) << i;
    for (const std::uint32_t version : {0u, 2u, 0x01000000u, 0xffffffffu})
      EXPECT_EQ(p.check_after([=](H& h) { h.version = version; }), Status::packed_version);
    for (int bit = 0; bit < 32; ++bit) {
      const auto id = static_cast<tessera::FormatId>(layout.format.id ^ (1u << bit));
      EXPECT_EQ(p.check_after([=](H& h) { h.format = id; }), Status::packed_format) << bit;
    }
  }
}

TEST(PackedHeaders, TileAndShapeAreVerified) {
  using H = PackedHeader;
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    Packed p(layout);
    for (const int bit : {0, 1, 4, 15}) {
      const auto flip = static_cast<std::uint16_t>(1u << bit);
      EXPECT_EQ(p.check_after([=](H& h) { h.tile.m ^= flip; }), Status::packed_tile);
      EXPECT_EQ(p.check_after([=](H& h) { h.tile.n ^= flip; }), Status::packed_tile);
      EXPECT_EQ(p.check_after([=](H& h) { h.tile.k ^= flip; }), Status::packed_tile);
    }
    for (const int bit : {0, 1, 5, 31, 32, 63}) {
      const std::uint64_t flip = std::uint64_t{1} << bit;
      EXPECT_EQ(p.check_after([=](H& h) { h.n ^= flip; }), Status::packed_shape) << bit;
      EXPECT_EQ(p.check_after([=](H& h) { h.k ^= flip; }), Status::packed_shape) << bit;
      EXPECT_EQ(p.check_after([=](H& h) { h.panel ^= flip; }), Status::packed_shape) << bit;
      EXPECT_EQ(p.check_after([=](H& h) { h.bytes ^= flip; }), Status::packed_shape) << bit;
    }
  }
}

TEST(PackedHeaders, TheShapeAskedForMustBeTheOnePacked) {
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const Packed p(layout);
    const auto check = [&](std::size_t n, std::size_t k) {
      return layout.check(p.image.span(), n, k);
    };
    EXPECT_EQ(check(p.n, p.k), Status::ok);
    for (const std::size_t n : {std::size_t{0}, p.n - 1, p.n + 1, SIZE_MAX})
      EXPECT_EQ(check(n, p.k), Status::packed_shape) << n;
    for (const std::size_t k : {std::size_t{0}, p.k - 1, p.k + 1, SIZE_MAX})
      EXPECT_EQ(check(p.n, k), Status::packed_shape) << k;
    EXPECT_EQ(check(p.k, p.n), p.n == p.k ? Status::ok : Status::packed_shape);
  }
}

TEST(PackedHeaders, EveryOtherFormatAndTileIsRefused) {
  const auto layouts = all_layouts();
  for (const Layout& layout : layouts) {
    const Packed p(layout);
    for (const Layout& other : layouts) {
      const Status want = other.format.id != layout.format.id ? Status::packed_format
                          : other.same_tile(layout)           ? Status::ok
                                                              : Status::packed_tile;
      EXPECT_EQ(other.check(p.image.span(), p.n, p.k), want)
          << layout.text() << " as " << other.text();
    }
  }
}

TEST(PackedHeaders, TruncatedImages) {
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const Packed p(layout);
    for (std::size_t size = 0; size < p.image.size(); size += size < 130 ? 1 : size / 8 | 1) {
      // What is not there must not be read: the last bytes lie against a forbidden page.
      const std::size_t kept = aligned(size, 64);
      GuardedBuffer<std::byte> image(kept);
      std::memcpy(image.data(), p.image.data(), kept);
      EXPECT_EQ(layout.check(image.span().first(size), p.n, p.k), Status::packed_too_small) << size;
    }
    GuardedBuffer<std::byte> longer(p.image.size() + 64);
    std::memcpy(longer.data(), p.image.data(), p.image.size());
    EXPECT_EQ(layout.check(longer.span(), p.n, p.k), Status::ok);
  }
}

TEST(PackedHeaders, OnlyTheHeaderIsRead) {
  for (const Layout& layout : all_layouts()) {
    const Packed p(layout);
    GuardedBuffer<std::byte> header(sizeof(PackedHeader));
    std::memcpy(header.data(), p.image.data(), sizeof(PackedHeader));
    EXPECT_EQ(layout.check({header.data(), p.image.size()}, p.n, p.k), Status::ok);
  }
}

TEST(PackedHeaders, NullAndMisalignedImages) {
  Random r(2);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 1;
    const std::size_t k = layout.format.group;
    const StoredWeights w(layout.format, n, k, r);
    const std::size_t size = layout.packed_size(n, k);
    GuardedBuffer<std::byte> memory(size + 64, Guard::front);
    for (const std::size_t off : {1, 2, 4, 8, 16, 32, 33, 63}) {
      const auto image = memory.span().subspan(off, size);
      EXPECT_EQ(w.pack(layout, image), Status::misaligned) << off;
      EXPECT_EQ(layout.check(image, n, k), Status::misaligned) << off;
    }
    EXPECT_TRUE(memory.untouched());
    EXPECT_EQ(w.pack(layout, {}), Status::null_pointer);
    EXPECT_EQ(layout.check({}, n, k), Status::null_pointer);
  }
}

TEST(PackedHeaders, UnpackingRefusesWhatCheckRefuses) {
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    Packed p(layout);
    const std::size_t row_bytes = layout.format.blocks_in(p.k) * layout.format.block_bytes;
    GuardedMatrix<std::byte> back(p.n, row_bytes);
    const auto unpack = [&](std::size_t n, std::byte* out, std::size_t stride) {
      return layout.unpack(p.image.span(), n, p.k, out, stride, {});
    };
    EXPECT_EQ(unpack(p.n + 1, back.row(0), row_bytes), Status::packed_shape);
    EXPECT_EQ(unpack(p.n, nullptr, row_bytes), Status::null_pointer);
    EXPECT_EQ(unpack(p.n, back.row(0), row_bytes - 1), Status::stride_too_small);
    p.image[0] = std::byte{0};
    EXPECT_EQ(unpack(p.n, back.row(0), row_bytes), Status::packed_magic);
    EXPECT_TRUE(back.untouched());
  }
}

}  // namespace

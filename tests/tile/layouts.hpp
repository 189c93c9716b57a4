// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// All pairs of a storage format and a tile that takes it, as values, so that tests are compiled once
/// and not once per pair; weights for them; and the packed layout written out a second time from its
/// description.
#ifndef TESSERA_TESTS_TILE_LAYOUTS_HPP_
#define TESSERA_TESTS_TILE_LAYOUTS_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/packing.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/random.hpp"

namespace tessera_test {

/// A storage format as values.
struct FormatEntry {
  const char* name;
  std::uint32_t id;
  bool is_float;
  bool has_minima;
  std::size_t group;
  std::size_t scale_group;
  std::size_t block_bytes;
  std::size_t header_bytes;  ///< 0 for floats, as the next two
  std::size_t code_bits;
  unsigned code_offset;
  float (*value)(const std::byte* element);                ///< of a float format
  void (*quantize)(const float* group, std::byte* block);  ///< one block by the format's rule
  void (*split)(const std::byte* block, std::uint8_t* codes, std::uint8_t* header);
  int (*level)(unsigned code);
  void (*scales)(const std::uint8_t* header, float* scale, float* minus_min);

  std::size_t blocks_in(std::size_t k) const { return (k + group - 1) / group; }
};

/// A block of a format of blocks taken apart.
struct BlockParts {
  std::vector<std::uint8_t> codes, header;
  std::vector<float> scale, minus_min;
  BlockParts(const FormatEntry& f, const std::byte* block)
      : codes(f.group),
        header(f.header_bytes),
        scale(f.group / f.scale_group),
        minus_min(f.group / f.scale_group) {
    f.split(block, codes.data(), header.data());
    f.scales(header.data(), scale.data(), minus_min.data());
  }
};

/// A format packed for a tile.
struct Layout {
  FormatEntry format;
  std::size_t m, n, k;  ///< of the tile
  std::size_t (*packed_size)(std::size_t n, std::size_t k);
  tessera::Status (*pack_blocks)(const std::byte* data, std::size_t n, std::size_t k,
                                 std::ptrdiff_t row_bytes, std::span<std::byte> image,
                                 tessera::RowRange range);
  tessera::Status (*pack_floats)(const tessera::MatrixView<const float>& w,
                                 std::span<std::byte> image, tessera::RowRange range);
  tessera::Status (*check)(std::span<const std::byte> image, std::size_t n, std::size_t k);
  tessera::Status (*unpack)(std::span<const std::byte> image, std::size_t n, std::size_t k,
                            std::byte* out, std::size_t row_bytes, tessera::RowRange range);

  std::string text() const {
    return std::string(format.name) + " for " + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(k);
  }
  bool same_tile(const Layout& o) const { return m == o.m && n == o.n && k == o.k; }

  /// Row counts at the tile's edges, and a prime.
  std::set<std::size_t> row_counts() const {
    std::set<std::size_t> counts = {1, n, n + 1, 2 * n + 3, 37};
    if (n > 1) counts.insert(n - 1);
    return counts;
  }
  /// Row lengths: 1..9 groups, for floats lengths that are no multiple of anything.
  std::vector<std::size_t> row_lengths() const {
    if (format.is_float) return {1, 2, 3, 7, 16, 31, 32, 33, 70};
    std::vector<std::size_t> lengths;
    for (std::size_t blocks = 1; blocks <= 9; ++blocks) lengths.push_back(blocks * format.group);
    return lengths;
  }
  /// A poisoned image of exactly the bytes that rows x cols needs, at a forbidden page.
  GuardedBuffer<std::byte> image(std::size_t rows, std::size_t cols) const {
    return GuardedBuffer<std::byte>(packed_size(rows, cols));
  }
};

/// Formats of blocks times all_int8_tiles, then formats of floats times all_float_tiles.
const std::vector<Layout>& block_layouts();
const std::vector<Layout>& float_layouts();
std::vector<Layout> all_layouts();

/// n rows of random blocks (every bit pattern, NaN scales too) at odd addresses, rows 5 bytes apart,
/// read-only, ending one byte before a forbidden page.
class StoredWeights {
 public:
  StoredWeights(const FormatEntry& f, std::size_t n, std::size_t k, Random& r);

  std::size_t row_bytes() const { return row_bytes_; }
  const std::byte* row(std::size_t i) const { return bytes_.data() + i * stride_; }
  std::span<const std::byte> row_span(std::size_t i) const { return {row(i), row_bytes_}; }
  const std::byte* block(std::size_t i, std::size_t g) const {
    return row(i) + g * format_.block_bytes;
  }
  BlockParts parts(std::size_t i, std::size_t b) const { return {format_, block(i, b)}; }
  tessera::Status pack(const Layout& to, std::span<std::byte> image,
                       tessera::RowRange range = {}) const {
    return to.pack_blocks(bytes_.data(), n_, k_, static_cast<std::ptrdiff_t>(stride_), image,
                          range);
  }
  /// The packed image as panel_layout.hpp describes it.
  std::vector<std::byte> literal_image(const Layout& to) const;

 private:
  std::vector<std::byte> literal_panel(const Layout& to, std::size_t first) const;
  void append_floats(std::vector<std::byte>& panel, const Layout& to, std::size_t first) const;
  void append_slice(std::vector<std::byte>& panel, const Layout& to,
                    const std::vector<BlockParts>& columns, std::size_t slice) const;

  FormatEntry format_;
  std::size_t n_;
  std::size_t k_;
  std::size_t row_bytes_;
  std::size_t stride_;
  GuardedBuffer<std::byte> bytes_;
};

/// Parts of panels are multiples of 64 bytes, of 4 where a panel is one column.
constexpr std::size_t aligned(std::size_t n, std::size_t columns) {
  const std::size_t to = columns == 1 ? 4 : 64;
  return (n + to - 1) / to * to;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_TILE_LAYOUTS_HPP_

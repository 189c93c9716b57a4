// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/tile/layouts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera_test {
namespace {

/// Appends the low bytes of a number, lowest first.
void append(std::vector<std::byte>& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(value >> 8 * i & 255u));
}

}  // namespace

std::vector<Layout> all_layouts() {
  std::vector<Layout> all = block_layouts();
  all.insert(all.end(), float_layouts().begin(), float_layouts().end());
  return all;
}

StoredWeights::StoredWeights(const FormatEntry& f, std::size_t n, std::size_t k, Random& r)
    : format_(f),
      n_(n),
      k_(k),
      row_bytes_(f.blocks_in(k) * f.block_bytes),
      stride_(row_bytes_ + 5),
      bytes_((n - 1) * stride_ + row_bytes_, Guard::rear, 1) {
  for (std::size_t i = 0; i < n; ++i) fill_bytes({bytes_.data() + i * stride_, row_bytes_}, r);
  bytes_.seal();
}

void StoredWeights::append_floats(std::vector<std::byte>& panel, const Layout& to,
                                  std::size_t first) const {
  for (std::size_t q = 0; q < k_; ++q)
    for (std::size_t column = first; column < first + to.n; ++column)
      for (std::size_t b = 0; b < format_.block_bytes; ++b)
        panel.push_back(column < n_ ? block(column, q)[b] : std::byte{0});
}

/// One slice of 32 elements of a block of each column, plane by plane: [plane][step][n][q].
void StoredWeights::append_slice(std::vector<std::byte>& panel, const Layout& to,
                                 const std::vector<BlockParts>& columns, std::size_t slice) const {
  const std::size_t bits = format_.code_bits;
  const std::size_t low = bits == 3 ? 2 : bits == 5 || bits == 6 ? 4 : bits;
  std::size_t from = 0;
  for (const std::size_t width : {low, bits - low}) {
    if (width == 0) break;
    const std::size_t length = 4 * width;  // bytes of a column
    const std::size_t piece = std::min(to.k, length);
    for (std::size_t step = 0; step < length / piece; ++step)
      for (std::size_t j = 0; j < to.n; ++j)
        for (std::size_t q = 0; q < piece; ++q) {
          unsigned byte = 0;
          for (std::size_t part = 0; part < 8 / width; ++part) {
            const std::size_t i = part * length + step * piece + q;
            const unsigned code =
                j < columns.size() ? columns[j].codes[32 * slice + i] : format_.code_offset;
            byte |= (code >> from) % (1u << width) << part * width;
          }
          panel.push_back(static_cast<std::byte>(byte));
        }
    from += width;
  }
}

std::vector<std::byte> StoredWeights::literal_panel(const Layout& to, std::size_t first) const {
  std::vector<std::byte> panel;
  if (format_.is_float) {
    append_floats(panel, to, first);
    panel.resize(aligned(panel.size(), to.n));
    return panel;
  }
  std::vector<std::vector<BlockParts>> blocks(format_.blocks_in(k_));  // [block][column]
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::size_t column = first; column < std::min(first + to.n, n_); ++column)
      blocks[b].push_back(parts(column, b));
  const std::size_t unit = format_.header_bytes % 2 == 0 ? 2 : 1;
  for (const auto& columns : blocks)
    for (std::size_t at = 0; at < format_.header_bytes; at += unit)
      for (std::size_t j = 0; j < to.n; ++j)
        for (std::size_t b = at; b < at + unit; ++b)
          panel.push_back(static_cast<std::byte>(j < columns.size() ? columns[j].header[b] : 0));
  panel.resize(aligned(panel.size(), to.n));
  for (const auto& columns : blocks)
    for (std::size_t slice = 0; slice < format_.group / 32; ++slice)
      append_slice(panel, to, columns, slice);
  panel.resize(aligned(panel.size(), to.n));
  return panel;
}

std::vector<std::byte> StoredWeights::literal_image(const Layout& to) const {
  std::vector<std::byte> panels;
  std::size_t panel_bytes = 0;
  for (std::size_t first = 0; first < n_; first += to.n) {
    const auto panel = literal_panel(to, first);
    panel_bytes = panel.size();
    panels.insert(panels.end(), panel.begin(), panel.end());
  }
  std::vector<std::byte> image;
  for (const char c : {'t', 'e', 's', 's', 'e', 'r', 'a', 'W'}) image.push_back(std::byte(c));
  append(image, 1, 4);  // version
  append(image, format_.id, 4);
  append(image, to.m, 2);
  append(image, to.n, 2);
  append(image, to.k, 2);
  append(image, 0, 2);
  append(image, n_, 8);
  append(image, k_, 8);
  append(image, panel_bytes, 8);
  panels.resize(aligned(panels.size(), 64));
  append(image, 64 + panels.size(), 8);
  append(image, 0, 8);
  image.insert(image.end(), panels.begin(), panels.end());
  return image;
}

}  // namespace tessera_test

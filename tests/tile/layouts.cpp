// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/tile/layouts.hpp"

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

/// Codes of one group of a panel in the order [k step][n][k], columns beyond the matrix 0. The offset
/// of the format is added again: that is how codes are stored.
std::vector<unsigned> StoredWeights::group_codes(const Layout& to, std::size_t first,
                                                 std::size_t g) const {
  std::vector<unsigned> codes;
  for (std::size_t step = 0; step < format_.group / to.k; ++step)
    for (std::size_t column = first; column < first + to.n; ++column)
      for (std::size_t q = 0; q < to.k; ++q) {
        const int c = column < n_ ? code(column, g * format_.group + step * to.k + q) : 0;
        codes.push_back(static_cast<unsigned>(c + format_.code_offset) & 255u);
      }
  return codes;
}

std::vector<std::byte> StoredWeights::literal_panel(const Layout& to, std::size_t first) const {
  std::vector<std::byte> panel;
  const std::size_t groups = format_.blocks_in(k_);
  // Floats [k][n], or the f16 scales [group][n]: the first bytes of every block.
  const std::size_t bytes = format_.is_float ? format_.block_bytes : 2;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t column = first; column < first + to.n; ++column)
      for (std::size_t b = 0; b < bytes; ++b)
        panel.push_back(column < n_ ? block(column, g)[b] : std::byte{0});
  panel.resize(to_64(panel.size()));
  if (format_.is_float) return panel;

  for (std::size_t g = 0; g < groups; ++g) {
    const auto codes = group_codes(to, first, g);
    const std::size_t half = codes.size() / 2;
    if (format_.code_bits == 8) {
      for (const unsigned c : codes) panel.push_back(static_cast<std::byte>(c));
    } else {
      for (std::size_t i = 0; i < half; ++i)
        panel.push_back(static_cast<std::byte>(codes[i] | codes[i + half] << 4));
    }
  }
  panel.resize(to_64(panel.size()));
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
  append(image, 64 + panels.size(), 8);
  append(image, 0, 8);
  image.insert(image.end(), panels.begin(), panels.end());
  return image;
}

}  // namespace tessera_test

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/diff/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace diff {
namespace {

constexpr std::size_t most_rows = 48;
constexpr std::size_t most_cols = 96;

float local_error(double a, double b, double rms) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(std::fabs(a - b) / (std::fabs(b) + rms));
}

struct Colour {
  std::uint8_t red, green, blue;
};

/// From dark blue over purple and orange to a light yellow.
Colour colour_of(float error) {
  constexpr Colour stops[] = {
      {12, 12, 40}, {60, 20, 110}, {150, 40, 110}, {230, 90, 50}, {255, 245, 170}};
  const float heat = error > 0 ? std::clamp(std::log10(error) / 8 + 1, 0.0f, 1.0f) * 4 : 0;
  const auto lower = std::min(static_cast<std::size_t>(heat), std::size_t{3});
  const float part = heat - static_cast<float>(lower);
  const auto mixed = [&](std::uint8_t Colour::* channel) {
    const auto low = static_cast<float>(stops[lower].*channel);
    const auto high = static_cast<float>(stops[lower + 1].*channel);
    return static_cast<std::uint8_t>(low + (high - low) * part);
  };
  return {mixed(&Colour::red), mixed(&Colour::green), mixed(&Colour::blue)};
}

void append_le(std::string& text, std::size_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 255u);
}

/// A BMP of 24 bits per pixel, lowest row first.
std::string bitmap(const HeatMap& map) {
  const std::size_t row_bytes = (map.cols * 3 + 3) / 4 * 4;
  std::string text = "BM";
  append_le(text, 54 + row_bytes * map.rows, 4);
  append_le(text, 0, 4);
  append_le(text, 54, 4);
  append_le(text, 40, 4);
  append_le(text, map.cols, 4);
  append_le(text, map.rows, 4);
  append_le(text, 1, 2);
  append_le(text, 24, 2);
  for (int i = 0; i < 6; ++i) append_le(text, 0, 4);
  for (std::size_t r = map.rows; r-- > 0;) {
    for (std::size_t c = 0; c < map.cols; ++c) {
      const Colour colour = colour_of(map.cells[r * map.cols + c]);
      append_le(text, colour.blue, 1);
      append_le(text, colour.green, 1);
      append_le(text, colour.red, 1);
    }
    text.append(row_bytes - map.cols * 3, '\0');
  }
  return text;
}

std::string base64(const std::string& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? digits[word >> (18 - 6 * j) & 63u] : '=';
  }
  return text;
}

}  // namespace

HeatMap heat_map(const tessera::Elements& a, const tessera::Elements& b, const dumps::Axes& shape,
                 double rms) {
  HeatMap map;
  if (b.count == 0) return map;
  const std::size_t cols = shape.empty() ? 1 : shape.back();
  const std::size_t rows = b.count / cols;
  map.rows = std::min(rows, most_rows);
  map.cols = std::min(cols, most_cols);
  map.cells.resize(map.rows * map.cols);
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::size_t r = i / cols * map.rows / rows;
    const std::size_t c = i % cols * map.cols / cols;
    float& cell = map.cells[r * map.cols + c];
    cell = std::max(
        cell, local_error(tessera::internal::element(a, i), tessera::internal::element(b, i), rms));
  }
  return map;
}

std::string picture_address(const HeatMap& map) {
  return "data:image/bmp;base64," + base64(bitmap(map));
}

}  // namespace diff

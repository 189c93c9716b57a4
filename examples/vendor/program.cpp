// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A program that was written for the board: its matrix instructions are the vendor's mnemonics, and it
// knows nothing of any emulator. It runs each kernel of kernels.S that the core has and compares with
// plain loops. Exit status 0: all right.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

constexpr int capacity = 128;  // bytes of the longest register
constexpr int steps = 12;

int register_bytes() {
  long value;
  asm(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop" : "=r"(value));
  return static_cast<int>(value);
}

const int bytes = register_bytes();
const int side = bytes == 32 ? 4 : 8;
const int depth = bytes / side;
int failures = 0;

void tell(const char* kernel, bool right) {
  std::printf("%s %s\n", kernel, right ? "right" : "wrong");
  if (!right) ++failures;
}

struct Noise {
  std::uint32_t state;
  std::uint8_t next() {
    state = state * 1664525 + 1013904223;
    return static_cast<std::uint8_t>(state >> 24);
  }
  template <class T, std::size_t N>
  void fill(T (&array)[N]) {
    for (auto& element : array) element = static_cast<T>(next());
  }
};

int element(std::uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<std::int8_t>(byte) : byte;
}
int nibble(const std::uint8_t* bytes_, int index) {
  const int value = bytes_[index / 2] >> (index % 2 * 4) & 15;
  return value < 8 ? value : value - 16;
}

void try_product(const char* name, Product kernel, bool a_signed, bool b_signed) {
  Noise noise{1};
  std::uint8_t a[capacity * steps], b[capacity * steps];
  std::int32_t c[64], expected[64];
  noise.fill(a);
  noise.fill(b);
  noise.fill(c);
  std::memcpy(expected, c, sizeof c);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        for (int k = 0; k < depth; ++k) {
          expected[i * side + j] += element(a[step * bytes + i * depth + k], a_signed) *
                                    element(b[step * bytes + j * depth + k], b_signed);
        }
      }
    }
  }
  kernel(a, b, c, steps);
  tell(name, std::memcmp(c, expected, sizeof c) == 0);
}

void try_filter(const char* name, Filter kernel, bool a_signed, bool b_signed) {
  Noise noise{2};
  std::uint8_t a[2 * capacity], b[4 * capacity];
  std::int32_t c[64], expected[64];
  noise.fill(a);
  noise.fill(b);
  noise.fill(c);
  std::memcpy(expected, c, sizeof c);
  for (int tap = 0; tap < 4; ++tap) {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        for (int k = 0; k < depth; ++k) {
          expected[i * side + j] += element(a[(i + tap) * depth + k], a_signed) *
                                    element(b[tap * bytes + j * depth + k], b_signed);
        }
      }
    }
  }
  kernel(a, b, c);
  tell(name, std::memcmp(c, expected, sizeof c) == 0);
}

void try_int4() {
  Noise noise{3};
  std::uint8_t a[capacity * steps], b[capacity * steps];
  std::int32_t c[64] = {}, expected[64] = {};
  noise.fill(a);
  noise.fill(b);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 64; ++i) {
      for (int k = 0; k < 32; ++k) {
        expected[i] +=
            nibble(a + step * 128, i / 8 * 32 + k) * nibble(b + step * 128, i % 8 * 32 + k);
      }
    }
  }
  vendor_product_i4(a, b, c, steps);
  tell("product_i4", std::memcmp(c, expected, sizeof c) == 0);
}

void try_sparse() {
  Noise noise{4};
  std::uint8_t a[256], b[128], mask[128];
  std::int32_t c[64] = {}, expected[64] = {};
  noise.fill(a);
  noise.fill(b);
  noise.fill(mask);
  constexpr int two_of_four[] = {3, 5, 6, 9, 10, 12};
  for (int n = 0; n < 64; ++n) {  // segment 1: bytes 32 to 63, mostly with two bits, some without
    const int bits = n % 7 == 6 ? 7 : two_of_four[noise.next() % 6];
    std::uint8_t& place = mask[32 + n / 2];
    place = static_cast<std::uint8_t>(n % 2 == 0 ? bits : (place & 15) | bits << 4);
  }
  for (int i = 0; i < 8; ++i) {
    for (int n = 0; n < 64; ++n) {
      const int bits = mask[32 + n / 2] >> (n % 2 * 4) & 15;
      const int j = n / 8, quad = n % 8;
      if (n % 7 == 6) continue;
      int taken = 0;
      for (int e = 0; e < 4; ++e) {
        if ((bits >> e & 1) == 0) continue;
        expected[i * 8 + j] += static_cast<std::int8_t>(a[i * 32 + quad * 4 + e]) *
                               static_cast<std::int8_t>(b[j * 16 + quad * 2 + taken++]);
      }
    }
  }
  vendor_sparse(a, b, c, mask);
  tell("sparse", std::memcmp(c, expected, sizeof c) == 0);
}

// The fp16 pattern of an integer of at most 11 bits, or of one times 1/8.
std::uint16_t half(int value, int eighths = 0) {
  if (value == 0) return 0;
  const int sign = value < 0 ? 0x8000 : 0;
  unsigned magnitude = static_cast<unsigned>(std::abs(value));
  int exponent = 25 - 3 * eighths;
  while (magnitude < 1024) {
    magnitude <<= 1;
    --exponent;
  }
  return static_cast<std::uint16_t>(sign | exponent << 10 | (magnitude & 1023));
}

// Sums and scales small enough that every result has an fp16 pattern: no rounding to argue about.
void try_scaled() {
  Noise noise{5};
  std::uint8_t a[128], b[128];
  std::uint16_t c[64], expected[64], scales[64] = {};
  for (auto& byte : a) byte = static_cast<std::uint8_t>(noise.next() % 7 - 3);
  for (auto& byte : b) byte = static_cast<std::uint8_t>(noise.next() % 5 - 2);
  for (int j = 0; j < 8; ++j) scales[16 + j] = half(j - 4, 1);  // (j - 4) / 8
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int k = 0; k < 16; ++k) {
      sum +=
          static_cast<std::int8_t>(a[i / 8 * 16 + k]) * static_cast<std::int8_t>(b[i % 8 * 16 + k]);
    }
    c[i] = half(i - 30);
    expected[i] = half(8 * (i - 30) + sum * (i % 8 - 4), 1);
  }
  vendor_scaled(a, b, c, scales);
  tell("scaled", std::memcmp(c, expected, sizeof c) == 0);
}

void try_float() {
  Noise noise{6};
  int a[2 * 64], b[4 * 64];
  std::uint16_t half_a[2 * 64], half_b[4 * 64];
  float c[64], expected[64];
  noise.fill(a);
  noise.fill(b);
  for (int i = 0; i < 2 * 64; ++i) half_a[i] = half(a[i] -= 128);
  for (int i = 0; i < 4 * 64; ++i) half_b[i] = half(b[i] -= 128);
  for (int i = 0; i < 64; ++i) {
    int sum = c[i] = static_cast<float>(i);  // exact: all below 2^24
    for (int tap = 0; tap < 4; ++tap) {
      for (int k = 0; k < 8; ++k) sum += a[(i / 8 + tap) * 8 + k] * b[tap * 64 + i % 8 * 8 + k];
    }
    expected[i] = static_cast<float>(sum);
  }
  vendor_float(half_a, half_b, c);
  tell("float", std::memcmp(c, expected, sizeof c) == 0);
}

void try_layout() {
  Noise noise{7};
  std::uint8_t ab[256], first[256], second[256];
  noise.fill(ab);
  const std::uint8_t* a = ab;
  const std::uint8_t* b = ab + 128;
  vendor_pack(a, b, first, second);
  bool right = std::memcmp(second, ab, sizeof ab) == 0;
  for (int word = 0; word < 32; ++word) {
    right = right && std::memcmp(first + 8 * word, a + 4 * word, 4) == 0 &&
            std::memcmp(first + 8 * word + 4, b + 4 * word, 4) == 0;
  }
  tell("pack", right);

  vendor_narrow(a, b, first, second);
  right = true;
  for (int i = 0; i < 128; ++i) {  // blocks of 4 bytes from a and b in turn
    const std::uint8_t* source = i / 4 % 2 == 0 ? a : b;
    const int index = i / 8 * 4 + i % 4;
    const int wide = static_cast<std::int16_t>(source[2 * index] | source[2 * index + 1] << 8);
    const int low = static_cast<std::int8_t>(source[2 * index]);
    const int high = static_cast<std::int8_t>(source[2 * index + 1]);
    const auto limited = [](int value, int limit) { return std::clamp(value, -limit - 1, limit); };
    right = right && first[i] == (wide & 255) &&
            first[128 + i] == ((low & 15) | (high & 15) << 4) &&
            second[i] == (limited(wide, 127) & 255) &&
            second[128 + i] == ((limited(low, 7) & 15) | (limited(high, 7) & 15) << 4);
  }
  tell("narrow", right);
}

}  // namespace

int main() {
  std::printf("vlen %d, tile %d x %d x %d\n", bytes * 8, side, side, depth);
  try_product("product", vendor_product, true, true);
  try_product("product_u", vendor_product_u, false, false);
  try_product("product_us", vendor_product_us, false, true);
  try_product("product_su", vendor_product_su, true, false);
  try_filter("filter", vendor_filter, true, true);
  try_filter("filter_u", vendor_filter_u, false, false);
  try_filter("filter_us", vendor_filter_us, false, true);
  try_filter("filter_su", vendor_filter_su, true, false);
  if (bytes == 128) {
    try_int4();
    try_sparse();
    try_scaled();
    try_float();
    try_layout();
  }
  std::printf("vendor %s\n", failures == 0 ? "right" : "wrong");
  std::fflush(stdout);
  return failures == 0 ? 0 : 1;
}

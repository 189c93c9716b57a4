// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A second transcription of every instruction, written from the prose and sharing nothing with the
// library: elements by bit position, wide sums, a wrap by remainder, rounding by search among all
// values, the host's own floats, and operands read from the assembly text.
#ifndef TESSERA_TESTS_ISA_WITNESS_HPP_
#define TESSERA_TESTS_ISA_WITNESS_HPP_

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace witness {

using Bytes = std::vector<std::uint8_t>;

struct Shape {
  int m, n, k;
  int bits;  // of one element
  bool a_signed, b_signed;
};

inline long long element(const Bytes& bytes, int index, int bits, bool is_signed) {
  unsigned long long value = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const int position = index * bits + bit;
    if (bytes.at(position / 8) & (1 << position % 8)) value += 1ull << bit;
  }
  const bool negative = is_signed && (value >> (bits - 1)) != 0;
  for (int bit = bits; negative && bit < 64; ++bit) value += 1ull << bit;
  return static_cast<long long>(value);
}

inline std::int32_t wrapped(long long total) {
  const long long modulus = 1ll << 32;
  total %= modulus;
  if (total >= modulus / 2) total -= modulus;
  if (total < -modulus / 2) total += modulus;
  return static_cast<std::int32_t>(total);
}

// `from` is the first element of A's row 0.
inline long long product(const Shape& s, const Bytes& a, int from, const Bytes& b, int i, int j) {
  long long total = 0;
  for (int q = 0; q < s.k; ++q) {
    total += element(a, from + s.k * i + q, s.bits, s.a_signed) *
             element(b, s.k * j + q, s.bits, s.b_signed);
  }
  return total;
}

inline std::vector<std::int32_t> multiply(const Shape& s, std::vector<std::int32_t> c,
                                          const Bytes& a, const Bytes& b, int from = 0) {
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) {
      c.at(s.n * i + j) = wrapped(c.at(s.n * i + j) + product(s, a, from, b, i, j));
    }
  }
  return c;
}

// K is that of B's rows; A's rows have twice as many. `segment` is the mask segment's number.
inline std::vector<std::int32_t> multiply_sparse(const Shape& s, std::vector<std::int32_t> c,
                                                 const Bytes& a, const Bytes& b, const Bytes& mask,
                                                 int segment) {
  const int nibbles = s.n * s.k / 2;
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) {
      long long total = c.at(s.n * i + j);
      for (int q = 0; q < s.k / 2; ++q) {
        int first = -1, second = -1;
        switch (element(mask, segment * nibbles + j * s.k / 2 + q, 4, false)) {
          case 0b0011:
            first = 0, second = 1;
            break;
          case 0b0101:
            first = 0, second = 2;
            break;
          case 0b1001:
            first = 0, second = 3;
            break;
          case 0b0110:
            first = 1, second = 2;
            break;
          case 0b1010:
            first = 1, second = 3;
            break;
          case 0b1100:
            first = 2, second = 3;
            break;
          default:
            continue;
        }
        const int quad = 2 * s.k * i + 4 * q;
        total += element(a, quad + first, s.bits, s.a_signed) *
                 element(b, s.k * j + 2 * q, s.bits, s.b_signed);
        total += element(a, quad + second, s.bits, s.a_signed) *
                 element(b, s.k * j + 2 * q + 1, s.bits, s.b_signed);
      }
      c.at(s.n * i + j) = wrapped(total);
    }
  }
  return c;
}

// A signed integer of 352 bits, as much as bf16 numbers and their products span.
class Wide {
 public:
  Wide() = default;
  Wide(long long value, int shift) {
    const bool negative = value < 0;
    unsigned long long rest = negative ? 0ull - static_cast<unsigned long long>(value)
                                       : static_cast<unsigned long long>(value);
    for (int position = shift; rest != 0; ++position, rest >>= 1) {
      if (rest & 1) limbs_.at(position / 32) |= 1u << position % 32;
    }
    if (negative) negate();
  }
  Wide operator+(const Wide& other) const {
    Wide sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
      sum.limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }
  void negate() {
    for (auto& limb : limbs_) limb = ~limb;
    *this = *this + Wide(1, 0);
  }
  bool negative() const { return limbs_.back() >> 31 != 0; }
  bool zero() const {
    for (const auto limb : limbs_) {
      if (limb != 0) return false;
    }
    return true;
  }
  // Of two that are not negative.
  bool below(const Wide& other) const {
    for (std::size_t i = limbs_.size(); i-- > 0;) {
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i];
    }
    return false;
  }

 private:
  std::array<std::uint32_t, 11> limbs_{};
};

// A 16-bit float: 5 or 8 exponent bits.
struct Half {
  int exponent_bits;
  int fraction_bits() const { return 15 - exponent_bits; }
  int top_exponent() const { return (1 << exponent_bits) - 1; }
  int exponent(int bits) const { return bits >> fraction_bits() & top_exponent(); }
  int fraction(int bits) const { return bits & ((1 << fraction_bits()) - 1); }
  bool nan(int bits) const { return exponent(bits) == top_exponent() && fraction(bits) != 0; }
  bool infinite(int bits) const { return exponent(bits) == top_exponent() && fraction(bits) == 0; }
  int infinity() const { return top_exponent() << fraction_bits(); }
  int quiet_nan() const { return infinity() | 1 << (fraction_bits() - 1); }
  // value = units * 2^shift in steps of the smallest subnormal. The infinity's bits give the value
  // that the next number would have.
  long long units(int bits) const {
    const long long magnitude =
        exponent(bits) == 0 ? fraction(bits) : fraction(bits) + (1 << fraction_bits());
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  int shift(int bits) const { return exponent(bits) == 0 ? 0 : exponent(bits) - 1; }
  Wide value(int bits) const { return {units(bits), shift(bits)}; }
  double as_double(int bits) const {
    const int lowest = 2 - (1 << (exponent_bits - 1)) - fraction_bits();
    if (nan(bits)) return std::nan("");
    if (infinite(bits)) return bits & 0x8000 ? -HUGE_VAL : HUGE_VAL;
    const double magnitude =
        std::ldexp(static_cast<double>(std::abs(units(bits))), lowest + shift(bits));
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};
constexpr Half fp16{5};
constexpr Half bf16{8};

// round(c + sum * scale): the nearest of all numbers, the even one of two.
inline int fused(const Half& h, int c, long long sum, int scale) {
  const bool product_negative = (sum < 0) != ((scale & 0x8000) != 0);
  if (h.nan(c) || h.nan(scale)) return h.quiet_nan();
  if (h.infinite(scale)) {
    if (sum == 0) return h.quiet_nan();
    if (h.infinite(c) && ((c & 0x8000) != 0) != product_negative) return h.quiet_nan();
    return h.infinity() | (product_negative ? 0x8000 : 0);
  }
  if (h.infinite(c)) return c;
  Wide exact = h.value(c) + Wide(sum * h.units(scale), h.shift(scale));
  if (exact.zero()) {
    // Only the sum of two negative zeros is one; any other exact zero is positive.
    const bool product_zero = sum == 0 || h.units(scale) == 0;
    return c == 0x8000 && product_zero && product_negative ? 0x8000 : 0;
  }
  const int sign = exact.negative() ? 0x8000 : 0;
  if (sign != 0) exact.negate();
  int low = 0, high = h.infinity();  // value(low) <= exact, and exact < value(high) or beyond
  if (!exact.below(h.value(high))) return sign | h.infinity();
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (exact.below(h.value(middle)) ? high : low) = middle;
  }
  const Wide twice = exact + exact;
  const Wide between = h.value(low) + h.value(high);
  const bool up = between.below(twice) || (!twice.below(between) && low % 2 != 0);
  return sign | (up ? high : low);
}

// The host's own floats, one operation at a time.
inline float float_dot(const Half& h, float c, const Bytes& a, int a_from, const Bytes& b,
                       int b_from, int k) {
  volatile float total = c;
  for (int q = 0; q < k; ++q) {
    const int x = static_cast<int>(element(a, a_from + q, 16, false));
    const int y = static_cast<int>(element(b, b_from + q, 16, false));
    // The product of two such numbers is exact in double.
    const volatile float product = static_cast<float>(h.as_double(x) * h.as_double(y));
    total = total + product;
  }
  return total;
}

// Bytes put one behind the other.
inline void append(Bytes& out, const Bytes& from, int first, int count) {
  for (int i = 0; i < count; ++i) out.push_back(from.at(first + i));
}

// An assembly line, taken apart.
struct Line {
  std::string name;  // without "smt.", ".vv", ".sp", ".hp"
  bool sparse = false, scaled = false, int4 = false;
  int numbers[5] = {};  // vd, vs1, vs2, and what follows
  int count = 0;
};

inline Line parse(const std::string& text) {
  Line line;
  line.name = text.substr(4, text.find(' ') - 4);
  const auto dot = line.name.find('.');
  if (dot != std::string::npos) {
    line.sparse = line.name.substr(dot) == ".sp";
    line.scaled = line.name.substr(dot) == ".hp";
    line.name.resize(dot);
  }
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(',', at + 1)) {
    std::size_t begin = at + 1;
    while (text[begin] == ' ') ++begin;
    if (text[begin] == 'i') {
      line.int4 = true;
      break;
    }
    if (text[begin] == 'v') ++begin;
    line.numbers[line.count++] = std::stoi(text.substr(begin));
  }
  return line;
}

struct Core {
  int vlenb;
  int sew;
  bool bf16;
};

inline Bytes group(const Core& core, const Bytes& registers, int first, int count) {
  Bytes bytes;
  append(bytes, registers, first * core.vlenb, count * core.vlenb);
  return bytes;
}

inline void put(const Core& core, Bytes& registers, int first, const Bytes& bytes) {
  std::memcpy(&registers.at(first * core.vlenb), bytes.data(), bytes.size());
}

inline Bytes layout(const Core& core, const Line& line, const Bytes& x, const Bytes& y) {
  const int imm = line.numbers[3];
  const int wide[] = {core.sew / 8, 16, 32, 64};
  const int narrow[] = {4, 8, 16, 32};
  Bytes out, odd;
  if (line.name == "vpack") {
    for (int at = 0; at < core.vlenb; at += wide[imm]) {
      append(out, x, at, wide[imm]);
      append(out, y, at, wide[imm]);
    }
    return out;
  }
  if (line.name == "vupack") {
    for (const Bytes* source : {&x, &y}) {
      for (int at = 0; at < core.vlenb; at += 2 * wide[imm]) {
        append(out, *source, at, wide[imm]);
        append(odd, *source, at + wide[imm], wide[imm]);
      }
    }
    append(out, odd, 0, core.vlenb);
    return out;
  }
  // The narrowing ones: first all of each source, then blocks in turn.
  const int bits = line.name.back() == '4' ? 4 : core.sew;
  const bool saturates = line.name.find('s') != std::string::npos;
  Bytes narrowed[2];
  for (int which = 0; which < 2; ++which) {
    const Bytes& source = which == 0 ? x : y;
    narrowed[which].resize(core.vlenb / 2);
    for (int e = 0; e < core.vlenb * 8 / (2 * bits); ++e) {
      long long value = element(source, e, 2 * bits, true);
      const long long most = (1ll << (bits - 1)) - 1;
      if (saturates && value > most) value = most;
      if (saturates && value < -most - 1) value = -most - 1;
      for (int bit = 0; bit < bits; ++bit) {
        const int position = e * bits + bit;
        if (value >> bit & 1) {
          narrowed[which][position / 8] |= static_cast<std::uint8_t>(1 << position % 8);
        }
      }
    }
  }
  for (int at = 0; at < core.vlenb / 2; at += narrow[imm]) {
    append(out, narrowed[0], at, narrow[imm]);
    append(out, narrowed[1], at, narrow[imm]);
  }
  return out;
}

template <class T>
std::vector<T> numbers_of(const Bytes& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

template <class T>
Bytes bytes_of(const std::vector<T>& numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// Executes a legal line on 32 registers.
inline void run(const Core& core, const std::string& text, Bytes& registers) {
  const Line line = parse(text);
  const int vd = line.numbers[0], vs1 = line.numbers[1], vs2 = line.numbers[2];
  if (line.name[1] != 'm' && line.name[1] != 'f') {
    put(core, registers, vd,
        layout(core, line, group(core, registers, vs1, 1), group(core, registers, vs2, 1)));
    return;
  }
  const bool floating = line.name[1] == 'f';
  std::string rest = line.name.substr(floating ? 8 : 6);  // behind vfwmadot or vmadot
  int slide = 0;
  if (!rest.empty() && rest[0] >= '1' && rest[0] <= '3') {
    slide = rest[0] - '0';
    rest.erase(0, 1);
  }
  const int side = core.vlenb == 32 ? 4 : 8;
  const int bits = floating ? 16 : line.int4 ? 4 : 8;
  const Shape shape{side,
                    side,
                    core.vlenb * 8 / bits / side,
                    bits,
                    rest == "" || rest == "su",
                    rest == "" || rest == "us"};
  const bool pair = slide != 0 || line.sparse;
  const Bytes a = group(core, registers, vs1, pair ? 2 : 1);
  const Bytes b = group(core, registers, vs2, 1);
  const int from = slide * shape.k;
  const Half& half = core.bf16 ? bf16 : fp16;
  if (floating) {
    auto c = numbers_of<float>(group(core, registers, vd, 2));
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        float& sum = c.at(side * i + j);
        sum = float_dot(half, sum, a, from + shape.k * i, b, shape.k * j, shape.k);
        const std::uint32_t quiet_nan = 0x7fc00000;
        if (std::isnan(sum)) std::memcpy(&sum, &quiet_nan, sizeof sum);
      }
    }
    put(core, registers, vd, bytes_of(c));
  } else if (line.scaled) {
    auto c = numbers_of<std::uint16_t>(group(core, registers, vd, 1));
    const auto scales = numbers_of<std::uint16_t>(group(core, registers, line.numbers[3], 1));
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        std::uint16_t& sum = c.at(side * i + j);
        sum = static_cast<std::uint16_t>(
            fused(half, sum, product(shape, a, 0, b, i, j), scales.at(8 * line.numbers[4] + j)));
      }
    }
    put(core, registers, vd, bytes_of(c));
  } else if (line.sparse) {
    put(core, registers, vd,
        bytes_of(multiply_sparse(shape, numbers_of<std::int32_t>(group(core, registers, vd, 2)), a,
                                 b, group(core, registers, line.numbers[3], 1), line.numbers[4])));
  } else {
    put(core, registers, vd,
        bytes_of(
            multiply(shape, numbers_of<std::int32_t>(group(core, registers, vd, 2)), a, b, from)));
  }
}

}  // namespace witness

#endif  // TESSERA_TESTS_ISA_WITNESS_HPP_

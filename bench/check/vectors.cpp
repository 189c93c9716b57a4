// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/vectors.hpp"

#include <cstring>
#include <random>
#include <vector>

#include "tessera/isa/ime/all.hpp"
#include "tests/isa/golden_words.hpp"
#include "tests/isa/model.hpp"

namespace board {
namespace {

// Of fp16: zeros, subnormals, ends of the range, ties, infinities, NaN. As bf16 they are other numbers, as odd.
constexpr std::uint16_t odd_halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400,
                                        0x8400, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x4200, 0x6800,
                                        0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x0200};

using Bytes = std::vector<std::uint8_t>;

void put_half(Bytes& bytes, std::size_t at, std::uint16_t half) {
  bytes[at] = static_cast<std::uint8_t>(half);
  bytes[at + 1] = static_cast<std::uint8_t>(half >> 8);
}

std::uint16_t odd_half(std::mt19937& random) {
  return odd_halves[random() % std::size(odd_halves)];
}

// Halves whose sums of products stay finite in both formats.
void fill_moderate(std::mt19937& random, Bytes& bytes) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    put_half(bytes, i, static_cast<std::uint16_t>((random() & 0x9bff) | 0x2400));
}

void fill_cycle(Bytes& bytes, std::initializer_list<std::uint8_t> cycle) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = cycle.begin()[i % cycle.size()];
}

// The result's registers at both ends of int32, so that every sum but 0 wraps or nearly does.
void fill_ends(const ime::Operands& o, int registers, State& state) {
  for (int i = 0; i < registers * state.vlenb(); i += 4) {
    const std::uint32_t value = (i / 4) % 2 == 0 ? 0x7fffffff : 0x80000000;
    std::memcpy(state.reg(o.vd) + i, &value, sizeof value);
  }
}

const char* fill(std::size_t kind, std::mt19937& random, const ime::Operands& o, int vd_registers,
                 State& state) {
  Bytes& bytes = state.bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  switch (kind) {
    case 0:
      fill_moderate(random, bytes);
      return "moderate 16-bit floats";
    case 1:
      return "noise";
    case 2:
      fill_cycle(bytes, {0});
      return "zeros";
    case 3:
      fill_cycle(bytes, {0xff});
      return "all ones";
    case 4:
      fill_cycle(bytes, {0x80});
      return "-128";
    case 5:
      fill_cycle(bytes, {0x7f});
      return "127";
    case 6:
      fill_cycle(bytes, {0x80, 0x7f, 0xff, 0x01, 0x88, 0x77, 0xf8});
      return "ends of the bytes and nibbles";
    case 7:
      fill_ends(o, vd_registers, state);
      return "noise, accumulators at the ends of int32";
    case 8:
      fill_cycle(bytes, {0xff});
      fill_ends(o, vd_registers, state);
      return "all ones, accumulators at the ends of int32";
    case 9:
      for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) put_half(bytes, i, odd_half(random));
      return "odd 16-bit floats";
    case 10:
      fill_cycle(bytes, {0});
      bytes[random() % bytes.size()] = 1;
      for (int n : {int{o.vs1}, int{o.vs2}}) state.reg(n)[random() % state.vlenb()] = 0x11;
      return "one element each";
    default:
      fill_moderate(random, bytes);
      for (std::size_t i = 0; i < bytes.size(); i += 2)
        if (random() % 64 == 0) put_half(bytes, i, odd_half(random));
      return "moderate and odd 16-bit floats";
  }
}

std::vector<std::uint32_t> published_words(const ime::Profile& profile, int instruction) {
  std::vector<std::uint32_t> words;
  for (const GoldenWord& golden : golden_words) {
    if (ime::identify(golden.word).index == instruction &&
        ime::check_word_of(instruction, profile, golden.word) == ime::Rule::none)
      words.push_back(golden.word);
  }
  return words;
}

void set_vsew(const ime::Profile& profile, int vsew, State& state) {
  state.vtype = (state.vtype & ~std::uint64_t{0x38}) | static_cast<std::uint64_t>(vsew) << 3;
  state.vl = static_cast<std::uint64_t>(profile.vlen / (8 << vsew));
}

}  // namespace

Vector make_vector(const ime::Profile& profile, int instruction, std::size_t number) {
  const ime::Descriptor& d = ime::Instructions::table[instruction];
  std::mt19937 random(static_cast<unsigned>(1 + 1000003 * instruction + number));
  const auto words = published_words(profile, instruction);
  Vector v{
      number < words.size() ? words[number] : isa_tests::random_legal_word(random, instruction), "",
      ready_state(profile)};
  const ime::Operands o = ime::Instructions::operands(instruction, v.word);
  v.data = fill(number % kinds_of_data, random, o, d.signature.vd_registers, v.state);
  if (number == 0) return v;
  v.state.vcsr = random() % 8;
  v.state.vtype = (random() % 4) << 6;
  set_vsew(profile, static_cast<int>(number % 4), v.state);
  const bool layout = d.element == ime::Element::none;
  for (int vsew = 2; vsew >= 0; --vsew) {  // vnpack has no e64
    State scratch = v.state;
    if (!profile.has(d.extension) || run_model(profile, scratch, {&v.word, 1}) == ime::Rule::none)
      break;
    set_vsew(profile, vsew, v.state);
  }
  if (layout) {
    const std::uint64_t most = v.state.vl;
    const std::uint64_t lengths[] = {most, 0, 1, most - 1, random() % (most + 1)};
    v.state.vl = lengths[number / 4 % std::size(lengths)];
  }
  return v;
}

}  // namespace board

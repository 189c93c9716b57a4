// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The integer products: int32's ends, how far slides go, which nibble is first.
#include <cstdio>
#include <cstring>
#include <limits>

#include "bench/check/questions.hpp"
#include "tessera/isa/ime/all.hpp"

namespace board {
namespace {

using ime::Element;
using ime::Extension;

// ---- int32-wrap: the largest accumulator and one more

Experiment prepare_wrap(const ime::Profile& profile) {
  Experiment e{ready_state(profile), {ime::encode<ime::Vmadot<Element::int8>>({2, 4, 5})}};
  e.state.reg(4)[0] = 1;
  e.state.reg(5)[0] = 1;
  ime::store_int32(e.state.reg(2), 0, std::numeric_limits<std::int32_t>::max());
  return e;
}

Reading read_wrap(const ime::Profile&, const Experiment&, const State& after) {
  const std::int32_t c = ime::load_int32(after.reg(2), 0);
  const std::string detail = "2147483647 + 1 gave " + std::to_string(c);
  if (c == std::numeric_limits<std::int32_t>::min()) return {"wraps", detail};
  if (c == std::numeric_limits<std::int32_t>::max()) return {"saturates", detail};
  return {"other", detail};
}

// ---- slide-distance: every element of vs1:vs1+1 is its own index

Experiment prepare_slides(const ime::Profile& profile) {
  Experiment e{ready_state(profile),
               {ime::encode<ime::Vmadot1u>({2, 8, 10}), ime::encode<ime::Vmadot2u>({4, 8, 10}),
                ime::encode<ime::Vmadot3u>({6, 8, 10})}};
  for (int i = 0; i < 2 * e.state.vlenb(); ++i) e.state.reg(8)[i] = static_cast<std::uint8_t>(i);
  e.state.reg(10)[0] = 1;  // column 0 is then element 0 of A's row
  return e;
}

Reading read_slides(const ime::Profile& profile, const Experiment&, const State& after) {
  const ime::Tile t = ime::dot_tile(profile, Element::int8);
  int first[3];
  bool even = true;  // each row K further on, each slide as far as the one before
  for (int s = 0; s < 3; ++s) {
    first[s] = ime::load_int32(after.reg(2 + 2 * s), 0);
    for (int i = 0; i < t.m; ++i)
      even &= ime::load_int32(after.reg(2 + 2 * s), t.n * i) == ((first[s] + t.k * i) & 0xff);
    even &= first[s] == (s + 1) * first[0];
  }
  const std::string detail = "row 0 began at elements " + std::to_string(first[0]) + ", " +
                             std::to_string(first[1]) + ", " + std::to_string(first[2]);
  if (!even) return {"other", detail};
  if (first[0] == t.k) return {"k", detail};
  if (first[0] == 8) return {"eight", detail};
  if (first[0] == 1) return {"one", detail};
  if (first[0] == 0) return {"none", detail};
  return {"other", detail};
}

// ---- nibble order: elements 1 2 3 4 of A, 1 2 of B; the mask keeps A's elements 0 and 2

Experiment prepare_nibbles(const ime::Profile& profile) {
  Experiment e{ready_state(profile), {ime::encode<ime::VmadotSp<Element::int4>>({2, 8, 10, 0, 0})}};
  e.state.reg(8)[0] = 0x21;
  e.state.reg(8)[1] = 0x43;
  e.state.reg(10)[0] = 0x21;
  e.state.reg(0)[0] = 0b0101;
  return e;
}

Reading read_nibbles(const ime::Profile&, const Experiment&, const State& after) {
  const std::int32_t c = ime::load_int32(after.reg(2), 0);
  const std::string detail = "the sum was " + std::to_string(c);
  if (c == 1 * 1 + 3 * 2) return {"low_first", detail};
  if (c == 2 * 2 + 4 * 1) return {"high_first", detail};
  if (c == 2 * 1 + 4 * 2) return {"a_high_first", detail};
  if (c == 1 * 2 + 3 * 1) return {"b_high_first", detail};
  return {"other", detail};
}

// ---- narrowed nibbles: the bytes 1 and 2

Experiment prepare_narrowed(const ime::Profile& profile) {
  Experiment e{ready_state(profile), {ime::encode<ime::Vnpack4>({2, 4, 5, 0, 0})}};
  e.state.reg(4)[0] = 1;
  e.state.reg(4)[1] = 2;
  return e;
}

Reading read_narrowed(const ime::Profile&, const Experiment&, const State& after) {
  const std::string detail = "the byte was 0x" + hex(after.reg(2), 1);
  if (after.reg(2)[0] == 0x21) return {"low_first", detail};
  if (after.reg(2)[0] == 0x12) return {"high_first", detail};
  return {"other", detail};
}

}  // namespace

std::vector<Question> integer_questions() {
  return {
      {"int32-wrap",
       "What does a sum beyond the end of int32 give?",
       {{"wraps", "it wraps modulo 2^32"},
        {"saturates", "the end of the range"},
        {"traps", "an illegal instruction"}},
       Extension::xsmtvdot,
       prepare_wrap,
       read_wrap},
      {"slide-distance",
       "How far do vmadot1, vmadot2 and vmadot3 slide A?",
       {{"k", "by K elements a step, the K of the core's tile"},
        {"eight", "by 8 elements a step, as on VLEN 256"},
        {"one", "by one element a step"},
        {"none", "not at all"},
        traps},
       Extension::xsmtvdot,
       prepare_slides,
       read_slides},
      {"nibble-order",
       "Which int4 element of a byte is the first (.sp selects it)?",
       {{"low_first", "the low nibble, of A and of B"},
        {"high_first", "the high nibble, of A and of B"},
        {"a_high_first", "the high nibble of A, the low one of B"},
        {"b_high_first", "the low nibble of A, the high one of B"},
        traps},
       Extension::xsmtvdotii,
       prepare_nibbles,
       read_nibbles},
      {"narrowed-nibble-order",
       "Into which nibble does vnpack4 put element 0?",
       {{"low_first", "the low one"}, {"high_first", "the high one"}, traps},
       Extension::xsmtvdotii,
       prepare_narrowed,
       read_narrowed},
  };
}

}  // namespace board

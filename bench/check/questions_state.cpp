// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// States that code never sets on purpose: the model refuses them until a core has answered.
#include "bench/check/questions.hpp"
#include "tessera/isa/ime/all.hpp"

namespace board {
namespace {

using ime::Element;
using ime::Extension;

constexpr int accumulator = 1000;

// Every element of A and B is 1, every accumulator 1000: a whole tile is 1000 + K everywhere.
Experiment prepare_ones(const ime::Profile& profile) {
  Experiment e{ready_state(profile), {ime::encode<ime::Vmadot<Element::int8>>({2, 4, 5})}};
  for (int i = 0; i < e.state.vlenb(); ++i) e.state.reg(4)[i] = e.state.reg(5)[i] = 1;
  const ime::Tile t = ime::dot_tile(profile, Element::int8);
  for (int i = 0; i < t.m * t.n; ++i) ime::store_int32(e.state.reg(2), i, accumulator);
  return e;
}

Reading read_ones(const ime::Profile& profile, const Experiment&, const State& after) {
  const ime::Tile t = ime::dot_tile(profile, Element::int8);
  bool whole = true;
  bool between = true;
  std::string map;  // of the tile, row by row
  for (int i = 0; i < t.m * t.n; ++i) {
    const std::int32_t c = ime::load_int32(after.reg(2), i);
    whole &= c == accumulator + t.k;
    between &= c >= accumulator && c <= accumulator + t.k;
    if (i % t.n == 0) map += ' ';
    map += c == accumulator + t.k ? '#' : c == accumulator ? '.' : '+';
  }
  const std::string detail = "whole #, unchanged ., other +:" + map;
  if (whole) return {"ignored", detail};
  return {between ? "honoured" : "other", detail};
}

Experiment prepare_short_vl(const ime::Profile& profile) {
  Experiment e = prepare_ones(profile);
  e.state.vl /= 2;
  return e;
}

Experiment prepare_vstart(const ime::Profile& profile) {
  Experiment e = prepare_ones(profile);
  e.state.vstart = static_cast<std::uint64_t>(e.state.vlenb() / 2);
  return e;
}

// Every second element is masked off. Bit 25 of a masked vector instruction is 0.
Experiment prepare_mask(const ime::Profile& profile) {
  Experiment e = prepare_ones(profile);
  e.words[0] &= ~ime::unmasked_bit;
  for (int i = 0; i < e.state.vlenb(); ++i) e.state.reg(0)[i] = 0x55;
  return e;
}

std::vector<Candidate> traps_ignored_honoured(const char* ignored, const char* honoured) {
  return {traps, {"ignored", ignored}, {"honoured", honoured}};
}

}  // namespace

std::vector<Question> state_questions() {
  return {
      {"short-vl", "What does a vl below VLMAX do to vmadot (e8, half of VLMAX)?",
       traps_ignored_honoured("the whole tile is computed", "elements are left out"),
       Extension::xsmtvdot, prepare_short_vl, read_ones},
      {"vstart", "What does a vstart other than 0 do to vmadot?",
       traps_ignored_honoured("the whole tile is computed", "elements are left out"),
       Extension::xsmtvdot, prepare_vstart, read_ones},
      {"masking", "What does bit 25 = 0, the mark of a masked instruction, do to vmadot?",
       traps_ignored_honoured("the whole tile is computed", "elements are left out"),
       Extension::xsmtvdot, prepare_mask, read_ones},
  };
}

}  // namespace board

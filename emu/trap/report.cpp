// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/report.hpp"

#include "emu/trap/system_call.hpp"

#include "tessera/isa/ime/all.hpp"

namespace tessera::trap {
namespace {

constexpr int standard_error = 2;
constexpr int buffer_size = 768;

void put_place(ime::Text& text, unsigned long pc, std::uint32_t word) {
  text.put("tessera: illegal instruction at pc ").hex(pc).put(": word ").hex(word, 8);
}

void put_vtype(ime::Text& text, ime::VectorType vtype) {
  if (vtype.illegal()) {
    text.put("vill");
    return;
  }
  text.put('e').decimal(static_cast<std::uint64_t>(vtype.sew()));
  const int lmul = vtype.lmul_log2();
  text.put(lmul < 0 ? ",mf" : ",m").decimal(std::uint64_t{1} << (lmul < 0 ? -lmul : lmul));
  text.put(vtype.tail_agnostic() ? ",ta" : ",tu").put(vtype.mask_agnostic() ? ",ma" : ",mu");
}

}  // namespace

void report_breach(unsigned long pc, std::uint32_t word, const ime::Profile& profile,
                   const ime::VectorState& state, ime::Rule rule) {
  char buffer[buffer_size];
  ime::Text text(buffer, buffer_size);
  put_place(text, pc, word);
  text.put(' ');
  ime::disassemble(word, text);
  text.put("\ntessera: vtype ");
  put_vtype(text, state.vtype);
  text.put(" (").hex(state.vtype.bits).put(") vl ").decimal(state.vl);
  text.put(" vstart ").decimal(state.vstart);
  text.put(" vlen ").decimal(static_cast<std::uint64_t>(state.regs.vlenb) * 8);
  text.put(" profile ").put(profile.name());
  text.put("\ntessera: rule broken: ").put(ime::message(rule)).put('\n');
  write_all(standard_error, buffer, text.length());
}

void report_vill(unsigned long pc, std::uint32_t word) {
  char buffer[buffer_size];
  ime::Text text(buffer, buffer_size);
  put_place(text, pc, word);
  text.put(
      "\ntessera: an ordinary vector instruction, trapping because vtype is illegal (vill is "
      "set): no vsetvl came first, or the last one asked for a type that this machine lacks "
      "(e64,mf2 is accepted by A100 cores and by few others)\n");
  write_all(standard_error, buffer, text.length());
}

void report_no_vector(unsigned long pc, std::uint32_t word) {
  char buffer[buffer_size];
  ime::Text text(buffer, buffer_size);
  put_place(text, pc, word);
  text.put(' ');
  ime::disassemble(word, text);
  text.put("\ntessera: this machine has no vector registers\n");
  write_all(standard_error, buffer, text.length());
}

}  // namespace tessera::trap

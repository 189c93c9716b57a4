// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The first half of the handler: is the instruction ours? Runs with the interrupted program's
// vector registers live, and calls no libc function, because libc's may use them.
#include "emu/trap/actions.hpp"
#include "emu/trap/entry.hpp"
#include "emu/trap/gear.hpp"
#include "emu/trap/profile.hpp"
#include "emu/trap/report.hpp"
#include "emu/trap/row.hpp"
#include "emu/trap/site.hpp"
#include "emu/trap/stub.hpp"
#include "emu/trap/trace.hpp"

#include "tessera/isa/ime/all.hpp"

namespace tessera::trap {
namespace {

// Arithmetic, configuration-free vector instructions have no vsetvl among them; loads and stores
// share their opcodes with floating point, whose widths are 1 to 4.
bool is_vector_instruction(std::uint32_t word) {
  const std::uint32_t opcode = word & 0x7f;
  const std::uint32_t funct3 = word >> 12 & 7;
  if (opcode == 0x57) return funct3 != 7;
  if (opcode == 0x07 || opcode == 0x27) return funct3 == 0 || funct3 >= 5;
  return false;
}

// The state of the interrupted program: in the signal frame, or live.
void read_state(Plan* plan, const VectorFrame* frame) {
  if (frame == nullptr) return tessera_trap_read_state(plan);
  plan->vl = frame->vl;
  plan->vtype = frame->vtype;
  plan->vlenb = frame->vlenb;
  plan->registers = frame->registers;
  plan->vstart = frame->vstart;
}

// Dies where the first word breaks a rule; the others then have a trap of their own.
bool decode(Plan* plan, unsigned long pc, std::uint32_t word) {
  const ime::VectorState state{
      {nullptr, static_cast<int>(plan->vlenb)}, {plan->vtype}, plan->vl, plan->vstart, 0};
  const ime::Profile profile = profile_for(plan->vlenb);
  const int longest = present_gear() == Gear::single ? 1 : Row::capacity;
  const ime::Rule rule = decode_row(plan->row, profile, state, pc, word, longest);
  if (rule == ime::Rule::none) {
    if (present_gear() == Gear::rewrite && !tracing()) rewrite_site(pc, plan->row, plan->vlenb);
    return true;
  }
  report_breach(pc, word, profile, state, rule);
  die_on_return();
  return false;
}

}  // namespace
}  // namespace tessera::trap

int tessera_trap_arrive(int signal, siginfo_t* info, ucontext_t* context,
                        tessera::trap::Plan* plan) {
  using namespace tessera::trap;
  unsigned long pc = pc_of(context);
  if (info->si_code <= 0) {
    pass_on(signal, info, context);
    return 0;
  }
  if (pc == reinterpret_cast<unsigned long>(tessera_trap_probe)) {
    pc_of(context) += 4;
    return 0;
  }
  std::uint32_t word = fetch(pc);
  if (const Site* site = site_that_trapped(pc)) {
    pc = site->pc;
    pc_of(context) = pc;
  } else {
    word = original_word(pc, word);
  }
  if (tessera::ime::identify(word).rule == tessera::ime::Rule::unknown_word) {
    if (have_vector() && is_vector_instruction(word)) {
      const VectorFrame* frame = vector_frame_of(context);
      const tessera::ime::VectorType vtype{frame != nullptr ? frame->vtype
                                                            : tessera_trap_read_vtype()};
      if (vtype.illegal()) report_vill(pc, word);
    }
    pass_on(signal, info, context);
    return 0;
  }
  if (!have_vector()) {
    report_no_vector(pc, word);
    die_on_return();
    return 0;
  }
  const VectorFrame* frame = vector_frame_of(context);
  read_state(plan, frame);
  if (!decode(plan, pc, word)) return 0;
  if (frame == nullptr) return 1;
  tessera_trap_execute(plan, context);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/actions.hpp"
#include "emu/trap/counters.hpp"
#include "emu/trap/entry.hpp"
#include "emu/trap/profile.hpp"
#include "emu/trap/report.hpp"
#include "emu/trap/trace.hpp"

#include "tessera/isa/ime/all.hpp"

void tessera_trap_execute(tessera::trap::VectorFrame* frame, ucontext_t* context) {
  using namespace tessera;
  const unsigned long pc = trap::pc_of(context);
  const std::uint32_t word = trap::fetch(pc);
  const ime::Profile profile = trap::profile_for(frame->vlenb);
  ime::VectorState state{{frame->registers, static_cast<int>(frame->vlenb)},
                         {frame->vtype},
                         frame->vl,
                         frame->vstart,
                         frame->vcsr};
  const ime::Rule rule = ime::execute(profile, state, word);
  if (rule != ime::Rule::none) {
    trap::report_breach(pc, word, profile, state, rule);
    trap::die_on_return();
    return;
  }
  if (trap::tracing()) trap::trace_executed(pc, word);
  trap::count_retired(ime::identify(word).index);
  trap::pc_of(context) = pc + 4;
}

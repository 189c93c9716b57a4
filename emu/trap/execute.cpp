// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/entry.hpp"
#include "emu/trap/profile.hpp"
#include "emu/trap/row.hpp"

void tessera_trap_execute(const tessera::trap::Plan* plan, ucontext_t* context) {
  using namespace tessera;
  const unsigned long pc = trap::pc_of(context);
  ime::VectorState state{
      {plan->registers, static_cast<int>(plan->vlenb)}, {plan->vtype}, plan->vl, plan->vstart, 0};
  trap::execute_row(plan->row, trap::profile_for(plan->vlenb), state, pc);
  trap::pc_of(context) = pc + 4 * static_cast<unsigned long>(plan->row.count);
}

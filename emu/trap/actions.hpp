// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The SIGILL action of the process: ours in front, and the one it hides.
#ifndef TESSERA_EMU_TRAP_ACTIONS_HPP_
#define TESSERA_EMU_TRAP_ACTIONS_HPP_

#include <signal.h>

namespace tessera::trap {

/// What is done on the signal: as in sigaction, with the kernel's mask of 64 signals.
struct Action {
  void* handler;
  unsigned long flags;
  unsigned long mask;
};

/// Puts our handler in front of the present action.
void install_handler();

/// Is our handler in front?
bool handler_installed();

/// The action that gets what is not ours. Replacing it returns the one before.
Action previous_action();
Action exchange_previous_action(const Action& action);

/// Gives a signal to the previous action, with the mask that it asked for. Where that is the
/// default, the process will die of the signal when the handler returns.
void pass_on(int signal, siginfo_t* info, void* context);

/// From the handler: makes the process die of SIGILL at the same instruction on return.
void die_on_return();

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_ACTIONS_HPP_

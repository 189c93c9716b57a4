// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The SIGILL handler that main installs before the runtime.
#ifndef TESSERA_TESTS_TRAP_FOREIGN_HPP_
#define TESSERA_TESTS_TRAP_FOREIGN_HPP_

#include <csetjmp>

namespace trap_tests {

/// Installs it: it skips one instruction of a trap, and nothing of a signal that was sent. Its mask
/// names SIGUSR1.
void install_foreign_handler();

extern volatile int foreign_calls;
extern volatile bool foreign_saw_sigill_blocked;
extern volatile bool foreign_saw_sigusr1_blocked;
extern volatile bool foreign_saw_sigusr2_blocked;

/// Not 0: it jumps to foreign_jump instead of returning.
extern volatile int foreign_jumps;
extern sigjmp_buf foreign_jump;

}  // namespace trap_tests

#endif  // TESSERA_TESTS_TRAP_FOREIGN_HPP_

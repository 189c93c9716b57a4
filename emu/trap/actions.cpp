// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/actions.hpp"

#include "emu/trap/counters.hpp"
#include "emu/trap/entry.hpp"
#include "emu/trap/system_call.hpp"

#include <ucontext.h>
#include <atomic>
#include <cstddef>

namespace tessera::trap {
namespace {

// Written while another thread may be in the handler: a new value goes to a slot that is not
// current. Eight of them, so that a reader would have to sleep through seven exchanges.
constexpr unsigned slot_count = 8;
Action slots[slot_count];
std::atomic<unsigned> current{0};
std::atomic<bool> installed{false};

constexpr std::size_t kernel_mask_bytes = 8;
constexpr unsigned long sigill_bit = 1ul << (SIGILL - 1);

// What the system call takes. riscv64 has no restorer, so Linux reads one mask behind the flags; but
// QEMU before 8 believes in a restorer there, and its mask is one word further on. It gives back what
// libc wrote in either place, so only writing needs both words.
struct KernelAction {
  void* handler;
  unsigned long flags;
  unsigned long mask;
  unsigned long mask_of_old_emulators;
};

Action present_action() {
  KernelAction present{};
  system_call(SYS_rt_sigaction, SIGILL, 0, reinterpret_cast<long>(&present), kernel_mask_bytes);
  return {present.handler, present.flags, present.mask};
}

void set_action(const Action& action) {
  const KernelAction wanted{action.handler, action.flags, action.mask, action.mask};
  system_call(SYS_rt_sigaction, SIGILL, reinterpret_cast<long>(&wanted), 0, kernel_mask_bytes);
}

void set_mask(unsigned long mask) {
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), 0, kernel_mask_bytes);
}

void* as_pointer(void (*handler)(int)) {
  return reinterpret_cast<void*>(handler);
}

}  // namespace

bool handler_installed() {
  return installed.load(std::memory_order_acquire);
}

Action previous_action() {
  return slots[current.load(std::memory_order_acquire) % slot_count];
}

Action exchange_previous_action(const Action& action) {
  const unsigned now = current.load(std::memory_order_acquire);
  const Action old = slots[now % slot_count];
  slots[(now + 1) % slot_count] = action;
  current.store(now + 1, std::memory_order_release);
  return old;
}

void install_handler() {
  exchange_previous_action(present_action());
  // Every signal waits while the handler runs: somebody else's handler may use vector instructions,
  // and where vector registers are live in handlers it would overwrite the interrupted ones.
  set_action({reinterpret_cast<void*>(&tessera_trap_entry), SA_SIGINFO | SA_ONSTACK, ~0ul});
  installed.store(true, std::memory_order_release);
}

void die_on_return() {
  print_statistics();
  set_action({as_pointer(SIG_DFL), 0, 0});
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const Action action = previous_action();
  const bool sent = info->si_code <= 0;  // by kill or sigqueue: nothing to execute again
  if (sent && action.handler == as_pointer(SIG_IGN)) return;
  if (action.handler == as_pointer(SIG_DFL) || action.handler == as_pointer(SIG_IGN)) {
    die_on_return();
    if (sent) {
      system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), SIGILL);
    }
    return;
  }
  if ((action.flags & SA_RESETHAND) != 0) {
    exchange_previous_action({as_pointer(SIG_DFL), 0, 0});
  }
  unsigned long interrupted_mask;
  __builtin_memcpy(&interrupted_mask, &static_cast<ucontext_t*>(context)->uc_sigmask,
                   sizeof interrupted_mask);
  const unsigned long own = (action.flags & SA_NODEFER) != 0 ? 0 : sigill_bit;
  set_mask(interrupted_mask | action.mask | own);
  // Both kinds take these arguments; the plain kind does not look at the last two.
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(action.handler)(signal, info, context);
}

}  // namespace tessera::trap

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// For the preload library only: a program that sets its own SIGILL handler replaces the action
// behind ours, and is told the action behind ours, so that neither notices the other. (A program
// that makes the system call itself escapes this.)
#include "emu/trap/actions.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <cstring>

namespace {

using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
using Handler = void (*)(int);
using SignalFunction = Handler (*)(int, Handler);

// libc's function of this name, looked up once: dlsym is not for signal handlers, sigaction is.
template <class Function>
Function next(Function& cached, const char* name) {
  if (cached == nullptr) cached = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  return cached;
}

SigactionFunction cached_sigaction;
SignalFunction cached_signal;
SignalFunction cached_sysv_signal;

__attribute__((constructor)) void resolve() {
  next(cached_sigaction, "sigaction");
  next(cached_signal, "signal");
  next(cached_sysv_signal, "__sysv_signal");
}

bool behind_ours(int signal) {
  return signal == SIGILL && tessera::trap::handler_installed();
}

tessera::trap::Action to_kernel(const struct sigaction& action) {
  tessera::trap::Action result{};
  result.handler = reinterpret_cast<void*>(action.sa_handler);
  result.flags = static_cast<unsigned>(action.sa_flags);
  std::memcpy(&result.mask, &action.sa_mask, sizeof result.mask);
  return result;
}

void from_kernel(const tessera::trap::Action& action, struct sigaction* result) {
  std::memset(result, 0, sizeof *result);
  result->sa_handler = reinterpret_cast<void (*)(int)>(action.handler);
  result->sa_flags = static_cast<int>(action.flags);
  std::memcpy(&result->sa_mask, &action.mask, sizeof action.mask);
}

Handler replace_behind(Handler handler, int flags) {
  tessera::trap::Action action{};
  action.handler = reinterpret_cast<void*>(handler);
  action.flags = static_cast<unsigned>(flags);
  return reinterpret_cast<Handler>(tessera::trap::exchange_previous_action(action).handler);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int sigaction(int signal, const struct sigaction* action,
                                                     struct sigaction* old) noexcept {
  if (!behind_ours(signal)) return next(cached_sigaction, "sigaction")(signal, action, old);
  // Both pointers may be the same object: read before writing.
  const bool replace = action != nullptr;
  const tessera::trap::Action wanted = replace ? to_kernel(*action) : tessera::trap::Action{};
  const tessera::trap::Action previous =
      replace ? tessera::trap::exchange_previous_action(wanted) : tessera::trap::previous_action();
  if (old != nullptr) from_kernel(previous, old);
  return 0;
}

__attribute__((visibility("default"))) Handler signal(int signal, Handler handler) noexcept {
  if (!behind_ours(signal)) return next(cached_signal, "signal")(signal, handler);
  return replace_behind(handler, SA_RESTART);
}

// What `signal` is called in programs compiled for strict System V or POSIX behaviour.
__attribute__((visibility("default"))) Handler __sysv_signal(int signal, Handler handler) noexcept {
  if (!behind_ours(signal)) return next(cached_sysv_signal, "__sysv_signal")(signal, handler);
  return replace_behind(handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
}

/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* libtessera_check.so: what `tessera-run --check` looks at in one run.
 *
 *   -plugin libtessera_check.so,out=FILE[,thread=T,from=N,to=N]
 *
 * Every store of every thread, in order, goes into a hash: address of the instruction, address, size and value. Left out
 * are whole-register stores, which move tails along; saves of registers that a callee keeps, which may be dead; what the
 * SIGILL runtime does; and a value that is the process's or thread's id. FILE gets lines, written at once so that none is lost with the program:
 *   hash THREAD STORES HASH                             after every 4096 stores
 *   end THREAD STORES HASH                              at the program's exit
 *   store THREAD N PC ADDRESS SIZE VALUE SYMBOL         of thread T, from store `from` to before `to`
 *   misaligned PC ADDRESS SIZE load|store SYMBOL        the first time at each pc: an element of a vector access whose
 *                                                       address is no multiple of its size */
#define _GNU_SOURCE /* gettid */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/plugin/decode.h"
#include "emu/plugin/options.h"
#include "emu/plugin/qemu_plugin.h"
#include "emu/plugin/steady.h"
#include "emu/plugin/symbols.h"
#include "emu/plugin/trap_state.h"

TESSERA_PLUGIN_EXPORT int qemu_plugin_version = 1;

enum { most_threads = 1024, interval = 4096 };

/* One translated instruction that accesses memory, or begins or ends the handling of a trap. */
struct site {
  struct decoded d;
  uint64_t pc;
  const void* host;
  bool signal_return;
  bool vector;
  bool reported;
};

struct thread {
  struct trap_state trap;
  struct steady_call call;
  uint64_t stores;
  uint64_t hash;
  uint64_t id;
};

static struct thread threads[most_threads];
static struct symbol_table symbols;
static uint64_t base; /* of the program's memory in this process */
static uint64_t traced_thread, traced_from, traced_to;
static int out = -1;
static pid_t own_process;
static bool in_child; /* of a fork: FILE is its parent's */

static struct thread* thread_of(unsigned vcpu) {
  if (vcpu >= most_threads) {
    fprintf(stderr, "tessera: more than %d threads\n", most_threads);
    _exit(2);
  }
  return &threads[vcpu];
}

__attribute__((format(printf, 1, 2))) static void say(const char* format, ...) {
  char line[8192];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof line) { /* a very long name */
    length = sizeof line;
    line[length - 1] = '\n';
  }
  if (write(out, line, (size_t)length) != length) {
    fprintf(stderr, "tessera: the check plugin cannot write\n");
    _exit(2);
  }
}

static const char* name_at(uint64_t pc) {
  return symbols.symbols[symbol_at(&symbols, pc)].name;
}

static uint64_t mix(uint64_t hash, uint64_t x) {
  hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t stored_value(struct thread* t, uint64_t address, unsigned size) {
  uint64_t value = 0;
  memcpy(&value, (const void*)(uintptr_t)(base + address), size > 8 ? 8 : size);
  /* libc keeps them in memory, and they differ between runs. */
  if (t->id == 0) t->id = (uint64_t)gettid();
  if (size >= 4 && (value == t->id || value == (uint64_t)own_process)) return 0;
  return value;
}

static void check_alignment(struct site* site, uint64_t address, unsigned size, bool store) {
  if (site->reported || address % size == 0) return;
  site->reported = true;
  say("misaligned %" PRIx64 " %" PRIx64 " %u %s %s\n", site->pc, address, size,
      store ? "store" : "load", name_at(site->pc));
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  struct site* site = data;
  struct thread* t = thread_of(vcpu);
  if (t->trap.handling || in_child) return;
  const unsigned size = 1u << qemu_plugin_mem_size_shift(info);
  const bool store = qemu_plugin_mem_is_store(info);
  if (site->vector) check_alignment(site, address, size, store);
  if (!store || (site->vector && site->d.access == access_whole)) return;
  const uint64_t value = stored_value(t, address, size);
  if (vcpu == traced_thread && t->stores >= traced_from && t->stores < traced_to)
    say("store %u %" PRIu64 " %" PRIx64 " %" PRIx64 " %u %" PRIx64 " %s\n", vcpu, t->stores,
        site->pc, address, size, value, name_at(site->pc));
  t->hash = mix(mix(mix(mix(t->hash, site->pc), address), value), size);
  t->stores += 1;
  if (t->stores % interval == 0) say("hash %u %" PRIu64 " %" PRIx64 "\n", vcpu, t->stores, t->hash);
}

/* sd or fsd of a callee-saved register to the stack. */
static bool saves_register(uint32_t word, size_t size) {
  unsigned saved;
  if (size == 2 && ((word & 0xE003) == 0xE002 || (word & 0xE003) == 0xA002))
    saved = word >> 2 & 31;
  else if (size == 4 && (word & 0xF8000) == 2u << 15 &&
           ((word & 0x707F) == 0x3023 || (word & 0x707F) == 0x3027))
    saved = word >> 20 & 31;
  else
    return false;
  return saved == 8 || saved == 9 || (saved >= 18 && saved <= 27);
}

static void on_trap(unsigned vcpu, void* data) {
  const struct site* site = data;
  trap_begin(&thread_of(vcpu)->trap, site->pc, site->host);
}

static void on_signal_return(unsigned vcpu, void* data) {
  (void)data;
  trap_returns(&thread_of(vcpu)->trap);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(block);
  if (symbols.count == 0) {
    const struct qemu_plugin_insn* first = qemu_plugin_tb_get_insn(block, 0);
    symbols = read_symbols(qemu_plugin_path_to_binary(), qemu_plugin_start_code());
    base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first) - qemu_plugin_insn_vaddr(first);
  }
  struct site* sites = calloc(count, sizeof *sites);
  if (sites == NULL) abort();
  for (size_t i = 0; i < count; ++i) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(block, i);
    struct site* s = &sites[i];
    s->d = decode_insn(word_of(insn), (unsigned)qemu_plugin_insn_size(insn));
    s->pc = qemu_plugin_insn_vaddr(insn);
    s->host = qemu_plugin_insn_haddr(insn);
    s->vector = s->d.insn_class == class_vector_load || s->d.insn_class == class_vector_store;
    if (s->d.insn_class == class_ime)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_trap, QEMU_PLUGIN_CB_NO_REGS, s);
    if (is_signal_return(block, i))
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_signal_return, QEMU_PLUGIN_CB_NO_REGS, s);
    if (saves_register(word_of(insn), qemu_plugin_insn_size(insn))) continue;
    qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     s->vector ? QEMU_PLUGIN_MEM_RW : QEMU_PLUGIN_MEM_W, s);
  }
}

static void on_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                    uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  steady_begin(&thread_of(vcpu)->call, number, a1, a2);
}

static void on_call_end(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result) {
  (void)id;
  const struct thread* t = thread_of(vcpu);
  if (t->call.number == number) steady_end(&t->call, result, base);
}

static void on_exit_of_program(qemu_plugin_id_t id, void* data) {
  (void)id;
  (void)data;
  if (in_child) return;
  for (unsigned v = 0; v < most_threads; ++v) {
    if (threads[v].stores != 0)
      say("end %u %" PRIu64 " %" PRIx64 "\n", v, threads[v].stores, threads[v].hash);
  }
}

static void on_fork(void) {
  in_child = true;
}

static bool read_options(int argc, char** argv) {
  static const char* const known[] = {"out", "thread", "from", "to"};
  if (!options_known(argc, argv, known, 4)) return false;
  uint64_t* numbers[] = {&traced_thread, &traced_from, &traced_to};
  for (int i = 0; i < 3; ++i) {
    const char* text = option_text(argc, argv, known[i + 1]);
    if (text != NULL && !option_number(text, '\0', numbers[i])) {
      fprintf(stderr, "tessera: %s=%s is no number\n", known[i + 1], text);
      return false;
    }
  }
  const char* path = option_text(argc, argv, "out");
  if (path != NULL) out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0) fprintf(stderr, "tessera: the check plugin needs out=FILE that can be written\n");
  return out >= 0;
}

TESSERA_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info,
                                              int argc, char** argv) {
  if (info->system_emulation || strcmp(info->target_name, "riscv64") != 0) {
    fprintf(stderr, "tessera: the check plugin is for qemu-riscv64\n");
    return -1;
  }
  own_process = getpid();
  if (pthread_atfork(NULL, NULL, on_fork) != 0) return -1;
  if (!read_options(argc, argv)) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_call_end);
  qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* libtessera_count.so: counts the instructions that a riscv64 program retires under qemu-riscv64.
 *
 *   qemu-riscv64 ... -plugin libtessera_count.so,out=FILE[,vlen=BITS][,symbol=NAME|,range=0xBEGIN-0xEND] PROGRAM
 *
 * vtype is followed from the vset instructions, whose immediates hold it. vl is not: this interface shows no register.
 * It is known after vsetivli and after a vset to VLMAX, and otherwise from the number of elements that an unmasked
 * unit-stride access then moves; only gathers need it, and those before it is known count as VLMAX and are counted
 * apart. Elements of strided, indexed and segment accesses are seen one by one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/plugin/counters.h"
#include "emu/plugin/options.h"
#include "emu/plugin/qemu_plugin.h"
#include "emu/plugin/region.h"
#include "emu/plugin/symbols.h"
#include "emu/plugin/trap_state.h"

TESSERA_PLUGIN_EXPORT int qemu_plugin_version = 1;

enum { most_threads = 1024, unknown = -1 };

/* One translated instruction. Never given back: QEMU may run a block as long as it likes. */
struct site {
  struct decoded d;
  uint64_t pc;
  const void* host;
  uint32_t symbol;
  uint8_t size;
  bool signal_return;
};

struct thread {
  struct trap_state trap;
  size_t trap_symbol;
  bool trap_counted;
  struct region_state region;
  uint16_t vtype;
  bool vtype_known;
  int vl;
  const struct site* access; /* the vector load or store that runs */
  uint64_t access_elements;
  bool counted; /* the instruction that runs is inside the region */
  struct counters* of_symbol;
};

static struct thread* threads[most_threads];
static struct symbol_table symbols;
static struct region region = {.whole = true};
static const char* out_path;
static const char* region_function;
static uint64_t vlen;
static pid_t own_process;

static struct thread* thread_of(unsigned vcpu) {
  if (vcpu >= most_threads) {
    fprintf(stderr, "tessera: more than %d threads\n", most_threads);
    exit(2);
  }
  struct thread* t = threads[vcpu];
  if (t != NULL) return t;
  t = calloc(1, sizeof *t);
  if (t == NULL) abort();
  t->of_symbol = calloc(symbols.count, sizeof *t->of_symbol);
  if (t->of_symbol == NULL) abort();
  t->vl = unknown;
  t->vtype_known = true; /* vill, so nothing runs before a vset */
  threads[vcpu] = t;
  return t;
}

static unsigned vlmax(unsigned vtype) {
  return (unsigned)(vlen * lmul_eighths_of(vtype) / 64 / sew_bytes_of(vtype));
}

static void follow_vset(struct thread* t, const struct decoded* d) {
  if (d->vset == vset_unknown) {
    t->vtype_known = false;
    t->vl = unknown;
    return;
  }
  const unsigned most = vlmax(d->vtype);
  t->vtype = d->vtype;
  t->vtype_known = true;
  if (d->vset == vset_immediate_avl) {
    t->vl = vlen == 0 || d->avl < most ? d->avl : (int)most;
  } else if (d->vset == vset_maximum) {
    t->vl = vlen == 0 ? unknown : (int)most;
  } else if (d->vset == vset_register_avl) {
    t->vl = unknown;
  }
}

/* The number of elements of the access before tells what vl is. */
static void end_access(struct thread* t) {
  const struct decoded* d = &t->access->d;
  if (t->vl == unknown && d->access == access_unit && d->group == group_memory && !d->masked)
    t->vl = (int)t->access_elements;
  t->access = NULL;
}

static void count_memory(struct thread* t, struct counters* c, const struct decoded* d) {
  struct access_counters* a =
      d->insn_class == class_vector_load ? &c->loads[d->access] : &c->stores[d->access];
  a->instructions += 1;
  a->registers += data_registers(d, t->vtype);
  /* Those by element are weighed as they come; with none of them it is an instruction still. */
  if (d->access == access_unit || d->access == access_whole)
    c->weighted += widest_group(d, t->vtype);
}

static void count_arithmetic(struct thread* t, struct counters* c, const struct decoded* d) {
  const unsigned registers = widest_group(d, t->vtype);
  if (d->gather) {
    const unsigned elements = t->vl != unknown ? (unsigned)t->vl : vlmax(t->vtype);
    c->gathers += 1;
    c->gathered_elements += elements;
    if (t->vl == unknown) c->gathered_at_most += elements;
    c->weighted += elements > 1 ? elements : 1;
  } else if (d->eight_times) {
    c->divided_registers += registers;
    c->weighted += 8 * (uint64_t)registers;
  } else {
    c->arithmetic_registers += registers;
    c->weighted += registers;
  }
}

static void count_ime(struct counters* c, uint8_t kind, uint64_t times) {
  c->instructions += times;
  c->weighted += times;
  c->of_class[class_ime] += times;
  if (kind == ime_dot) c->ime_dot += times;
  if (kind == ime_float_dot) c->ime_float_dot += times;
  if (kind == ime_layout) c->ime_layout += times;
}

static void count_retired(struct thread* t, unsigned retired, const uint8_t* words) {
  if (!t->trap_counted) return;
  for (unsigned i = 0; i < retired; ++i) {
    uint32_t word;
    memcpy(&word, words + 4 * i, sizeof word);
    count_ime(&t->of_symbol[t->trap_symbol], decode_insn(word, 4).ime, 1);
  }
}

static void on_insn(unsigned vcpu, void* data) {
  const struct site* site = data;
  struct thread* t = thread_of(vcpu);
  const struct decoded* d = &site->d;
  if (t->access != NULL) end_access(t);
  t->counted = false;
  if (t->trap.handling) {
    if (site->signal_return) trap_returns(&t->trap);
    return;
  }
  if (t->trap.pc != 0) {
    const uint8_t* words = t->trap.host;
    count_retired(t, trap_retired(&t->trap, site->pc), words);
  }
  t->counted =
      region_follow(&t->region, &region, &symbols, site->symbol, site->pc, site->size, d->flow);
  if (d->insn_class == class_ime) {
    trap_begin(&t->trap, site->pc, site->host);
    t->trap_symbol = site->symbol;
    t->trap_counted = t->counted;
    return; /* it retires when the thread comes back behind it */
  }
  struct counters* c = &t->of_symbol[site->symbol];
  if (d->insn_class == class_vset) follow_vset(t, d);
  const bool memory = d->insn_class == class_vector_load || d->insn_class == class_vector_store;
  if (memory) {
    t->access = site;
    t->access_elements = 0;
  }
  if (!t->counted) return;
  c->instructions += 1;
  c->of_class[d->insn_class] += 1;
  if (memory) {
    count_memory(t, c, d);
  } else if (d->insn_class == class_vector_arithmetic) {
    count_arithmetic(t, c, d);
  } else {
    c->weighted += 1;
  }
  const bool uses_vtype =
      d->group == group_lmul || d->group == group_wide || (d->group == group_memory && memory);
  if (uses_vtype && !t->vtype_known) c->unknown_vtype += 1;
}

/* One element of a vector access. */
static void on_element(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)address;
  const struct site* site = data;
  const struct decoded* d = &site->d;
  struct thread* t = thread_of(vcpu);
  if (t->access != site) return;
  ++t->access_elements;
  if (!t->counted) return;
  struct counters* c = &t->of_symbol[site->symbol];
  struct access_counters* a =
      qemu_plugin_mem_is_store(info) ? &c->stores[d->access] : &c->loads[d->access];
  a->elements += 1;
  a->bytes += (uint64_t)1 << qemu_plugin_mem_size_shift(info);
  if (d->access != access_unit && d->access != access_whole) c->weighted += 1;
}

/* QEMU loads its plugins before it knows the program. */
static void read_program(void) {
  symbols = read_symbols(qemu_plugin_path_to_binary(), qemu_plugin_start_code());
  if (region_function != NULL && !region_of_function(&region, &symbols, region_function)) _exit(2);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  if (symbols.count == 0) read_program(); /* there is one thread yet */
  const size_t count = qemu_plugin_tb_n_insns(block);
  struct site* sites = calloc(count, sizeof *sites);
  if (sites == NULL) abort();
  for (size_t i = 0; i < count; ++i) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(block, i);
    struct site* s = &sites[i];
    s->size = (uint8_t)qemu_plugin_insn_size(insn);
    s->d = decode_insn(word_of(insn), s->size);
    s->pc = qemu_plugin_insn_vaddr(insn);
    s->host = qemu_plugin_insn_haddr(insn);
    s->symbol = (uint32_t)symbol_at(&symbols, s->pc);
    s->signal_return = is_signal_return(block, i);
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, QEMU_PLUGIN_CB_NO_REGS, s);
    if (s->d.insn_class == class_vector_load || s->d.insn_class == class_vector_store)
      qemu_plugin_register_vcpu_mem_cb(insn, on_element, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                       s);
  }
}

struct named_counters {
  const char* name;
  struct counters counters;
};

static int by_instructions(const void* left, const void* right) {
  const struct named_counters* x = left;
  const struct named_counters* y = right;
  if (x->counters.instructions != y->counters.instructions)
    return x->counters.instructions > y->counters.instructions ? -1 : 1;
  return strcmp(x->name, y->name);
}

static void print_all(FILE* out) {
  struct named_counters* of = calloc(symbols.count, sizeof *of);
  if (of == NULL) abort();
  struct counters total;
  memset(&total, 0, sizeof total);
  uint64_t entered = 0;
  for (size_t i = 0; i < symbols.count; ++i) of[i].name = symbols.symbols[i].name;
  for (size_t v = 0; v < most_threads; ++v) {
    if (threads[v] == NULL) continue;
    entered += threads[v]->region.entered;
    for (size_t i = 0; i < symbols.count; ++i)
      add_counters(&of[i].counters, &threads[v]->of_symbol[i]);
  }
  for (size_t i = 0; i < symbols.count; ++i) add_counters(&total, &of[i].counters);
  qsort(of, symbols.count, sizeof *of, by_instructions);
  fprintf(out, "{\n  \"format\": \"tessera-counts 1\",\n  \"program\": ");
  const char* path = qemu_plugin_path_to_binary();
  print_string(out, path != NULL ? path : "?");
  fprintf(out, ",\n  \"vlen\": %" PRIu64 ",\n  \"region\": ", vlen);
  print_string(out, region.whole ? "whole" : region.name);
  fprintf(out, ",\n  \"entered\": %" PRIu64 ",\n  \"total\": {\n", entered);
  print_counters(out, &total, "    ");
  fprintf(out, "\n  },\n  \"symbols\": [");
  for (size_t i = 0; i < symbols.count && of[i].counters.instructions != 0; ++i) {
    fprintf(out, "%s\n    {\n      \"name\": ", i == 0 ? "" : ",");
    print_string(out, of[i].name);
    fprintf(out, ",\n");
    print_counters(out, &of[i].counters, "      ");
    fprintf(out, "\n    }");
  }
  fprintf(out, "\n  ]\n}\n");
  free(of);
}

static void on_exit_of_program(qemu_plugin_id_t id, void* data) {
  (void)id;
  (void)data;
  if (getpid() != own_process) return; /* a child of fork: the file is its parent's */
  FILE* out = fopen(out_path, "w");
  if (out == NULL) {
    fprintf(stderr, "tessera: cannot write %s\n", out_path);
    return;
  }
  print_all(out);
  if (fclose(out) != 0) fprintf(stderr, "tessera: cannot write %s\n", out_path);
}

static bool read_options(int argc, char** argv) {
  static const char* const known[] = {"out", "vlen", "symbol", "range"};
  if (!options_known(argc, argv, known, 4)) return false;
  out_path = option_text(argc, argv, "out");
  const char* text = option_text(argc, argv, "vlen");
  region_function = option_text(argc, argv, "symbol");
  const char* range = option_text(argc, argv, "range");
  if (out_path == NULL || (text != NULL && !option_number(text, '\0', &vlen))) {
    fprintf(stderr, "tessera: the count plugin needs out=FILE; vlen=BITS is a number\n");
    return false;
  }
  if (range == NULL) return true;
  region = (struct region){.name = range};
  const char* dash = strchr(range, '-');
  if (option_number(range, '-', &region.begin) && option_number(dash + 1, '\0', &region.end) &&
      region.begin < region.end)
    return true;
  fprintf(stderr, "tessera: range=%s is not 0xBEGIN-0xEND\n", range);
  return false;
}

TESSERA_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info,
                                              int argc, char** argv) {
  if (info->system_emulation || strcmp(info->target_name, "riscv64") != 0) {
    fprintf(stderr, "tessera: the count plugin is for qemu-riscv64\n");
    return -1;
  }
  own_process = getpid();
  /* QEMU keeps the arguments no longer than this call. */
  char** kept = calloc((size_t)argc + 1, sizeof *kept);
  for (int i = 0; kept != NULL && i < argc; ++i) kept[i] = strdup(argv[i]);
  if (kept == NULL || !read_options(argc, kept)) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
  return 0;
}

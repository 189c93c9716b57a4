/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/trap_state.h"

#include <string.h>

#include "emu/plugin/decode.h"

enum { longest_row = 4096 };

void trap_begin(struct trap_state* state, uint64_t pc, const void* host) {
  *state = (struct trap_state){true, pc, host};
}

void trap_returns(struct trap_state* state) {
  state->handling = false;
}

unsigned trap_retired(struct trap_state* state, uint64_t pc) {
  const uint64_t count = (pc - state->pc) / 4;
  if (state->pc == 0 || pc <= state->pc || (pc - state->pc) % 4 != 0 || count > longest_row)
    return 0;
  const uint8_t* words = state->host;
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word;
    memcpy(&word, words + 4 * i, sizeof word);
    if (decode_insn(word, 4).insn_class != class_ime) return 0;
  }
  state->pc = 0;
  return (unsigned)count;
}

bool is_signal_return(const struct qemu_plugin_tb* block, size_t index) {
  if (index == 0) return false;
  return word_of(qemu_plugin_tb_get_insn(block, index)) == system_call &&
         word_of(qemu_plugin_tb_get_insn(block, index - 1)) == sigreturn_number;
}

uint32_t word_of(const struct qemu_plugin_insn* insn) {
  uint32_t word = 0;
  memcpy(&word, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn) == 2 ? 2 : 4);
  return word;
}

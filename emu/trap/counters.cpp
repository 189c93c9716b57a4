// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/counters.hpp"

#include "emu/trap/destination.hpp"
#include "emu/trap/system_call.hpp"
#include "emu/trap/tessera_trap.h"

#include "tessera/isa/ime/all.hpp"

#include <fcntl.h>
#include <atomic>
#include <cstring>

namespace tessera::trap {
namespace {

constexpr int name_capacity = 32;

Destination destination;
std::atomic<long> owner{0};

struct Names {
  char text[ime::instruction_count][name_capacity];
};

constexpr Names make_names() {
  Names names{};
  for (int i = 0; i < ime::instruction_count; ++i) {
    ime::Text text(names.text[i], name_capacity);
    ime::write_name(i, text);
  }
  return names;
}

constexpr Names names = make_names();

}  // namespace

std::atomic<std::uint64_t> retired[ime::instruction_count];

namespace {

std::uint64_t load(int index) {
  return retired[index].load(std::memory_order_relaxed);
}

}  // namespace

void choose_statistics(const char* value) {
  destination.choose(value);
}

void begin_counts() {
  owner.store(system_call(SYS_getpid), std::memory_order_relaxed);
  for (auto& count : retired) count.store(0, std::memory_order_relaxed);
}

bool leave_statistics() {
  if (!destination.chosen() || owner.load(std::memory_order_relaxed) != system_call(SYS_getpid)) {
    return false;
  }
  for (int i = 0; i < ime::instruction_count; ++i) {
    if (load(i) == 0) continue;
    print_statistics();
    return true;
  }
  return false;
}

void print_statistics() {
  if (!destination.chosen()) return;
  const int descriptor = destination.open(O_TRUNC);
  if (descriptor < 0) return;
  std::uint64_t total = 0;
  char line[96];
  for (int i = 0; i < ime::instruction_count; ++i) {
    const std::uint64_t count = load(i);
    total += count;
    if (count == 0) continue;
    ime::Text text(line, sizeof line);
    text.put("retired ").put(names.text[i]).put(' ').decimal(count).put('\n');
    write_all(descriptor, line, text.length());
  }
  ime::Text text(line, sizeof line);
  text.put("retired total ").decimal(total).put('\n');
  write_all(descriptor, line, text.length());
  close_destination(descriptor);
}

}  // namespace tessera::trap

unsigned tessera_trap_instructions(void) {
  return tessera::ime::instruction_count;
}

const char* tessera_trap_name(unsigned index) {
  return index < tessera_trap_instructions() ? tessera::trap::names.text[index] : nullptr;
}

uint64_t tessera_trap_retired_at(unsigned index) {
  return index < tessera_trap_instructions() ? tessera::trap::load(static_cast<int>(index)) : 0;
}

uint64_t tessera_trap_retired(const char* name) {
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) {
    if (std::strcmp(name, tessera_trap_name(i)) == 0) return tessera_trap_retired_at(i);
  }
  return 0;
}

void tessera_trap_reset(void) {
  for (auto& count : tessera::trap::retired) count.store(0, std::memory_order_relaxed);
}

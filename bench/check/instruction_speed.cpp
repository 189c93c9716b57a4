// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Straight lines of one instruction: the same accumulator again and again for the latency, twelve in turn
// for the throughput.
#include <cstdio>
#include <vector>

#include "bench/check/execution.hpp"
#include "bench/check/speed.hpp"
#include "bench/check/stopwatch.hpp"
#include "tessera/isa/ime/all.hpp"
#include "tests/isa/model.hpp"
#include "tests/trap/machine.hpp"

namespace board {
namespace {

constexpr int length = 960;
constexpr std::uint32_t vsetvli_e8_m1 = 0x0c0072d7;  // t0, zero: vl = VLMAX

std::string line(const char* what, double value, const std::string& key) {
  char text[96];
  std::snprintf(text, sizeof text, "%s\t%.9g\t%s\n", what, value, key.c_str());
  return text;
}

alignas(128) unsigned char memory[8 * 8192];  // eight of the longest registers

/// Nanoseconds of one of `length` words; word(i) is the i-th. a0 is the address of memory.
template <class Word>
double nanoseconds_each(Word word) {
  std::vector<std::uint32_t> words{vsetvli_e8_m1};
  for (int i = 0; i < length; ++i) words.push_back(word(i));
  const trap_tests::Code code{std::span<const std::uint32_t>(words)};
  const auto call = reinterpret_cast<void (*)(void*)>(code.address());
  return nanoseconds([&] { call(memory); }) / length;
}

// Registers that no rule forbids: results v4 to v27, sources v28 to v30.
ime::Operands operands(int vd) {
  return {static_cast<std::uint8_t>(vd), 28, 30, 0, 0};
}

/// The kinds of latencies.tsv.
std::string kind_of(const ime::Descriptor& d) {
  const bool two = d.signature.vd_registers == 2;
  if (d.element == ime::Element::none) return two ? "pack" : "narrow";
  if (d.element == ime::Element::float16) return "float";
  if (d.signature.form == ime::Form::registers_vmask_imm) return two ? "sparse" : "scaled";
  return "dot";
}

std::string time_instruction(int index) {
  const ime::Descriptor& d = ime::Instructions::table[index];
  const int step = d.signature.vd_registers;
  const auto word = [&](const ime::Operands& o) { return ime::Instructions::encode(index, o); };
  const double each = nanoseconds_each([&](int i) { return word(operands(4 + step * (i % 12))); });
  // Layout instructions read no result: two of them feed one another.
  const bool layout = d.element == ime::Element::none;
  const double latency = nanoseconds_each([&](int i) {
    if (!layout) return word(operands(4));
    return i % 2 == 0 ? word({4, 8, 30, 0, 0}) : word({8, 4, 30, 0, 0});
  });
  return line("throughput", each, kind_of(d) + " throughput") +
         line("latency", latency, kind_of(d) + " latency");
}

struct Plain {
  const char* name;
  std::uint32_t word;  ///< with vd = v0
  int registers;       ///< from one result to the next
  const char* key;
};
constexpr Plain plain[] = {
    {"vsetvli e8,m1", vsetvli_e8_m1, 0, "vset"},
    {"vadd.vv m1", 0x02000057 | 28u << 20 | 30u << 15, 1, "arithmetic_register"},
    {"vl1re8.v", 0x02850007, 1, "load_1"},
    {"vl8re8.v", 0xe2850007, 8, "load_8"},
    {"vs1r.v", 0x02850027, 1, "store_1"},
};

std::string time_plain(const Plain& p) {
  const double each = nanoseconds_each([&](int i) {
    const int turns = p.registers == 8 ? 3 : 12;
    return p.word | static_cast<std::uint32_t>(p.registers * (i % turns)) << 7;
  });
  return line("throughput", each, p.key);
}

}  // namespace

std::vector<SpeedItem> instruction_speed_items() {
  std::vector<SpeedItem> items;
  for (const Plain& p : plain) items.push_back({p.name, [p](Progress&) { return time_plain(p); }});
  for (int i = 0; i < ime::instruction_count; ++i)
    items.push_back({isa_tests::name_of(i), [i](Progress&) { return time_instruction(i); }});
  return items;
}

}  // namespace board

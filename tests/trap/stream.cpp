// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/trap/stream.hpp"

#include "tests/isa/model.hpp"
#include "tests/trap/plain_vector.hpp"

#include <cstring>

namespace trap_tests {
namespace {

constexpr std::uint16_t short_nop = 0x0001;

// Operands from a window of registers: in a narrow one instructions depend on each other.
class Operands {
 public:
  explicit Operands(Random& random)
      : random_(random),
        base_(random.below(32)),
        span_(random.chance(50) ? 32 : 4 + random.below(8)) {}
  std::uint8_t reg() { return static_cast<std::uint8_t>((base_ + random_.below(span_)) % 32); }
  /// The first register of an aligned group.
  std::uint32_t group(int count) { return reg() & ~static_cast<std::uint32_t>(count - 1); }
  ime::Operands matrix() {
    return {.vd = reg(),
            .vs1 = reg(),
            .vs2 = reg(),
            .vmask = static_cast<std::uint8_t>(random_.below(2)),
            .imm = static_cast<std::uint8_t>(random_.below(8))};
  }

 private:
  Random& random_;
  std::uint32_t base_, span_;
};

// A legal word of the instruction at `index`, or 0.
std::uint32_t legal_word(const ime::Profile& profile, const ime::VectorState& state,
                         Operands& operands, int index) {
  constexpr int attempts = 40;
  const ime::Signature& signature = ime::Instructions::table[index].signature;
  for (int i = 0; i < attempts; ++i) {
    const ime::Operands o = operands.matrix();
    if (ime::check_operands(signature, o) != ime::Rule::none) continue;
    const std::uint32_t word = ime::Instructions::encode(index, o);
    return isa_tests::check(profile, state, word) == ime::Rule::none ? word : 0;
  }
  return 0;
}

// A setting that any core allows: SEW at most 64 * LMUL. Matrix instructions want LMUL 1.
void append_setting(Random& random, ime::VectorState& state, Stream& stream) {
  const int lmul = random.chance(80) ? 0 : static_cast<int>(random.below(7)) - 3;
  const auto sews = static_cast<std::uint32_t>(lmul < 0 ? 4 + lmul : 4);
  std::uint32_t vtype = (static_cast<std::uint32_t>(lmul) & 7) | random.below(sews) << 3;
  const std::uint64_t most = plain_vector::longest({vtype}, state.regs.vlenb);
  std::uint32_t word;
  if (random.chance(20)) {
    word = plain_vector::set_length(
        random.below(most < 31 ? static_cast<std::uint32_t>(most) + 1 : 32), vtype);
  } else {
    if (lmul >= 0) vtype |= random.below(4) << 6;  // no tail: the policies are free
    word = plain_vector::set_longest(vtype);
  }
  plain_vector::configure(state, word);
  stream.put(word);
  ++stream.plain_words;
}

void append_plain(Random& random, ime::VectorState& state, Stream& stream) {
  Operands operands(random);
  std::uint32_t word = plain_vector::nop;
  switch (random.below(8)) {
    case 0:
      stream.halves.push_back(short_nop);
      return;
    case 1:
      break;
    case 2:
      word = plain_vector::set_vcsr(random.below(8));
      break;
    case 3: {
      const int count = 1 << random.below(4);
      word = plain_vector::move_registers(static_cast<std::uint32_t>(count), operands.group(count),
                                          operands.group(count));
      break;
    }
    case 4:
    case 5:
      return append_setting(random, state, stream);
    default: {
      const int lmul = state.vtype.lmul_log2();
      const int count = lmul > 0 ? 1 << lmul : 1;
      const auto operation = plain_vector::operations[random.below(6)];
      const bool immediate = random.chance(30) && operation != plain_vector::vsub;
      word = plain_vector::arithmetic(operation,
                                      immediate ? plain_vector::funct3_vi : plain_vector::funct3_vv,
                                      operands.group(count), operands.group(count),
                                      immediate ? random.below(32) : operands.group(count));
    }
  }
  stream.put(word);
  ++stream.plain_words;
}

}  // namespace

Fetched fetch(std::span<const std::uint16_t> halves, std::size_t half) {
  const std::uint32_t low = halves[half];
  if ((low & 3) != 3) return {low, 1};
  return {low | static_cast<std::uint32_t>(halves[half + 1]) << 16, 2};
}

void fill(Random& random, const ime::RegFile& registers) {
  const std::uint32_t kind = random.below(4);
  const int count = 32 * registers.vlenb / 8;
  for (int i = 0; i < count; ++i) {
    std::uint64_t bytes = random.next();
    // The exponents of the halves: of fp16 9 to 15, of bf16 72 to 127.
    if (kind == 1) bytes = (bytes & 0x9bff9bff9bff9bff) | 0x2400240024002400;
    if (kind == 2) bytes = (bytes & 0x8080808080808080) + 0x7f7f7f7f7f7f7f7f * (bytes & 1);
    std::memcpy(registers.bytes + 8 * i, &bytes, 8);
  }
}

void make_ready(const ime::Profile& profile, ime::VectorState& state) {
  state.vtype.bits = 0xc0;
  state.vl = static_cast<std::uint64_t>(profile.vlen_bytes());
  state.vstart = 0;
  state.vcsr = 0;
}

void append_row(Random& random, const ime::Profile& profile, const ime::VectorState& state,
                Stream& stream, int count) {
  Operands operands(random);
  int index = 0;
  for (int i = 0, attempts = 0; i < count && attempts < 4 * count; ++attempts) {
    if (i == 0 || random.chance(60)) index = static_cast<int>(random.below(ime::instruction_count));
    if (!profile.has(ime::Instructions::table[index].extension)) {
      index = static_cast<int>(random.below(4));  // of the cores without the others
    }
    const std::uint32_t word = legal_word(profile, state, operands, index);
    if (word == 0) {
      index = static_cast<int>(random.below(ime::instruction_count));
      continue;
    }
    stream.put(word);
    ++stream.matrix_words;
    ++i;
  }
}

Stream make_stream(Random& random, const ime::Profile& profile) {
  constexpr int most_words = 96;
  ime::VectorState state{{nullptr, profile.vlen_bytes()}, {}, 0, 0, 0};
  make_ready(profile, state);
  Stream stream;
  const int wanted = 1 + static_cast<int>(random.below(most_words));
  while (stream.matrix_words + stream.plain_words < wanted) {
    const std::uint32_t longest = random.chance(50) ? 3 : random.chance(70) ? 10 : 40;
    append_row(random, profile, state, stream, 1 + static_cast<int>(random.below(longest)));
    for (std::uint32_t i = 1 + random.below(4); i > 0; --i) append_plain(random, state, stream);
  }
  return stream;
}

ime::Rule execute_stream(const ime::Profile& profile, ime::VectorState& state,
                         std::span<const std::uint16_t> halves) {
  for (std::size_t half = 0; half < halves.size();) {
    const Fetched fetched = fetch(halves, half);
    half += static_cast<std::size_t>(fetched.halves);
    if (fetched.word == short_nop) continue;
    if ((fetched.word & ime::opcode_mask) == ime::opcode_custom1) {
      const ime::Rule rule = isa_tests::execute(profile, state, fetched.word);
      if (rule != ime::Rule::none) return rule;
    } else {
      plain_vector::execute(state, fetched.word);
    }
  }
  return ime::Rule::none;
}

}  // namespace trap_tests

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Random streams of instructions, executed by the runtime on the real registers and by the
// definition of the instructions: registers, vl, vtype, vstart and vcsr must be the same.
//   random_streams [--seconds N] [--words N] [--seed N] [--streams N]
// Ends after so many seconds (default: TESSERA_FUZZ_SECONDS, else 3), matrix words or streams. Stream
// i has the seed N + i (default: the clock); the seed of a failure with --streams 1 replays it.
#include "emu/trap/tessera_trap.h"
#include "tests/isa/model.hpp"
#include "tests/trap/machine.hpp"
#include "tests/trap/stream.hpp"

#include <sys/mman.h>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

namespace ime = tessera::ime;
using trap_tests::Random;
using trap_tests::Stream;

using Halves = std::span<const std::uint16_t>;

struct Limits {
  std::uint64_t seconds = 3;
  std::uint64_t words = UINT64_MAX;
  std::uint64_t seed = static_cast<std::uint64_t>(std::time(nullptr)) << 20;
  std::uint64_t streams = UINT64_MAX;
};

bool read(int argc, char** argv, Limits& limits) {
  const char* chosen = std::getenv("TESSERA_FUZZ_SECONDS");
  if (chosen != nullptr) limits.seconds = std::strtoull(chosen, nullptr, 0);
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    const char* name = argv[i];
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 0);
    if (std::strcmp(name, "--seconds") == 0) {
      limits.seconds = number;
    } else if (std::strcmp(name, "--words") == 0) {
      limits.words = number;
    } else if (std::strcmp(name, "--seed") == 0) {
      limits.seed = number;
    } else if (std::strcmp(name, "--streams") == 0) {
      limits.streams = number;
    } else {
      return false;
    }
  }
  return true;
}

ime::Profile this_profile() {
  const char* chosen = std::getenv("TESSERA_PROFILE");
  for (const ime::Profile& profile : {ime::k1, ime::x100, ime::k3, ime::k3_bf16}) {
    if (chosen != nullptr && std::strcmp(chosen, profile.name()) == 0) return profile;
  }
  return trap_tests::vlenb() == 128 ? ime::k3 : ime::k1;
}

// Two pages that the words may lie across.
class Place {
 public:
  Place()
      : memory_(
            static_cast<std::uint8_t*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (memory_ == MAP_FAILED) std::abort();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Anywhere, or across the end of the first page.
  void choose(Random& random, std::size_t halves) {
    const auto room = static_cast<std::uint32_t>(2 * page / 2 - halves - 2);
    at_ = random.chance(50) ? random.below(room)
                            : page / 2 - random.below(static_cast<std::uint32_t>(halves) + 1);
  }
  void run(Halves halves, Registers& image) {
    constexpr std::uint32_t ret = 0x00008067;
    std::uint8_t* begin = memory_ + 2 * at_;
    std::memcpy(begin, halves.data(), halves.size_bytes());
    std::memcpy(begin + halves.size_bytes(), &ret, sizeof ret);
    asm volatile("fence.i" ::: "memory");
    again(image);
  }
  /// What is there.
  void again(Registers& image) {
    run_on_registers(&image, reinterpret_cast<void (*)()>(memory_ + 2 * at_));
  }

 private:
  static constexpr std::size_t page = 4096;
  std::uint8_t* memory_;
  std::size_t at_ = 0;  // halves
};

// The same machine twice: real, and modelled.
class Twins {
 public:
  explicit Twins(const ime::Profile& profile)
      : profile_(profile),
        real_bytes_(static_cast<std::size_t>(32 * profile.vlen_bytes())),
        model_bytes_(real_bytes_.size()) {
    model.regs = {model_bytes_.data(), profile.vlen_bytes()};
  }
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  void make_ready(const std::vector<std::uint8_t>& bytes) {
    trap_tests::make_ready(profile_, model);
    model_bytes_ = real_bytes_ = bytes;
    model.regs.bytes = model_bytes_.data();
    real = {model.vstart, model.vl, model.vtype.bits, model.vcsr, 0, real_bytes_.data()};
  }
  bool same() const {
    return real_bytes_ == model_bytes_ && real.vl == model.vl && real.vtype == model.vtype.bits &&
           real.vstart == model.vstart && real.vcsr == model.vcsr;
  }
  void print_difference() const {
    std::printf("real: vl %" PRIu64 " vtype 0x%" PRIx64 " vstart %" PRIu64 " vcsr %" PRIu64 "\n",
                real.vl, real.vtype, real.vstart, real.vcsr);
    std::printf("model: vl %" PRIu64 " vtype 0x%" PRIx64 " vstart %" PRIu64 " vcsr %" PRIu64 "\n",
                model.vl, model.vtype.bits, model.vstart, model.vcsr);
    for (std::size_t i = 0; i < real_bytes_.size(); ++i) {
      if (real_bytes_[i] == model_bytes_[i]) continue;
      const auto vlenb = static_cast<std::size_t>(profile_.vlen_bytes());
      std::printf("first different: v%zu byte %zu, real 0x%02x, model 0x%02x\n", i / vlenb,
                  i % vlenb, real_bytes_[i], model_bytes_[i]);
      return;
    }
  }

  Registers real{};
  ime::VectorState model{};

 private:
  ime::Profile profile_;
  std::vector<std::uint8_t> real_bytes_, model_bytes_;
};

class Comparison {
 public:
  explicit Comparison(const ime::Profile& profile)
      : profile_(profile),
        twins_(profile),
        bytes_(static_cast<std::size_t>(32 * profile.vlen_bytes())) {}

  /// One stream, from several register files. False: it differed, and that was printed.
  bool compare(std::uint64_t seed) {
    constexpr int rounds = 8;  // an emulator translates the stream once
    Random random(seed);
    const Stream stream = trap_tests::make_stream(random, profile_);
    tessera_trap_set_gear(random.chance(12) ? 0 : random.chance(40) ? 2 : 1);
    place_.choose(random, stream.halves.size());
    for (int round = 0; round < rounds; ++round) {
      trap_tests::fill(random, {bytes_.data(), profile_.vlen_bytes()});
      if (!agree(stream.halves, round != 0)) {
        std::printf("seed %" PRIu64 " round %d: the machines differ\n", seed, round);
        print_shortest(stream);
        return false;
      }
      matrix_words += static_cast<std::uint64_t>(stream.matrix_words);
      plain_words += static_cast<std::uint64_t>(stream.plain_words);
    }
    return true;
  }

  std::uint64_t matrix_words = 0, plain_words = 0;

 private:
  bool agree(Halves halves, bool is_there) {
    twins_.make_ready(bytes_);
    if (is_there) {
      place_.again(twins_.real);
    } else {
      place_.run(halves, twins_.real);
    }
    const ime::Rule rule = trap_tests::execute_stream(profile_, twins_.model, halves);
    if (rule != ime::Rule::none) std::printf("not legal: %s\n", ime::message(rule));
    return rule == ime::Rule::none && twins_.same();
  }

  // The shortest beginning of the stream that still differs.
  void print_shortest(const Stream& stream) {
    for (std::size_t half = 0; half < stream.halves.size();) {
      const trap_tests::Fetched fetched = trap_tests::fetch(stream.halves, half);
      half += static_cast<std::size_t>(fetched.halves);
      std::printf("%s\n", isa_tests::disassembled(fetched.word).c_str());
      if (agree(Halves(stream.halves).first(half), false)) continue;
      twins_.print_difference();
      return;
    }
    std::puts("no beginning of the stream differs by itself");
  }

  ime::Profile profile_;
  Twins twins_;
  Place place_;
  std::vector<std::uint8_t> bytes_;
};

std::uint64_t retired() {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) total += tessera_trap_retired_at(i);
  return total;
}

bool every_instruction_executed(const ime::Profile& profile) {
  bool every = true;
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) {
    if (!profile.has(ime::Instructions::table[i].extension) || tessera_trap_retired_at(i) != 0)
      continue;
    std::printf("never executed: %s\n", tessera_trap_name(i));
    every = false;
  }
  return every;
}

}  // namespace

int main(int argc, char** argv) {
  Limits limits;
  if (!read(argc, argv, limits)) {
    std::fputs("random_streams [--seconds N] [--words N] [--seed N] [--streams N]\n", stderr);
    return 2;
  }
  if (tessera_trap_install() != 0) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const ime::Profile profile = this_profile();
  std::printf("profile %s, first seed %" PRIu64 "\n", profile.name(), limits.seed);
  Comparison comparison(profile);
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> longest(static_cast<double>(limits.seconds));
  std::uint64_t streams = 0;
  while (streams < limits.streams && comparison.matrix_words < limits.words &&
         std::chrono::steady_clock::now() - begin < longest) {
    if (!comparison.compare(limits.seed + streams)) return 1;
    ++streams;
  }
  std::printf("streams %" PRIu64 "\nmatrix words %" PRIu64 "\nplain words %" PRIu64 "\n", streams,
              comparison.matrix_words, comparison.plain_words);
  std::printf("rewritten %d\n", tessera_trap_sites());
  if (retired() != comparison.matrix_words) {
    std::printf("the runtime counted %" PRIu64 "\n", retired());
    return 1;
  }
  constexpr std::uint64_t enough = 100;
  return streams < enough || every_instruction_executed(profile) ? 0 : 1;
}

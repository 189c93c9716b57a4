// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Everything that a run found out, and its two files.
#ifndef TESSERA_BENCH_CHECK_REPORT_HPP_
#define TESSERA_BENCH_CHECK_REPORT_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/check/cores.hpp"

namespace board {

enum class Found {
  right,       ///< as the model has it
  wrong,       ///< otherwise: `first` says how
  absent,      ///< an illegal instruction, and nothing says that the core must have it
  missing,     ///< an illegal instruction where the core must have it
  unexpected,  ///< is there, and the model has it not
};
const char* name(Found found);

struct InstructionResult {
  std::string name = {};
  Found found = Found::right;
  std::size_t vectors = 0;
  std::size_t mismatched = 0;
  std::string first = {};  ///< the first mismatch with all operands, lines
};

struct QuestionResult {
  std::string name = {};
  std::string text = {};        ///< what is asked
  std::string candidates = {};  ///< the answers it may have, "key (meaning)" each, then "other"
  std::string answer = {};      ///< a candidate's key, "other", or "absent": the instruction is
  std::string model = {};       ///< the model's answer
  std::string detail = {};      ///< what was seen, where it says more than the answer

  bool open() const { return answer == "other" || answer == "absent"; }
  bool agrees() const { return answer == model; }
};

/// The kernels of one backend.
struct KernelsResult {
  std::string backend = {};
  std::size_t checked = 0;
  std::size_t mismatched = 0;
  std::size_t left_out = 0;  ///< cases that this run does not ask
  std::string first = {};
  std::string refused = {};  ///< why the backend does not run here, or empty
};

struct SpeedResult {
  std::string name = {};
  std::string what =
      {};  ///< "throughput", "latency", "multiply-accumulates per cycle", "elements per cycle"
  double measured = 0;  ///< cycles each, or what it says per cycle
  double expected = 0;  ///< by the cost model and published measurements; 0: they do not say
};

struct CoreReport {
  Processor processor = {};
  std::string same = {};  ///< other processors of this kind, "1-3"
  std::string error = {};
  std::string core = {};  ///< as tsr_core() names it
  std::uint64_t vlenb = 0;
  std::string profile = {};  ///< of the model; empty: no matrix instructions to compare
  std::vector<InstructionResult> instructions = {};
  std::vector<QuestionResult> questions = {};
  std::vector<KernelsResult> kernels = {};
  double clock_ghz = 0;
  std::vector<SpeedResult> speeds = {};
};

struct Totals {
  std::size_t checked = 0;
  std::size_t mismatched = 0;
  std::size_t open = 0;
};

struct Report {
  std::string version = {};
  std::string compiler = {};
  std::string system = {};
  std::string emulator = {};  ///< why no times are given, or empty
  bool quick = false;
  std::vector<CoreReport> cores = {};

  Totals totals() const;
};

std::string json_of(const Report& report);
std::string markdown_of(const Report& report);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_REPORT_HPP_

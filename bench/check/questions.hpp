// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What nobody has measured on silicon (isa/ime/numerics.hpp, legality.hpp), as questions to a core: an
/// input on which the answers differ, executed by the core and by the model and read in the same way.
#ifndef TESSERA_BENCH_CHECK_QUESTIONS_HPP_
#define TESSERA_BENCH_CHECK_QUESTIONS_HPP_

#include <string>
#include <vector>

#include "bench/check/execution.hpp"
#include "bench/check/report.hpp"
#include "bench/check/worker.hpp"

namespace board {

struct Candidate {
  const char* key;
  const char* meaning;
};

/// What is executed.
struct Experiment {
  State state;
  std::vector<std::uint32_t> words;
};

/// What a result says: a candidate's key or "other", and what was seen.
struct Reading {
  std::string answer;
  std::string detail;
};

struct Question {
  const char* name;
  const char* text;
  std::vector<Candidate> candidates;
  ime::Extension extension;  ///< of the instructions it needs
  Experiment (*prepare)(const ime::Profile&);
  Reading (*read)(const ime::Profile&, const Experiment&, const State& after);
};

/// The answer of what stops a program: an illegal instruction, or the model's refusal.
inline constexpr Candidate traps = {"traps", "an illegal instruction"};

/// The questions of each file.
std::vector<Question> integer_questions();
std::vector<Question> scaled_questions();
std::vector<Question> float_questions();
std::vector<Question> state_questions();

/// The questions whose instructions the profile has.
std::vector<Question> questions_of(const ime::Profile& profile);

/// One item per question of the profile.
std::vector<Item> question_items(const ime::Profile& profile);
std::vector<QuestionResult> question_results(const ime::Profile& profile,
                                             const std::vector<Outcome>& outcomes);

/// Of the K3: which format do 16-bit floats have? An item, and the profile that its outcome names.
Item half_format_item();
ime::Profile profile_by_half_format(const Outcome& outcome);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_QUESTIONS_HPP_

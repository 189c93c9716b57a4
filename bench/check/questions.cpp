// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/questions.hpp"

#include <algorithm>
#include <csignal>

#include "bench/check/vectors.hpp"
#include "tessera/isa/ime/all.hpp"

namespace board {
namespace {

int first_instruction_of(ime::Extension extension) {
  int i = 0;
  while (ime::Instructions::table[i].extension != extension) ++i;
  return i;
}

// A plain instruction of the extension first: if that kills, the core lacks it.
std::string ask(const Question& question, const ime::Profile& profile, Progress& progress) {
  const Vector plain = make_vector(profile, first_instruction_of(question.extension), 0);
  progress.begin("is the extension there?");
  run(plain.state, {&plain.word, 1});
  progress.end();
  progress.begin(question.name);
  const Experiment experiment = question.prepare(profile);
  const Reading reading =
      question.read(profile, experiment, run(experiment.state, experiment.words));
  return reading.answer + "\t" + reading.detail;
}

std::string answer_of_model(const Question& question, const ime::Profile& profile) {
  const Experiment experiment = question.prepare(profile);
  State after = experiment.state;
  if (run_model(profile, after, experiment.words) != ime::Rule::none) return traps.key;
  return question.read(profile, experiment, after).answer;
}

std::string candidates_of(const Question& question) {
  std::string text;
  for (const Candidate& c : question.candidates)
    text += std::string(c.key) + " (" + c.meaning + "), ";
  return text + "other";
}

}  // namespace

std::vector<Question> questions_of(const ime::Profile& profile) {
  std::vector<Question> all;
  for (const auto& part :
       {integer_questions(), scaled_questions(), float_questions(), state_questions()}) {
    for (const Question& question : part)
      if (profile.has(question.extension)) all.push_back(question);
  }
  return all;
}

std::vector<Item> question_items(const ime::Profile& profile) {
  std::vector<Item> items;
  for (const Question& question : questions_of(profile))
    items.push_back([=](Progress& progress) { return ask(question, profile, progress); });
  return items;
}

std::vector<QuestionResult> question_results(const ime::Profile& profile,
                                             const std::vector<Outcome>& outcomes) {
  std::vector<QuestionResult> results;
  for (const Question& question : questions_of(profile)) {
    const Outcome& outcome = outcomes[results.size()];
    QuestionResult r{.name = question.name,
                     .text = question.text,
                     .candidates = candidates_of(question),
                     .model = answer_of_model(question, profile)};
    if (outcome.finished) {
      const auto fields = fields_of(outcome.text)[0];
      r.answer = fields[0];
      r.detail = fields[1];
    } else {
      r.detail = killed_by(outcome.signal);
      r.answer = outcome.steps == 0 ? "absent" : outcome.signal == SIGILL ? traps.key : "other";
    }
    results.push_back(std::move(r));
  }
  return results;
}

// 0x3c00 is 1 in fp16 and 2^-7 in bf16.
Item half_format_item() {
  return [](Progress& progress) {
    State state = ready_state(ime::k3);
    for (int n : {4, 5}) ime::store_uint16(state.reg(n), 0, 0x3c00);
    const std::uint32_t word = ime::encode<ime::Vfwmadot>({2, 4, 5});
    progress.begin("vfwmadot");
    const auto square =
        static_cast<std::uint32_t>(ime::load_int32(run(state, {&word, 1}).reg(2), 0));
    return std::string(square == 0x38800000 ? "bf16" : "fp16");
  };
}

ime::Profile profile_by_half_format(const Outcome& outcome) {
  return outcome.finished && outcome.text == "bf16" ? ime::k3_bf16 : ime::k3;
}

}  // namespace board

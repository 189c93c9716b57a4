// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/program.hpp"

#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/hybrid/answer.hpp"
#include "examples/hybrid/cases.hpp"
#include "examples/hybrid/compare.hpp"
#include "examples/hybrid/model.hpp"
#include "examples/hybrid/network.hpp"
#include "examples/hybrid/options.hpp"
#include "examples/shared/choices.hpp"
#include "examples/shared/digest.hpp"
#include "examples/shared/files.hpp"
#include "examples/shared/retired.hpp"

namespace hybrid {
namespace {

constexpr int good = 0;
constexpr int wrong = 1;
constexpr int refused = 2;

using Prompt = std::vector<std::int32_t>;

/// A program at work: its options, and where it speaks.
class Program {
 public:
  Program(const Options& options, std::FILE* in, std::FILE* out, std::FILE* err)
      : options_(options), in_(in), out_(out), err_(err) {}

  int list() const {
    for (const ModelKind& kind : model_kinds()) {
      const bool usable = kind.backend.usable == tessera::Status::ok;
      std::fprintf(out_, "%s %s%s%s\n", kind.backend.name, kind.weights, usable ? "" : ": ",
                   usable ? "" : tessera::message(kind.backend.usable));
    }
    return good;
  }

  int work() {
    if (!find_cache() || !find_kind() || !load_network()) return complain();
    if (options_.compare || options_.cut) return compare();
    if (!make_model()) return complain();
    if (options_.eval) return evaluate();
    if (options_.prompt.empty()) return converse();
    return options_.logits ? print_logits() : answer_one(options_.prompt);
  }

 private:
  int complain() const {
    std::fprintf(err_, "hybrid: %s\n", error_.c_str());
    return refused;
  }
  bool fail(const std::string& sentence) {
    error_ = sentence;
    return false;
  }

  bool find_cache() {
    return examples::find_cache_format(options_.cache, &cache_) ||
           fail("--cache: there is no format " + options_.cache + " (f32, f16, q8_0 or q4_0)");
  }

  bool find_kind() {
    const std::string backend =
        options_.backend.empty() ? examples::default_backend_name() : options_.backend;
    const std::string weights = options_.weights.empty() ? "f32" : options_.weights;
    std::string formats, backends;
    std::string_view last;
    for (const ModelKind& kind : model_kinds()) {
      if (last != kind.backend.name) backends += std::string(" ") + kind.backend.name;
      last = kind.backend.name;
      if (backend != kind.backend.name) continue;
      formats += std::string(" ") + kind.weights;
      if (weights != kind.weights) continue;
      if (kind.backend.usable != tessera::Status::ok)
        return fail("backend " + backend + ": " + tessera::message(kind.backend.usable));
      kind_ = kind;
      return true;
    }
    if (formats.empty())
      return fail("--backend: this program has no backend " + backend + "; there are:" + backends);
    return fail("--weights: there is no format " + weights + "; there are:" + formats);
  }

  bool load_network() {
    const auto bytes = examples::read_file(options_.model, &error_);
    if (!bytes) return false;
    network_ = Network::parse(*bytes, &error_);
    return network_ || fail(options_.model + ": " + error_);
  }

  bool load_cases() {
    const auto bytes = examples::read_file(options_.held_out, &error_);
    if (!bytes) return false;
    auto cases = parse_cases(*bytes, &error_);
    if (!cases) return fail(options_.held_out + ": " + error_);
    cases_ = options_.cases == 0 ? *std::move(cases) : last_of_each(*cases, options_.cases);
    for (const Case& c : cases_) {
      auto prompt = encode(c.prompt);
      if (!prompt) return fail(options_.held_out + ": " + error_);
      prompts_.push_back(*std::move(prompt));
    }
    return true;
  }

  std::optional<Prompt> encode(std::string_view text) {
    auto prompt = network_->encode(text, &error_);
    if (prompt && prompt->size() + longest_answer + 2 > ModelOptions().capacity) {
      error_ = "a prompt of " + std::to_string(prompt->size()) + " characters is too long";
      return std::nullopt;
    }
    return prompt;
  }

  bool make_model() {
    ModelOptions made;
    made.cache = cache_;
    made.slots = options_.sequences;
    made.sequential = options_.sequential;
    model_ = kind_.make(*network_, made);
    if (const tessera::Status s = model_->load(); s != tessera::Status::ok)
      return fail(options_.model + ": " + tessera::message(s));
    return !options_.plant || model_->plant() || fail("--plant: there is no bit to flip");
  }

  bool answer_all(std::span<const Prompt> prompts, Answers* answers) {
    *answers = answer(*model_, *network_, prompts, {options_.sequences, options_.piece});
    return answers->status == tessera::Status::ok ||
           fail(std::string("a kernel refused: ") + tessera::message(answers->status));
  }

  int compare() {
    if (!load_cases()) return complain();
    const std::size_t failed =
        options_.cut ? compare_ways(kind_, *network_, prompts_, cache_, out_)
                     : compare_backends(*network_, prompts_,
                                        {options_.backend, options_.weights, cache_}, out_);
    return failed == 0 ? good : wrong;
  }

  int evaluate() {
    Answers answers;
    if (!load_cases()) return complain();
    examples::reset_retired();
    if (!answer_all(prompts_, &answers)) return complain();
    struct Score {
      std::size_t right = 0;
      std::size_t cases = 0;
    };
    std::map<std::string, Score> scores;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const bool right = answers.answers[i].text == cases_[i].answer;
      for (const std::string& name : {cases_[i].task, std::string("all")}) {
        scores[name].right += right ? 1 : 0;
        ++scores[name].cases;
      }
    }
    bool reached = true;
    std::fprintf(out_, "backend %s\nweights %s\ncache %s\n", kind_.backend.name, kind_.weights,
                 options_.cache.c_str());
    for (const auto& [name, score] : scores) {
      reached = reached && 100 * score.right >= options_.floor * score.cases;
      std::fprintf(out_, "accuracy %s %.2f%% (%zu of %zu)\n", name.c_str(),
                   100.0 * static_cast<double>(score.right) / static_cast<double>(score.cases),
                   score.right, score.cases);
    }
    std::fprintf(out_, "tokens %zu\ndigest %s\n", answers.tokens,
                 examples::hexadecimal(digest_of(answers.answers)).c_str());
    for (const examples::RetiredCount& r : examples::retired_counts())
      std::fprintf(out_, "retired %s %llu\n", r.name.c_str(),
                   static_cast<unsigned long long>(r.count));
    std::fprintf(out_, "fallback %s\n",
                 examples::fallback(kind_.backend, kind_.float_weights).c_str());
    if (!reached) std::fprintf(out_, "below the floor of %zu%%\n", options_.floor);
    return reached ? good : wrong;
  }

  int answer_one(std::string_view text) {
    Answers answers;
    const auto prompt = encode(text);
    if (!prompt || !answer_all({&*prompt, 1}, &answers)) return complain();
    std::fprintf(out_, "%s\n", answers.answers[0].text.c_str());
    std::fflush(out_);
    return good;
  }

  /// A line that cannot be answered ends the program, as a bad option does.
  int converse() {
    std::string line;
    for (int c = std::fgetc(in_); c != EOF; c = std::fgetc(in_)) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      if (const int code = answer_one(line); code != good) return code;
      line.clear();
    }
    return line.empty() ? good : answer_one(line);
  }

  int print_logits() {
    auto prompt = encode(options_.prompt);
    if (!prompt) return complain();
    prompt->insert(prompt->begin(), 0);
    std::vector<float> logits(network_->shape().vocab);
    const Run run = {*prompt, 0};
    const tessera::Status s =
        model_->forward({&run, 1}, tessera::matrix(logits.data(), 1, logits.size()));
    if (s != tessera::Status::ok) {
      error_ = std::string("a kernel refused: ") + tessera::message(s);
      return complain();
    }
    for (const float x : logits) std::fprintf(out_, "%.9g\n", static_cast<double>(x));
    return good;
  }

  const Options& options_;
  std::FILE* in_;
  std::FILE* out_;
  std::FILE* err_;
  std::string error_;
  tessera::FormatId cache_ = tessera::FormatId::f32;
  ModelKind kind_ = {};
  std::optional<Network> network_;
  std::unique_ptr<Model> model_;
  std::vector<Case> cases_;
  std::vector<Prompt> prompts_;
};

}  // namespace

int run(std::span<const char* const> arguments, std::FILE* in, std::FILE* out, std::FILE* err) {
  std::string error;
  const auto options = parse_options(arguments, &error);
  if (!options) {
    std::fprintf(err, "hybrid: %s; --help prints all options\n", error.c_str());
    return refused;
  }
  if (options->help) {
    std::fputs(usage, out);
    return good;
  }
  Program program(*options, in, out, err);
  int code = refused;
  try {
    code = options->list ? program.list() : program.work();
  } catch (const std::bad_alloc&) {
    std::fputs("hybrid: there is not memory enough for this network\n", err);
  }
  if (std::fflush(out) != 0 || std::ferror(out) != 0) {
    std::fputs("hybrid: what it had to say could not be written\n", err);
    return refused;
  }
  return code;
}

}  // namespace hybrid

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/options.hpp"

#include <string_view>
#include <utility>

#include "examples/shared/command_line.hpp"

namespace hybrid {
namespace {

/// What the program is asked to do.
enum Mode : unsigned {
  evaluates = 1,
  compares = 2,
  cuts = 4,
  lists = 8,
  prints_logits = 16,
  answers = 32,
  helps = 64
};
struct ModeName {
  Mode mode;
  const char* name;
};
constexpr ModeName mode_names[] = {
    {evaluates, "--eval"}, {compares, "--compare"},     {cuts, "--cut"},
    {lists, "--list"},     {prints_logits, "--logits"}, {answers, "a prompt"}};

/// The modes that read an option.
struct ReadBy {
  const char* option;
  unsigned modes;
};
constexpr unsigned runs = evaluates | compares | cuts | prints_logits | answers;
constexpr unsigned one_way =
    evaluates | prints_logits | answers;  // the others have ways of their own
constexpr ReadBy read_by[] = {
    {"--model", runs},
    {"--held-out", evaluates | compares | cuts},
    {"--prompt", prints_logits | answers},
    {"--weights", runs},
    {"--cache", runs},
    {"--backend", runs},
    {"--sequences", evaluates},
    {"--piece", evaluates | answers},
    {"--cases", evaluates | compares | cuts},
    {"--floor", evaluates},
    {"--sequential", one_way},
    {"--plant", one_way},
    {"--eval", evaluates},
    {"--compare", compares},
    {"--cut", cuts},
    {"--logits", prints_logits},
    {"--list", lists},
    {"--help", helps},
};

Mode mode_of(const Options& o) {
  if (o.list) return lists;
  if (o.eval) return evaluates;
  if (o.compare) return compares;
  if (o.cut) return cuts;
  return o.logits ? prints_logits : answers;
}

/// "" or the first option given that its mode does not read, and the modes that do.
std::string unread(std::span<const char* const> arguments, Mode mode,
                   std::span<const examples::Target> targets) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const ReadBy& r : read_by) {
      if (std::string_view(arguments[i]) != r.option || (r.modes & mode) != 0) continue;
      std::string modes;
      const char* here = "";
      for (const ModeName& name : mode_names) {
        if (name.mode == mode) here = name.name;
        if ((name.mode & r.modes) != 0)
          modes += (modes.empty() ? "" : " or ") + std::string(name.name);
      }
      return std::string(r.option) + ": goes with " + modes + ", not with " + here;
    }
    for (const examples::Target& t : targets)
      if (std::string_view(arguments[i]) == t.name && t.flag == nullptr) {
        ++i;  // its value
        break;
      }
  }
  return {};
}

}  // namespace

std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error) {
  Options o;
  const examples::Target targets[] = {
      {"--model", &o.model, nullptr, nullptr},
      {"--held-out", &o.held_out, nullptr, nullptr},
      {"--prompt", &o.prompt, nullptr, nullptr},
      {"--weights", &o.weights, nullptr, nullptr},
      {"--cache", &o.cache, nullptr, nullptr},
      {"--backend", &o.backend, nullptr, nullptr},
      {"--sequences", nullptr, &o.sequences, nullptr},
      {"--piece", nullptr, &o.piece, nullptr},
      {"--cases", nullptr, &o.cases, nullptr},
      {"--floor", nullptr, &o.floor, nullptr},
      {"--sequential", nullptr, nullptr, &o.sequential},
      {"--plant", nullptr, nullptr, &o.plant},
      {"--eval", nullptr, nullptr, &o.eval},
      {"--compare", nullptr, nullptr, &o.compare},
      {"--cut", nullptr, nullptr, &o.cut},
      {"--logits", nullptr, nullptr, &o.logits},
      {"--list", nullptr, nullptr, &o.list},
      {"--help", nullptr, nullptr, &o.help},
  };
  if (!examples::read_options(arguments, targets, error)) return std::nullopt;
  if (o.sequences > 256) {
    *error = "--sequences: " + std::to_string(o.sequences) + " is more than 256";
    return std::nullopt;
  }
  if (o.help) return o;
  const Mode mode = mode_of(o);
  if (std::string wrong = unread(arguments, mode, targets); !wrong.empty()) {
    *error = std::move(wrong);
    return std::nullopt;
  }
  if (o.logits && o.prompt.empty()) {
    *error = "--logits: goes with --prompt";
    return std::nullopt;
  }
  return o;
}

}  // namespace hybrid

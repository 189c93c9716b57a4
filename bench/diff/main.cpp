// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// tessera-diff: two dumps of tensors, compared in graph order. Where do they part, and how?
#include <regex.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "bench/diff/reports.hpp"
#include "bench/dumps/file_bytes.hpp"
#include "bench/dumps/refusal.hpp"

namespace diff {
namespace {

constexpr int same = 0;
constexpr int divergent = 1;
constexpr int refused = 2;

constexpr const char* usage =
    "tessera-diff COMPUTED REFERENCE [OPTIONS]\n"
    "  Each is a folder of tensors (.npy, .safetensors, .raw or .bin with .shape such as 'f32 2 "
    "3'),\n"
    "  also of folders that TESSERA_RECORD made, or one such file. They are compared in the order "
    "of\n"
    "  the reference's manifest.txt, a name per line, or by the numbers in their names.\n"
    "  --only RE       tensors whose name matches the extended regular expression\n"
    "  --limit X       relative error that counts as rounding (f32 1e-4, f16 1e-2, bf16 5e-2)\n"
    "  --common        tensors that only one of the two has are no difference\n"
    "  --json F  --markdown F  --html F   write a report ('-': instead of the table)\n"
    "Exit code: 0 equal or rounding, 1 they diverge, 2 unusable input.\n";

struct Options {
  std::vector<std::string> dumps;
  std::string only, json, markdown, html;
  Comparing how;
  bool common = false;
  bool help = false;
};

double limit_of(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(x >= 0 && x < 1))
    throw dumps::Refusal("--limit " + text + ": must be a number from 0 to below 1");
  return x;
}

Options options_of(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) throw dumps::Refusal(word + ": a value must follow");
      return argv[i];
    };
    if (word == "--help")
      o.help = true;
    else if (word == "--common")
      o.common = true;
    else if (word == "--only")
      o.only = value();
    else if (word == "--limit")
      o.how.limit = limit_of(value());
    else if (word == "--json")
      o.json = value();
    else if (word == "--markdown")
      o.markdown = value();
    else if (word == "--html")
      o.html = value();
    else if (word.starts_with("--"))
      throw dumps::Refusal("there is no option " + word + "; --help prints all");
    else
      o.dumps.push_back(word);
  }
  if (!o.help && o.dumps.size() != 2)
    throw dumps::Refusal("two dumps are compared, not " + std::to_string(o.dumps.size()) +
                         "; --help prints all");
  o.how.heat_maps = !o.html.empty();
  return o;
}

/// Those whose name matches --only.
std::vector<dumps::DumpEntry> listed(const std::string& path, const std::string& only) {
  std::vector<dumps::DumpEntry> entries = dumps::list_dump(path);
  if (only.empty()) return entries;
  regex_t expression;
  if (regcomp(&expression, only.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw dumps::Refusal("--only " + only + ": is no regular expression");
  std::erase_if(entries, [&](const dumps::DumpEntry& e) {
    return regexec(&expression, e.name.c_str(), 0, nullptr, 0) != 0;
  });
  regfree(&expression);
  if (entries.empty()) throw dumps::Refusal("--only " + only + ": matches no tensor of " + path);
  return entries;
}

/// To a file, or if it is "-" to the standard output: then true.
bool written(const std::string& path, const std::string& text) {
  if (path == "-") std::fwrite(text.data(), 1, text.size(), stdout);
  if (!path.empty() && path != "-") dumps::write_bytes(path, text.data(), text.size());
  return path == "-";
}

int compare_and_report(const Options& o) {
  const auto computed = listed(o.dumps[0], o.only);
  const auto reference = listed(o.dumps[1], o.only);
  const Report report = compare_dumps(computed, reference, o.how);
  bool shown = !o.json.empty() && written(o.json, json(report));
  if (!o.markdown.empty()) shown = written(o.markdown, markdown(report)) || shown;
  if (!o.html.empty()) shown = written(o.html, html(report, o.dumps[0], o.dumps[1])) || shown;
  const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  if (!shown) written("-", table(report, colour));
  const bool complete = o.common || (report.missing.empty() && report.extra.empty());
  return report.first_divergence() == nullptr && complete ? same : divergent;
}

}  // namespace
}  // namespace diff

int main(int argc, char** argv) {
  try {
    const diff::Options options = diff::options_of(argc, argv);
    if (options.help) {
      std::fputs(diff::usage, stdout);
      return diff::same;
    }
    return diff::compare_and_report(options);
  } catch (const dumps::Refusal& refusal) {
    std::fprintf(stderr, "tessera-diff: %s\n", refusal.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "tessera-diff: not enough memory for the tensors\n");
  }
  return diff::refused;
}

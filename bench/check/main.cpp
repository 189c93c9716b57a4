// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// tessera-check: are the cores of this machine what the model says?
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/check/kernels.hpp"
#include "bench/check/matrix.hpp"
#include "bench/check/options.hpp"
#include "bench/check/report.hpp"
#include "bench/check/speed.hpp"
#include "bench/check/text_report.hpp"
#include "tessera/config.hpp"
#include "tests/support/host_cpu.hpp"

namespace {

using namespace board;

#define TESSERA_CHECK_TEXT_OF(x) #x
#define TESSERA_CHECK_TEXT(x) TESSERA_CHECK_TEXT_OF(x)
constexpr char version[] = TESSERA_CHECK_TEXT(TESSERA_VERSION_MAJOR) "." TESSERA_CHECK_TEXT(
    TESSERA_VERSION_MINOR) "." TESSERA_CHECK_TEXT(TESSERA_VERSION_PATCH);

struct Kind {
  CoreReport report;
  std::vector<Outcome> identity;
  std::vector<int> numbers;
  bool vmadot;
};

Kind identified(const Processor& p) {
  Kind kind;
  kind.report.processor = p;
  kind.numbers = {p.number};
  // On a machine without vectors a worker only moves.
  auto items = identity_items();
  items.push_back([](Progress&) { return std::string(); });
  kind.identity = in_workers([&] { return move_to(p); }, items);
  if (!kind.identity.back().finished) kind.report.error = kind.identity.back().step;
  identify(kind.identity, kind.report);
  kind.vmadot = has_vmadot(kind.identity);
  return kind;
}

bool same_kind(const Kind& a, const Kind& b) {
  const Processor& p = a.report.processor;
  const Processor& q = b.report.processor;
  return p.mvendorid == q.mvendorid && p.marchid == q.marchid && p.mimpid == q.mimpid &&
         p.isa == q.isa && p.name == q.name && a.report.core == b.report.core &&
         a.report.vlenb == b.report.vlenb && a.report.profile == b.report.profile &&
         a.vmadot == b.vmadot && a.report.error == b.report.error;
}

std::vector<Kind> kinds_of(const Options& options, std::string& error) {
  std::vector<Kind> kinds;
  const std::vector<Processor> all = processors();
  for (const int wanted : options.cores) {
    if (std::none_of(all.begin(), all.end(), [&](const auto& p) { return p.number == wanted; }))
      error = "--cores: this machine has no processor " + std::to_string(wanted);
  }
  for (const Processor& p : all) {
    const auto& cores = options.cores;
    if (!cores.empty() && std::find(cores.begin(), cores.end(), p.number) == cores.end()) continue;
    Kind kind = identified(p);
    const auto like = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const Kind& other) { return same_kind(kind, other); });
    if (!cores.empty() || like == kinds.end()) {
      kinds.push_back(std::move(kind));
    } else {
      like->numbers.push_back(p.number);
    }
  }
  return kinds;
}

CoreReport checked(Kind& kind, const Options& options, bool timed) {
  CoreReport& report = kind.report;
  report.same = list_of(kind.numbers);
  print_core(report);
  if (!report.error.empty()) return report;
  check_matrix(options, kind.identity, report);
  print_matrix(report);
  const auto prepare = [&] { return move_to(report.processor); };
  if (options.kernels) {
    const auto names = in_workers(prepare, {names_item()});
    const auto jobs = kernel_jobs(names[0], options.quick);
    report.kernels =
        kernel_results(jobs, in_workers(prepare, kernel_items(jobs)), kind.vmadot, options.quick);
    print_kernels(report);
  }
  if (options.speed && timed) {
    measure_speeds(prepare, report);
    print_speeds(report);
  }
  return report;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "tessera-check: %s: cannot be written\n", path.c_str());
  return !out.fail();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (options.help) {
    std::fputs(usage, stdout);
    return 0;
  }
  std::string error = options.error;
  if (const char* extension = tessera_test::missing_extension())
    error = std::string("this processor has no ") + extension + ", which the program was built for";
  std::vector<Kind> kinds;
  if (error.empty()) kinds = kinds_of(options, error);
  if (!error.empty()) {
    std::fprintf(stderr, "tessera-check: %s\n%s", error.c_str(), usage);
    return 2;
  }
  Report report{.version = version,
                .compiler = __VERSION__,
                .system = system_name(),
                .emulator = emulator(),
                .quick = options.quick,
                .cores = {}};
  print_machine(report);
  for (Kind& kind : kinds) report.cores.push_back(checked(kind, options, report.emulator.empty()));
  const bool written = write_file(options.json, json_of(report)) &&
                       write_file(options.markdown, markdown_of(report));
  const Totals totals = report.totals();
  print_totals(totals);
  if (!written) return 2;
  if (totals.checked == 0) return 2;
  return totals.mismatched + totals.open == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// --check: a program under everything that hardware may do otherwise than an emulator. What an
// instruction leaves open is kept in one run and all ones in the next, vl is halved, VLEN is another
// one; the stores of the runs, their output and how they end must be the same, and every element of a
// vector access must be aligned.
#include "emu/run/emulator.hpp"
#include "emu/run/invocation.hpp"
#include "emu/run/modes.hpp"
#include "emu/run/plugin.hpp"
#include "emu/run/report.hpp"
#include "emu/run/scratch.hpp"
#include "emu/run/store_log.hpp"

#include <sys/personality.h>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

namespace tessera::run {
namespace {

// One way of running the program.
struct Setting {
  std::string name;
  Emulator emulator;
  bool watched = true;  // by the plugin
};

struct Run {
  Ended ended;
  std::string output;
  std::string errors;
  StoreLog log;
};

std::string hex(std::uint64_t x) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, x);
  return text;
}

std::string ending(const Ended& ended) {
  if (ended.signal == 0) return "exit " + std::to_string(ended.status);
  return "signal " + std::to_string(ended.signal) + " (" + strsignal(ended.signal) + ")";
}

std::string place(std::uint64_t pc, const std::string& symbol) {
  return "pc " + hex(pc) + " in " + readable_name(symbol);
}

class Checker {
 public:
  Checker(const Options& options, const Guest& guest, const Plugin& plugin, const Scratch& scratch)
      : options_(options), guest_(guest), plugin_(plugin), folder_(scratch.path()) {}

  int check() {
    Setting kept{"elements kept", emulator({}, true)};
    Setting ones{"elements all ones", emulator({.agnostic_ones = true}, true)};
    if (error_.empty()) check_fills(kept, ones);
    if (error_.empty()) check_lengths(kept);
    if (error_.empty()) check_half(kept);
    if (!error_.empty()) return refuse(error_);
    if (!options_.json.empty() && !write_json())
      return refuse(options_.json + " cannot be written");
    return verdict();
  }

 private:
  Emulator emulator(CpuVariant variant, bool plugins) {
    Emulator e = find_emulator(*options_.machine, {.variant = variant, .plugins = plugins});
    if (!e.error.empty() && error_.empty()) error_ = "--check: " + e.error;
    return e;
  }

  Run run(const Setting& setting, const Stretch* stretch = nullptr) {
    Run result;
    const std::string log = folder_ + "/log";
    const std::string output = folder_ + "/output";
    const std::string errors = folder_ + "/errors";
    // Its length would move the program's stack.
    Words words{"-seed", "1", "-U", "QEMU_CPU"};
    if (setting.watched) {
      std::string plugin = plugin_.path + ",out=" + log;
      if (stretch != nullptr)
        plugin += ",thread=" + std::to_string(stretch->thread) +
                  ",from=" + std::to_string(stretch->from) + ",to=" + std::to_string(stretch->to);
      words.insert(words.end(), {"-plugin", plugin});
    }
    Invocation invocation = make_invocation(options_, guest_, setting.emulator, words);
    if (!invocation.error.empty()) {
      error_ = invocation.error;
      return result;
    }
    // Where instructions are rewritten, the plugin sees stores that are not the program's.
    invocation.environment.emplace_back("TESSERA_TRAP_GEAR", "1");
    Words command{
        "/bin/sh", "-c",   "out=$1 err=$2; shift 2; exec \"$@\" >\"$out\" 2>\"$err\" </dev/null",
        "sh",      output, errors};
    command.insert(command.end(), invocation.command.begin(), invocation.command.end());
    result.ended = run_to_end(command, invocation.environment);
    if (!result.ended.error.empty()) error_ = setting.emulator.path + ": " + result.ended.error;
    result.output = file_text(output);
    result.errors = file_text(errors);
    if (setting.watched) result.log = read_store_log(log);
    std::remove(log.c_str());
    return result;
  }

  void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  void find(const std::string& what) {
    findings_.push_back(what);
    say("fault " + what);
  }
  void tell(const Setting& setting, const Run& r) {
    std::string line = "run " + setting.name + ": " + ending(r.ended);
    if (setting.watched && r.ended.signal == 0) line += ", stores " + std::to_string(r.log.count());
    say(line);
    for (const Misaligned& m : r.log.misaligned) {
      if (reported_.insert(m.pc).second)
        find("misaligned " + m.direction + " of " + std::to_string(m.size) + " bytes at " +
             hex(m.address) + ": " + place(m.pc, m.symbol));
    }
  }

  static std::string shown(const std::optional<Store>& s) {
    if (!s) return "no store any more";
    return std::to_string(s->size) + " bytes " + hex(s->value) + " to " + hex(s->address);
  }

  // The first store that differs between two settings in one of these stretches. Precondition: runs of
  // one setting do not differ there.
  void locate(const Setting& a, const Setting& b, const std::vector<Stretch>& stretches) {
    for (const Stretch& stretch : stretches) {
      const Run ra = run(a, &stretch);
      const Run rb = run(b, &stretch);
      const auto d = first_difference(ra.log, rb.log);
      if (!d) continue;
      const Store& at = d->a ? *d->a : *d->b;
      find("stores differ: " + place(at.pc, at.symbol) + ": " + shown(d->a) + " with " + a.name +
           ", " + shown(d->b) + " with " + b.name);
      if (d->a && d->b && d->a->pc != d->b->pc)
        say("note the other run is at " + place(d->b->pc, d->b->symbol));
      return;
    }
  }

  // Whether a second run of the first setting stores the same; else says where it does not.
  bool repeatable(const Setting& setting, const Run& first) {
    const Run again = run(setting);
    for (const Stretch& stretch : parting(first.log, again.log)) {
      const Run ra = run(setting, &stretch);
      const Run rb = run(setting, &stretch);
      if (const auto d = first_difference(ra.log, rb.log)) {
        const Store& at = d->a ? *d->a : *d->b;
        error_ = "--check: the program is not repeatable, its stores differ between like runs: " +
                 place(at.pc, at.symbol);
        return false;
      }
    }
    return true;
  }

  void check_fills(const Setting& kept, const Setting& ones) {
    const Run a = run(kept);
    if (!error_.empty()) return;
    tell(kept, a);
    if (a.ended.signal != 0) {
      find("ended by " + ending(a.ended));
      std::fputs(a.errors.c_str(), stderr);
    }
    const Run b = run(ones);
    tell(ones, b);
    const auto stretches = parting(a.log, b.log);
    if (!stretches.empty() && repeatable(kept, a)) locate(kept, ones, stretches);
    if (error_.empty()) compare(kept, a, ones, b);
    reference_ = a;
  }

  bool compare(const Setting& sa, const Run& a, const Setting& sb, const Run& b) {
    const std::size_t before = findings_.size();
    if (ending(a.ended) != ending(b.ended))
      find("ends differently: " + ending(a.ended) + " with " + sa.name + ", " + ending(b.ended) +
           " with " + sb.name);
    if (a.output != b.output) find("prints differently with " + sa.name + " and with " + sb.name);
    return findings_.size() != before;
  }

  // Programs without matrix instructions are meant for every VLEN.
  void check_lengths(const Setting& kept) {
    if (guest_.dynamic() || guest_.holds_runtime) {
      say(std::string("not run at other vector lengths: the program ") +
          (guest_.dynamic() ? "is dynamically linked"
                            : "holds the runtime of matrix instructions"));
      return;
    }
    for (const int vlen : {128, 256, 512, 1024}) {
      if (vlen == options_.machine->profile.vlen) continue;
      Machine machine = *options_.machine;
      machine.profile.vlen = vlen;
      const Setting other{"VLEN " + std::to_string(vlen),
                          find_emulator(machine, {.variant = {}, .plugins = true})};
      if (!other.emulator.error.empty()) {
        say("not run with " + other.name + ": " + other.emulator.error);
        continue;
      }
      const Run r = run(other);
      tell(other, r);
      // Elements are stored in the same order at every VLEN, unless the program is made otherwise.
      if (compare(kept, reference_, other, r)) locate(kept, other, parting(reference_.log, r.log));
    }
  }

  // No plugin of ours loads into an emulator that can halve vl, so clocks are not steady there: the
  // comparison is with a run of the same emulator that does not halve it.
  void check_half(const Setting&) {
    const CpuVariant full{.agnostic_ones = true, .half_avl = false};
    const CpuVariant half{.agnostic_ones = true, .half_avl = true};
    const Emulator halving = find_emulator(*options_.machine, {.variant = half, .plugins = false});
    if (!halving.error.empty()) {
      say("not run with vl halved: " + halving.error);
      return;
    }
    Setting b{"vl halved", halving, false};
    Setting a{"vl as long as can be", halving, false};
    a.emulator.cpu = cpu_strings(
        *options_.machine, full)[halving.cpu == cpu_strings(*options_.machine, half)[0] ? 0 : 1];
    const Run ra = run(a);
    const Run rb = run(b);
    tell(b, rb);
    if (ra.output != rb.output && ra.output != run(a).output) {
      say("note two like runs print differently: the output was not compared with vl halved");
      if (ending(ra.ended) != ending(rb.ended))
        compare(a, {ra.ended, "", "", {}}, b, {rb.ended, "", "", {}});
      return;
    }
    compare(a, ra, b, rb);
  }

  bool write_json() const {
    std::ofstream out(options_.json);
    out << "{\n  \"profile\": " << json_string(options_.machine->profile.name())
        << ",\n  \"faults\": [";
    const char* separator = "\n    ";
    for (const std::string& finding : findings_) {
      out << separator << json_string(finding);
      separator = ",\n    ";
    }
    out << (findings_.empty() ? "" : "\n  ") << "]\n}\n";
    out.close();
    return !out.fail();
  }

  int verdict() {
    if (findings_.empty()) {
      say("clean");
      return 0;
    }
    say("faults " + std::to_string(findings_.size()));
    return 1;
  }

  const Options& options_;
  const Guest& guest_;
  const Plugin& plugin_;
  std::string folder_;
  std::string error_;
  Run reference_;
  std::set<std::uint64_t> reported_;
  std::vector<std::string> findings_;
};

int run_check(const Options& options, const Guest& guest) {
  const Plugin plugin = find_plugin("check");
  if (!plugin.error.empty()) return refuse(plugin.error);
  const Scratch scratch;
  if (scratch.path().empty()) return refuse("no folder for the runs can be made in TMPDIR");
  personality(ADDR_NO_RANDOMIZE);  // of the emulators, so that addresses are the same in each run
  return Checker(options, guest, plugin, scratch).check();
}

}  // namespace

const Mode check_mode{
    "--check",
    {},
    "  --check          run the program under opposite fills of open elements, other vector\n"
    "                   lengths and a halved vl, and look at the alignment of vector accesses;\n"
    "                   last line: clean, or faults N (status 1)\n",
    run_check};

}  // namespace tessera::run

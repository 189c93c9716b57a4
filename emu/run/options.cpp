// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/options.hpp"

#include "emu/run/modes.hpp"

#include <cstdlib>

namespace tessera::run {
namespace {

// The words in order. A value may follow its option or a '=' in it.
class Reader {
 public:
  explicit Reader(const Words& words) : words_(words) {}

  bool at_option() const {
    return position_ < words_.size() && words_[position_].size() > 1 && words_[position_][0] == '-';
  }
  std::string next_option() {
    const std::string& word = words_[position_++];
    const std::size_t equals = word.find('=');
    attached_ = equals != std::string::npos;
    if (!attached_) return word;
    attached_value_ = word.substr(equals + 1);
    return word.substr(0, equals);
  }
  bool take_value(std::string& value) {
    if (attached_) {
      attached_ = false;
      value = attached_value_;
      return true;
    }
    if (position_ == words_.size()) return false;
    value = words_[position_++];
    return true;
  }
  bool value_left() const { return attached_; }
  Words rest() const {
    return {words_.begin() + static_cast<std::ptrdiff_t>(position_), words_.end()};
  }

 private:
  const Words& words_;
  std::size_t position_ = 0;
  bool attached_ = false;
  std::string attached_value_;
};

void choose_machine(Options& options, const std::string& name) {
  options.machine = find_machine(name);
  if (options.machine == nullptr) {
    options.error = "unknown profile " + name + "; there are " + machine_names();
  }
}

void choose_mode(Options& options, const Mode& mode) {
  if (options.mode != nullptr && options.mode != &mode) {
    options.error =
        std::string(options.mode->option) + " and " + mode.option + " exclude each other";
  }
  options.mode = &mode;
}

bool read_mode_option(const std::string& option, Reader& reader, Options& options) {
  for (const Mode& mode : modes()) {
    if (option == mode.option) {
      choose_mode(options, mode);
      return true;
    }
    for (const ModeOption& own : mode.options) {
      if (option != own.name) continue;
      std::string value;
      if (own.takes_value && !reader.take_value(value)) options.error = option + " needs a value";
      options.mode_options.emplace_back(option, value);
      return true;
    }
  }
  return false;
}

void read_option(const std::string& option, Reader& reader, Options& options) {
  std::string value;
  const bool takes_value = option == "--profile" || option == "--json" || option == "--sysroot";
  if (takes_value && (!reader.take_value(value) || value.empty())) {
    options.error = option + " needs a value";
  } else if (option == "--profile") {
    choose_machine(options, value);
  } else if (option == "--json") {
    options.json = value;
  } else if (option == "--sysroot") {
    options.sysroot = value;
  } else if (option == "--stats") {
    options.stats = true;
  } else if (option == "--trace") {
    options.trace = true;
  } else if (option == "--help" || option == "-h") {
    options.help = true;
  } else if (!read_mode_option(option, reader, options)) {
    options.error = "unknown option " + option;
  }
  if (options.error.empty() && reader.value_left()) options.error = option + " takes no value";
}

bool belongs(const Mode& mode, const std::string& option) {
  for (const ModeOption& own : mode.options) {
    if (option == own.name) return true;
  }
  return false;
}

void complete(Options& options) {
  if (options.machine == nullptr && options.error.empty()) {
    const char* chosen = std::getenv("TESSERA_PROFILE");
    choose_machine(options, chosen != nullptr && *chosen != '\0' ? chosen : "k1");
  }
  if (options.mode == nullptr) options.mode = &modes().front();
  for (const auto& [option, value] : options.mode_options) {
    if (options.error.empty() && !belongs(*options.mode, option)) {
      options.error = option + " has no meaning here";
    }
  }
  if (options.error.empty() && options.command.empty() && !options.help) {
    options.error = "which program?";
  }
}

}  // namespace

Options parse_options(const Words& words) {
  Options options;
  Reader reader(words);
  while (options.error.empty() && reader.at_option()) {
    const std::string option = reader.next_option();
    if (option == "--") break;
    read_option(option, reader, options);
  }
  options.command = reader.rest();
  complete(options);
  return options;
}

std::string usage() {
  std::string text =
      "usage: tessera-run [OPTIONS] [--] PROGRAM ARGS...\n"
      "Runs a riscv64 program that has IME instructions under qemu-riscv64.\n"
      "  --profile NAME   the core to be: " +
      machine_names() +
      " (default: $TESSERA_PROFILE, else k1)\n"
      "  --stats          print at the end how often each instruction was executed\n"
      "  --trace          print each executed instruction\n"
      "  --json FILE      write what --stats prints to a file\n"
      "  --sysroot DIR    where the libraries of dynamically linked programs are\n";
  for (const Mode& mode : modes()) text += mode.help;
  return text +
         "Ends as the program ends. 2: refused, with a message.\n"
         "Environment: TESSERA_QEMU (the emulator), TESSERA_SYSROOT, TESSERA_TRAP_LIBRARY (path "
         "of\n"
         "libtessera_trap.so), TESSERA_PLUGIN_FOLDER (of libtessera_count.so and _check.so),\n"
         "TESSERA_PREFIX (what toolchains/dev.sh setup filled).\n";
}

}  // namespace tessera::run

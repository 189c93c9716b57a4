// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/cores.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#if defined(__riscv)
// The SIGILL runtime, if somebody has linked it.
extern "C" [[gnu::weak]] int tessera_trap_install(void);
#endif

namespace board {
namespace {

constexpr const char* ai_threads = "/proc/set_ai_thread";

std::string contents(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool holds(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

std::vector<Processor> read_processors(const std::string& cpuinfo) {
  std::vector<Processor> all;
  std::istringstream in(cpuinfo);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string key = trimmed(line.substr(0, colon));
    const std::string value = trimmed(line.substr(colon + 1));
    const auto number = [&] { return std::strtoull(value.c_str(), nullptr, 0); };
    if (key == "processor") {
      all.emplace_back();
      all.back().number = static_cast<int>(number());
    }
    if (all.empty()) continue;
    Processor& p = all.back();
    if (key == "mvendorid") p.mvendorid = number();
    if (key == "marchid") p.marchid = number();
    if (key == "mimpid") p.mimpid = number();
    if (key == "isa") p.isa = value;
    if (key == "model name" || key == "uarch") p.name = value;
  }
  return all;
}

std::vector<Processor> processors() {
  std::vector<Processor> all = read_processors(contents("/proc/cpuinfo"));
  if (all.empty()) all.emplace_back();
  return all;
}

bool is_a100(const Processor& p) {
  return p.mvendorid == 0x710 && p.marchid == 0x8000000041000002;
}

std::string move_to(const Processor& p) {
  if (is_a100(p) && access(ai_threads, F_OK) == 0) {
    std::ofstream out(ai_threads);
    out << getpid() << std::flush;
    if (!out) return std::string(ai_threads) + " cannot be written";
  }
  // Room for more processors than cpu_set_t has.
  constexpr int most = 8192;
  if (p.number < 0 || p.number >= most) return "processor " + std::to_string(p.number) + ": none";
  unsigned long set[most / (8 * sizeof(unsigned long))] = {};
  constexpr int bits = 8 * sizeof(unsigned long);
  set[p.number / bits] = 1ul << p.number % bits;
  if (sched_setaffinity(0, sizeof set, reinterpret_cast<cpu_set_t*>(set)) != 0) {
    return "processor " + std::to_string(p.number) + ": " + std::strerror(errno);
  }
  return "";
}

std::string emulator() {
#if defined(__riscv)
  if (&tessera_trap_install != nullptr) return "QEMU with the SIGILL runtime";
#endif
  return emulated_machine();
}

std::string emulated_machine() {
  const std::string cpuinfo = contents("/proc/cpuinfo");
  if (holds(cpuinfo, "QEMU TCG")) return "QEMU";
#if defined(__riscv)
  if (holds(cpuinfo, "qemu")) return "QEMU";
  const std::string tree =
      contents("/proc/device-tree/compatible") + contents("/proc/device-tree/model");
  if (holds(tree, "qemu")) return "QEMU";
  // QEMU passes the file of the machine below, or says that the vendor is nobody. Vendors have a number.
  bool vendor = false;
  for (const Processor& p : read_processors(cpuinfo)) vendor |= p.mvendorid != 0;
  if (!vendor) return "QEMU or another emulator (no processor has a vendor)";
#endif
  return "";
}

std::string system_name() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace board

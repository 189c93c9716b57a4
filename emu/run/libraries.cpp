// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/libraries.hpp"

#include "emu/run/cpu_strings.hpp"
#include "emu/run/guest.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace tessera::run {
namespace {

namespace fs = std::filesystem;

constexpr char library_name[] = "libtessera_trap.so";
constexpr char usual_interpreter[] = "/lib/ld-linux-riscv64-lp64d.so.1";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::string find_runtime(std::string& error) {
  const std::string chosen = variable("TESSERA_TRAP_LIBRARY");
  const fs::path own = own_folder();
  std::vector<fs::path> places;
  if (!chosen.empty()) {
    places = {chosen};
  } else {
    places = {own / library_name, own / "../lib/tessera" / library_name,
              own / "../../riscv64-clang/emu" / library_name,
              own / "../../riscv64-gcc/emu" / library_name};
  }
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) continue;
    const std::string path = fs::canonical(place, ignored).string();
    // QEMU separates variables by commas, the dynamic loader libraries by colons and blanks.
    if (path.find_first_of(", :\t\n") != std::string::npos) {
      error = "the path of the runtime may hold no comma, colon or blank: " + path;
      return {};
    }
    const Guest library = read_guest(path);
    if (library.error.empty()) return path;
    error = path + " " + library.error;
    return {};
  }
  error = "no " + std::string(library_name) + " here; build it for riscv64 (target " +
          "tessera_trap_preload) and say where it is in TESSERA_TRAP_LIBRARY";
  return {};
}

std::string find_sysroot(const std::string& wished, const std::string& interpreter,
                         std::string& error) {
  const std::string prefix = variable("TESSERA_PREFIX");
  std::vector<std::string> places;
  if (!wished.empty()) {
    places = {wished};
  } else if (const std::string chosen = variable("TESSERA_SYSROOT"); !chosen.empty()) {
    places = {chosen};
  } else {
    places = {(prefix.empty() ? std::string(cpu::prefix) : prefix) + "/usr/riscv64-linux-gnu",
              "/usr/riscv64-linux-gnu", "/"};
  }
  for (const std::string& place : places) {
    std::error_code ignored;
    if (fs::exists(place + interpreter, ignored)) return place;
  }
  error = "the program needs the dynamic loader " + interpreter + ", and none of these has it:";
  for (const std::string& place : places) error += " " + place;
  error += " (--sysroot DIR says where the program's libraries are)";
  return {};
}

}  // namespace

Libraries find_libraries(const std::string& wished_sysroot, const std::string& interpreter) {
  Libraries libraries;
  std::string runtime_error;
  libraries.runtime = find_runtime(runtime_error);
  libraries.sysroot = find_sysroot(
      wished_sysroot, interpreter.empty() ? usual_interpreter : interpreter, libraries.error);
  if (libraries.error.empty()) libraries.error = runtime_error;
  return libraries;
}

}  // namespace tessera::run

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The processors of this machine: who they are, and how a process gets onto one.
#ifndef TESSERA_BENCH_CHECK_CORES_HPP_
#define TESSERA_BENCH_CHECK_CORES_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace board {

/// What the system says of a processor before anything runs there. Zeros: it does not say.
struct Processor {
  int number = 0;
  std::uint64_t mvendorid = 0;
  std::uint64_t marchid = 0;
  std::uint64_t mimpid = 0;
  std::string isa;   ///< of RISC-V
  std::string name;  ///< "model name", "uarch" or ""
};

/// The processors of a text in the form of /proc/cpuinfo, in its order.
std::vector<Processor> read_processors(const std::string& cpuinfo);

/// All processors of this machine; one number 0 where the system tells nothing.
std::vector<Processor> processors();

/// Is this one of K3's A100 cores, which a process must ask for?
bool is_a100(const Processor& p);

/// Moves the calling process there. Precondition: it has executed no vector instruction, nor is any
/// between the request for the A100 cores and the move. Returns an error, or an empty text.
std::string move_to(const Processor& p);

/// Why times mean nothing here: an emulator by name. Empty on a real core.
std::string emulator();

/// The same by what the system says of the machine alone, whatever is linked.
std::string emulated_machine();

/// The names of an operating system and its kernel.
std::string system_name();

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_CORES_HPP_

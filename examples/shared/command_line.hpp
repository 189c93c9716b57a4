// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Options of a command line.
#ifndef TESSERA_EXAMPLES_SHARED_COMMAND_LINE_HPP_
#define TESSERA_EXAMPLES_SHARED_COMMAND_LINE_HPP_

#include <cstddef>
#include <span>
#include <string>

namespace examples {

/// Where the value of an option goes: a text, a number (1 to 1000000000) or a flag.
struct Target {
  const char* name;
  std::string* text;
  std::size_t* number;
  bool* flag;
};

/// Sets the targets that the arguments name; false, and `error` says which is wrong.
bool read_options(std::span<const char* const> arguments, std::span<const Target> targets,
                  std::string* error);

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_COMMAND_LINE_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Where statistics and traces go: standard error or a file, by the value of a variable.
#ifndef TESSERA_EMU_TRAP_DESTINATION_HPP_
#define TESSERA_EMU_TRAP_DESTINATION_HPP_

namespace tessera::trap {

/// "stderr", or a file name in which %p stands for the process id. Empty: nowhere.
struct Destination {
  static constexpr int capacity = 1024;
  char text[capacity];

  /// Null is nowhere; what does not fit is cut.
  void choose(const char* value);
  bool chosen() const { return text[0] != '\0'; }
  bool is_stderr() const;
  /// Does the name depend on the process?
  bool is_per_process() const;
  /// A descriptor to write to, or negative. `flags` are those of open besides O_WRONLY | O_CREAT;
  /// standard error is given as it is. Usable in the handler.
  int open(int flags) const;
};

/// Closes what Destination::open gave.
void close_destination(int descriptor);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_DESTINATION_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A folder for the files of one run.
#ifndef TESSERA_EMU_RUN_SCRATCH_HPP_
#define TESSERA_EMU_RUN_SCRATCH_HPP_

#include <string>

namespace tessera::run {

/// Made in TMPDIR, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Empty where no folder could be made, or where its name holds a comma, which QEMU's options do not
  /// allow.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The bytes of a file; empty where it cannot be read.
std::string file_text(const std::string& path);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_SCRATCH_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// tessera-op --in FOLDER: one recorded operator alone.
#ifndef TESSERA_BENCH_OP_REPLAY_HPP_
#define TESSERA_BENCH_OP_REPLAY_HPP_

namespace op {

/// Replays the operator that TESSERA_RECORD wrote to a folder, and if it is right those that fed it;
/// with --against also compares its inputs with another record's. Prints what is wrong, the verdict
/// last, and returns the exit code.
int run_replay(int argc, char** argv);

}  // namespace op

#endif  // TESSERA_BENCH_OP_REPLAY_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Whose fault is a wrong output? One recorded operator is replayed alone, then what fed it.
#ifndef TESSERA_BENCH_REPLAY_DIAGNOSIS_HPP_
#define TESSERA_BENCH_REPLAY_DIAGNOSIS_HPP_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "bench/dumps/operator_record.hpp"
#include "tessera/compare.hpp"

namespace replay {

enum class Blame {
  equal,           ///< the output is what its inputs give, to the last bit
  rounding,        ///< but for rounding
  operator_wrong,  ///< the output is not what the inputs give
  input_wrong,     ///< what an operator before has computed was wrong already
  buffer_changed   ///< an input is not what its producer had written
};

/// Is it more than rounding?
inline bool faulty(Blame blame) {
  return blame > Blame::rounding;
}

struct Finding {
  Blame blame = Blame::equal;
  std::size_t number = 0;  ///< of the operator to blame; 0 if nobody knows which
  std::string name;        ///< and its name
  std::string mistake;     ///< a word, such as "transposed_keys"; "unknown" if none fits
  std::string sentence;    ///< in words
  tessera::Comparison comparison =
      {};  ///< of the output with what it should be, where it was replayed
};

/// Tells from hashes and one replay. Precondition: the tensors are loaded. Throws Refusal for operands
/// that do not fit.
Finding examine(const dumps::OperatorRecord& record);

/// The record of an operator by its number, loaded; none if there is none.
using FindRecord = std::function<std::optional<dumps::OperatorRecord>(std::size_t)>;

/// The same, and if the operator itself is right, all those that its inputs come from; the first of
/// them that is not right is to blame. One that cannot be replayed is passed over.
Finding diagnose(const dumps::OperatorRecord& record, const FindRecord& find);

/// The operator whose folder this is, from its siblings. Throws Refusal.
Finding diagnose_folder(const std::string& folder);

/// "this operator is wrong: ...", "its input was already wrong: ...", "a buffer changed in between:
/// ...", "only rounding", "equal"
std::string verdict_of(const Finding& finding);

}  // namespace replay

#endif  // TESSERA_BENCH_REPLAY_DIAGNOSIS_HPP_

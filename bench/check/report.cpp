// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/report.hpp"

namespace board {

const char* name(Found found) {
  switch (found) {
    case Found::right:
      return "right";
    case Found::wrong:
      return "wrong";
    case Found::absent:
      return "absent";
    case Found::missing:
      return "missing";
    case Found::unexpected:
      return "unexpected";
  }
  return "?";
}

Totals Report::totals() const {
  Totals t;
  for (const CoreReport& core : cores) {
    for (const InstructionResult& i : core.instructions) {
      t.checked += i.vectors;
      t.mismatched += i.mismatched;
    }
    for (const QuestionResult& q : core.questions) {
      ++t.checked;
      t.open += q.open();
      t.mismatched += !q.open() && !q.agrees();
    }
    for (const KernelsResult& k : core.kernels) {
      t.checked += k.checked;
      t.mismatched += k.mismatched;
    }
    t.open += !core.error.empty();
  }
  return t;
}

}  // namespace board

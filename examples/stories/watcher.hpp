// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Who may look at every operator of a model, before and after it runs.
#ifndef TESSERA_EXAMPLES_STORIES_WATCHER_HPP_
#define TESSERA_EXAMPLES_STORIES_WATCHER_HPP_

#include "tessera/operator_call.hpp"

namespace stories {

/// Called in the order of the operators; what a call refers to lives as long as the call.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void before(const tessera::OperatorCall& call) = 0;
  virtual void after(const tessera::OperatorCall& call) = 0;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_WATCHER_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Library calls one after the other, until one refuses.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_CALLS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_CALLS_HPP_

#include "tessera/core/status.hpp"

namespace examples {

/// The first refusal of a sequence of calls; later calls are not made.
class Calls {
 public:
  template <class Call>
  Calls& then(Call&& call) {
    if (status_ == tessera::Status::ok) status_ = call();
    return *this;
  }
  [[nodiscard]] tessera::Status status() const { return status_; }

 private:
  tessera::Status status_ = tessera::Status::ok;
};

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_CALLS_HPP_

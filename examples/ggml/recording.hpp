// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What operators read and wrote, in the folder that TESSERA_RECORD names (tessera/record.hpp), for tessera-diff and
/// tessera-op --in.
#ifndef TESSERA_EXAMPLES_GGML_RECORDING_HPP_
#define TESSERA_EXAMPLES_GGML_RECORDING_HPP_

#include <cstddef>
#include <mutex>

#include "examples/ggml/interface.hpp"

namespace tessera_ggml {

/// Around one operator: inputs are written now, the output by end(). Nothing without TESSERA_RECORD. Of all
/// backend objects one operator is recorded at a time.
class Recording {
 public:
  explicit Recording(const ggml::Tensor& dst);
  void end();

 private:
  const ggml::Tensor& dst_;
  std::unique_lock<std::mutex> lock_;
};

/// Memory that something other than an operator wrote, or that is freed: nothing that was recorded is there any more.
void forget_recorded(const void* data, std::size_t bytes);

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_RECORDING_HPP_

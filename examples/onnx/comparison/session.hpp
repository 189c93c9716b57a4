// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Models run by ONNX Runtime, with the operators of a library.
#ifndef TESSERA_EXAMPLES_ONNX_COMPARISON_SESSION_HPP_
#define TESSERA_EXAMPLES_ONNX_COMPARISON_SESSION_HPP_

#include <map>
#include <string>
#include <vector>

#include "examples/onnx/comparison/model.hpp"

struct OrtEnv;

namespace tessera_onnx {

class Runtime {
 public:
  /// Sessions know the operators of `library`.
  explicit Runtime(std::string library);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] static std::string version();
  /// The outputs, all of f32, in the order of their names. What the runtime refuses is thrown.
  [[nodiscard]] std::vector<std::vector<float>> run(const Model& model,
                                                    const std::map<std::string, Array>& inputs,
                                                    const std::vector<std::string>& outputs) const;

 private:
  std::string library_;
  OrtEnv* env_ = nullptr;
};

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_COMPARISON_SESSION_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A custom operator of ONNX Runtime as a class: its names, types and a kernel object per node.
#ifndef TESSERA_EXAMPLES_ONNX_OPERATOR_HPP_
#define TESSERA_EXAMPLES_ONNX_OPERATOR_HPP_

#include <onnxruntime_c_api.h>

#include <initializer_list>
#include <memory>
#include <vector>

#include "examples/onnx/runtime.hpp"

namespace tessera_onnx {

/// One per node of a session. Sessions may be run by several threads at once.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;
  /// What fails is thrown.
  virtual void compute(const Call& call) const = 0;
};

/// An input or output of an operator.
struct Slot {
  ONNXTensorElementDataType type;
  bool optional = false;
};

class Operator : public OrtCustomOp {
 public:
  using Create = std::unique_ptr<Kernel> (*)(const Node&);
  Operator(const char* name, std::initializer_list<Slot> inputs,
           std::initializer_list<Slot> outputs, Create create);

 private:
  const char* name_;
  std::vector<Slot> inputs_;
  std::vector<Slot> outputs_;
  Create create_;
};

/// Those of operators/. They have the inputs, outputs and attributes of the operators of their names in
/// com.microsoft.
const OrtCustomOp& mat_mul_nbits();
const OrtCustomOp& rotary_embedding();
const OrtCustomOp& group_query_attention();

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_OPERATOR_HPP_

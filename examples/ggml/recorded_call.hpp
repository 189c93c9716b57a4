// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A tensor of a graph as the call of an operator that tessera-op --in replays (tessera/operator_call.hpp).
#ifndef TESSERA_EXAMPLES_GGML_RECORDED_CALL_HPP_
#define TESSERA_EXAMPLES_GGML_RECORDED_CALL_HPP_

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "examples/ggml/tensors.hpp"
#include "tessera/operator_call.hpp"

namespace tessera_ggml {

/// Floats as they lie; quantised and integer tensors as floats. Operators that the replay does not know have
/// ggml's name in lower case for a kind and src0, src1, ... for roles.
class RecordedCall {
 public:
  explicit RecordedCall(const Tensor& dst);
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;

  [[nodiscard]] tessera::OperatorCall view() const {
    return {name_.c_str(), kind_.c_str(), arguments_, inputs_, outputs_};
  }

 private:
  using Call = tessera::CallTensor;
  using Axes = std::initializer_list<int>;

  void set_known();
  void matmul();
  void matmul_experts();
  void attention();
  void rope();
  void rms_norm();
  void l2_norm();
  void softmax();
  void glu();
  void ssm_conv();
  void ssm_scan();
  void gated_delta_net();
  void linear_attention(const char* kind, std::initializer_list<const char*> roles, bool reduction);

  void number(const char* name, double value) { arguments_.push_back({name, value, nullptr}); }
  void text(const char* name, const char* value) { arguments_.push_back({name, 0, value}); }
  /// The axes are ggml's, outermost first. Nothing for an empty or absent tensor.
  Call* add(std::vector<Call>& to, const Tensor* t, const char* role, Axes axes = {3, 2, 1, 0});
  void input(int source, const char* role, Axes axes = {3, 2, 1, 0}) {
    add(inputs_, dst_.src[source], role, axes);
  }
  void output(const char* role, Axes axes = {3, 2, 1, 0}) { add(outputs_, &dst_, role, axes); }
  /// Floats from a place on, with these sizes and strides.
  static Call floats_at(const char* role, const float* data,
                        std::initializer_list<std::size_t> shape,
                        std::initializer_list<std::size_t> strides);
  void slopes(float largest_bias, std::size_t heads);
  bool decode(const Tensor& t);

  const Tensor& dst_;
  std::string name_, kind_;
  std::deque<std::vector<float>> floats_;
  std::vector<tessera::CallArgument> arguments_;
  std::vector<Call> inputs_, outputs_;
};

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_RECORDED_CALL_HPP_

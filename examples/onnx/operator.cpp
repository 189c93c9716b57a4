// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/onnx/operator.hpp"

#include <climits>
#include <exception>

namespace tessera_onnx {
namespace {

/// The runtime is C: nothing is thrown through it.
template <class F>
OrtStatus* guarded(const F& f) {
  try {
    f();
    return nullptr;
  } catch (const std::exception& e) {
    return api->CreateStatus(ORT_FAIL, e.what());
  }
}

OrtCustomOpInputOutputCharacteristic characteristic(const Slot& slot) {
  return slot.optional ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
}

}  // namespace

Operator::Operator(const char* name, std::initializer_list<Slot> inputs,
                   std::initializer_list<Slot> outputs, Create create)
    : OrtCustomOp{}, name_(name), inputs_(inputs), outputs_(outputs), create_(create) {
  static constexpr auto self = [](const OrtCustomOp* op) {
    return static_cast<const Operator*>(op);
  };
  OrtCustomOp::version = ORT_API_VERSION;
  GetName = [](const OrtCustomOp* op) { return self(op)->name_; };
  GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU
  GetInputTypeCount = [](const OrtCustomOp* op) { return self(op)->inputs_.size(); };
  GetInputType = [](const OrtCustomOp* op, size_t i) { return self(op)->inputs_[i].type; };
  GetInputCharacteristic = [](const OrtCustomOp* op, size_t i) {
    return characteristic(self(op)->inputs_[i]);
  };
  GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  GetOutputTypeCount = [](const OrtCustomOp* op) { return self(op)->outputs_.size(); };
  GetOutputType = [](const OrtCustomOp* op, size_t i) { return self(op)->outputs_[i].type; };
  GetOutputCharacteristic = [](const OrtCustomOp* op, size_t i) {
    return characteristic(self(op)->outputs_[i]);
  };
  GetStartVersion = [](const OrtCustomOp*) { return 1; };
  GetEndVersion = [](const OrtCustomOp*) { return INT_MAX; };
  CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info,
                      void** kernel) {
    return guarded([&] { *kernel = self(op)->create_(Node(info)).release(); });
  };
  KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
    return guarded([&] { static_cast<const Kernel*>(kernel)->compute(Call(context)); });
  };
  KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
}

}  // namespace tessera_onnx

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/onnx/comparison/session.hpp"

#include <onnxruntime_c_api.h>

#include <memory>
#include <stdexcept>
#include <utility>

namespace tessera_onnx {
namespace {

const OrtApi& ort() {
  static const OrtApi* const api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (api == nullptr) throw std::runtime_error("this ONNX Runtime is older than the program");
  return *api;
}

void check(OrtStatus* status) {
  if (status == nullptr) return;
  const std::string text = ort().GetErrorMessage(status);
  ort().ReleaseStatus(status);
  throw std::runtime_error(text);
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;
template <class T>
Owned<T> own(T* p, void (*release)(T*)) {
  return {p, release};
}

}  // namespace

Runtime::Runtime(std::string library) : library_(std::move(library)) {
  check(ort().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "tessera", &env_));
}

Runtime::~Runtime() {
  ort().ReleaseEnv(env_);
}

std::string Runtime::version() {
  return OrtGetApiBase()->GetVersionString();
}

std::vector<std::vector<float>> Runtime::run(const Model& model,
                                             const std::map<std::string, Array>& inputs,
                                             const std::vector<std::string>& outputs) const {
  OrtSessionOptions* raw_options = nullptr;
  check(ort().CreateSessionOptions(&raw_options));
  const auto options = own(raw_options, ort().ReleaseSessionOptions);
  check(ort().RegisterCustomOpsLibrary_V2(options.get(), library_.c_str()));
  OrtSession* raw_session = nullptr;
  const std::string bytes = model.bytes();
  check(
      ort().CreateSessionFromArray(env_, bytes.data(), bytes.size(), options.get(), &raw_session));
  const auto session = own(raw_session, ort().ReleaseSession);
  OrtMemoryInfo* raw_memory = nullptr;
  check(ort().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &raw_memory));
  const auto memory = own(raw_memory, ort().ReleaseMemoryInfo);

  std::vector<Owned<OrtValue>> owned;
  std::vector<const OrtValue*> values;
  std::vector<const char*> names, wanted;
  for (const auto& [name, array] : inputs) {
    OrtValue* value = nullptr;
    check(ort().CreateTensorWithDataAsOrtValue(
        memory.get(), const_cast<char*>(array.bytes.data()), array.bytes.size(), array.shape.data(),
        array.shape.size(), static_cast<ONNXTensorElementDataType>(array.type), &value));
    owned.push_back(own(value, ort().ReleaseValue));
    values.push_back(value);
    names.push_back(name.c_str());
  }
  for (const std::string& name : outputs) wanted.push_back(name.c_str());
  std::vector<OrtValue*> results(outputs.size(), nullptr);
  check(ort().Run(session.get(), nullptr, names.data(), values.data(), values.size(), wanted.data(),
                  wanted.size(), results.data()));
  for (OrtValue* const value : results) owned.push_back(own(value, ort().ReleaseValue));
  std::vector<std::vector<float>> contents;
  for (OrtValue* const value : results) {
    OrtTensorTypeAndShapeInfo* raw_info = nullptr;
    check(ort().GetTensorTypeAndShape(value, &raw_info));
    const auto info = own(raw_info, ort().ReleaseTensorTypeAndShapeInfo);
    std::size_t count = 0;
    check(ort().GetTensorShapeElementCount(info.get(), &count));
    void* data = nullptr;
    check(ort().GetTensorMutableData(value, &data));
    const auto* const elements = static_cast<const float*>(data);
    contents.emplace_back(elements, elements + count);
  }
  return contents;
}

}  // namespace tessera_onnx

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/onnx/runtime.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace tessera_onnx {

const OrtApi* api = nullptr;

void check(OrtStatus* status) {
  if (status == nullptr) return;
  const std::string text = api->GetErrorMessage(status);
  api->ReleaseStatus(status);
  throw std::runtime_error(text);
}

void check(tessera::Status status) {
  if (status != tessera::Status::ok)
    throw std::runtime_error(std::string("tessera: ") + tessera::message(status));
}

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

std::size_t Tensor::count() const {
  std::size_t product = 1;
  for (const std::int64_t n : shape) product *= static_cast<std::size_t>(n);
  return product;
}

bool Tensor::has_shape(std::initializer_list<std::size_t> expected) const {
  return std::equal(
      shape.begin(), shape.end(), expected.begin(), expected.end(),
      [](std::int64_t a, std::size_t b) { return a == static_cast<std::int64_t>(b); });
}

namespace {

/// The C API wants values that may be written even where they are only read.
Tensor tensor_of(OrtValue* value) {
  Tensor t;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api->GetTensorTypeAndShape(value, &info));
  const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(api->ReleaseTensorTypeAndShapeInfo)>
      owner(info, api->ReleaseTensorTypeAndShapeInfo);
  std::size_t rank = 0;
  check(api->GetDimensionsCount(info, &rank));
  t.shape.resize(rank);
  check(api->GetDimensions(info, t.shape.data(), rank));
  check(api->GetTensorMutableData(value, &t.data));
  return t;
}

/// An attribute that is not there is an error, to be forgotten.
template <class T>
T attribute_or(OrtStatus* status, const T& value, const T& otherwise) {
  if (status == nullptr) return value;
  api->ReleaseStatus(status);
  return otherwise;
}

}  // namespace

std::int64_t Node::integer(const char* name, std::int64_t otherwise) const {
  std::int64_t value = 0;
  OrtStatus* const status = api->KernelInfoGetAttribute_int64(info_, name, &value);
  return attribute_or(status, value, otherwise);
}

float Node::number(const char* name, float otherwise) const {
  float value = 0;
  OrtStatus* const status = api->KernelInfoGetAttribute_float(info_, name, &value);
  return attribute_or(status, value, otherwise);
}

std::optional<Tensor> Node::constant(std::size_t input) const {
  std::size_t inputs = 0;
  check(api->KernelInfo_GetInputCount(info_, &inputs));
  if (input >= inputs) return std::nullopt;
  int is_constant = 0;
  const OrtValue* value = nullptr;
  check(api->KernelInfoGetConstantInput_tensor(info_, input, &is_constant, &value));
  if (is_constant == 0 || value == nullptr) return std::nullopt;
  return tensor_of(const_cast<OrtValue*>(value));
}

std::optional<Tensor> Call::optional_input(std::size_t index) const {
  std::size_t inputs = 0;
  check(api->KernelContext_GetInputCount(context_, &inputs));
  if (index >= inputs) return std::nullopt;
  const OrtValue* value = nullptr;
  check(api->KernelContext_GetInput(context_, index, &value));
  if (value == nullptr) return std::nullopt;
  return tensor_of(const_cast<OrtValue*>(value));
}

Tensor Call::input(std::size_t index) const {
  std::optional<Tensor> t = optional_input(index);
  require(t.has_value(), "an input is missing");
  return *std::move(t);
}

Tensor Call::output(std::size_t index, std::vector<std::int64_t> shape) const {
  OrtValue* value = nullptr;
  check(api->KernelContext_GetOutput(context_, index, shape.data(), shape.size(), &value));
  require(value != nullptr, "an output is missing");
  Tensor t;
  t.shape = std::move(shape);
  check(api->GetTensorMutableData(value, &t.data));
  return t;
}

std::size_t parts_of(std::size_t units) {
  return std::max<std::size_t>(1,
                               std::min<std::size_t>(units, std::thread::hardware_concurrency()));
}

PartedWorkspace::PartedWorkspace(tessera::WorkspaceSize size, std::size_t parts)
    : scratch_(tessera::internal::round_up(size.scratch, tessera::workspace_alignment)),
      shared_(size.shared),
      all_scratch_(scratch_ * parts) {}

tessera::Workspace PartedWorkspace::of(std::size_t part) const {
  return {shared_.span(), all_scratch_.span().subspan(part * scratch_, scratch_)};
}

}  // namespace tessera_onnx

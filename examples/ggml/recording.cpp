// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/recording.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "examples/ggml/tensors.hpp"
#include "tessera/record.hpp"

namespace tessera_ggml {
namespace {

using tessera::CallArgument;
using tessera::CallTensor;

constexpr std::int32_t swiglu = 2;

// Null where nothing is recorded. A folder that cannot be written is said once.
tessera::Recorder* recorder() {
  static const auto made = std::make_unique<tessera::Recorder>();
  static const char* said = nullptr;
  if (made->problem() != said) {
    said = made->problem();
    std::fprintf(stderr, "tessera: TESSERA_RECORD: %s\n", said);
  }
  return made->active() ? made.get() : nullptr;
}

// A call and what it refers to.
struct Call {
  std::string name, kind;
  std::deque<std::vector<float>> decoded;
  std::vector<CallArgument> arguments;
  std::vector<CallTensor> inputs, outputs;

  explicit Call(const Tensor& dst) : name(dst.name), kind(ggml::ggml_op_name(dst.op)) {
    std::transform(kind.begin(), kind.end(), kind.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.empty()) name = kind;
    static constexpr const char* roles[] = {"src0", "src1", "src2", "src3", "src4",
                                            "src5", "src6", "src7", "src8", "src9"};
    for (std::size_t i = 0; i < 10; ++i)
      if (dst.src[i] != nullptr) add(inputs, *dst.src[i], roles[i]);
    add(outputs, dst, "out");
    name_as_known(dst);
  }

  // The kinds of operator_call.hpp that these operators are, with their roles.
  void name_as_known(const Tensor& dst) {
    if (dst.op == ggml::Op::mul_mat && inputs.size() == 2 && size(dst, 2) == 1 &&
        size(dst, 3) == 1) {
      kind = "matmul";
      arguments.push_back({"format", 0, ggml::ggml_type_name(dst.src[0]->type)});
      inputs[0].role = "b", inputs[1].role = "a", outputs[0].role = "c";
    } else if (dst.op == ggml::Op::rms_norm && inputs.size() == 1) {
      arguments.push_back({"eps", static_cast<double>(parameter(dst, 0))});
      inputs[0].role = "x", outputs[0].role = "y";
      for (CallTensor* t : {&inputs[0], &outputs[0]}) as_rows(*t, dst);
    } else if (dst.op == ggml::Op::glu && dst.op_params[0] == swiglu && inputs.size() == 2) {
      kind = "swiglu";
      inputs[0].role = "gate", inputs[1].role = "up", outputs[0].role = "y";
    }
  }

  // [t, n], where the rows follow one another.
  static void as_rows(CallTensor& t, const Tensor& shape) {
    if (t.axes < 3) return;
    const std::ptrdiff_t row = t.strides[t.axes - 2];
    for (std::size_t i = t.axes - 2; i-- > 0;)
      if (t.strides[i] != t.strides[i + 1] * static_cast<std::ptrdiff_t>(t.shape[i + 1])) return;
    t.axes = 2;
    t.shape[0] = row_count(shape), t.shape[1] = size(shape, 0);
    t.strides[0] = row, t.strides[1] = 1;
  }

  // Floats as they lie; quantised and integer tensors as floats. Axes of 1 in front are left out.
  void add(std::vector<CallTensor>& to, const Tensor& t, const char* role) {
    if (is_empty(t) || t.data == nullptr) return;
    CallTensor call;
    call.role = role;
    call.axes = 4;
    while (call.axes > 2 && size(t, static_cast<int>(call.axes) - 1) == 1) --call.axes;
    const bool in_place = is_float(&t);
    if (in_place) {
      call.data = t.data;
      call.type = t.type == ggml::f32   ? tessera::Element::f32
                  : t.type == ggml::f16 ? tessera::Element::f16
                                        : tessera::Element::bf16;
    } else if (decode(t)) {
      call.data = decoded.back().data();
    } else {
      return;
    }
    std::ptrdiff_t dense = 1;
    for (std::size_t i = 0; i < call.axes; ++i) {
      const auto axis = static_cast<int>(i);
      call.shape[call.axes - 1 - i] = size(t, axis);
      call.strides[call.axes - 1 - i] = in_place ? stride(t, axis) : dense;
      dense *= static_cast<std::ptrdiff_t>(t.ne[axis]);
    }
    const bool constant = t.buffer != nullptr && t.buffer->usage == ggml::Usage::weights;
    if (constant) call.constant = t.name;
    to.push_back(call);
  }

  bool decode(const Tensor& t) {
    const ggml::TypeTraits* const traits = ggml::ggml_get_type_traits(t.type);
    if (t.type != ggml::i32 && (traits == nullptr || traits->to_float == nullptr)) return false;
    const std::size_t n = size(t, 0);
    std::vector<float>& values = decoded.emplace_back(n * row_count(t));
    for (std::size_t r = 0; r < row_count(t); ++r) {
      const std::byte* const row = at(t, r / size(t, 1) % size(t, 2), r / size(t, 1) / size(t, 2)) +
                                   r % size(t, 1) * t.nb[1];
      if (t.type != ggml::i32) {
        traits->to_float(row, &values[r * n], t.ne[0]);
        continue;
      }
      for (std::size_t i = 0; i < n; ++i) {
        std::int32_t value = 0;
        std::memcpy(&value, row + i * t.nb[0], sizeof value);
        values[r * n + i] = static_cast<float>(value);
      }
    }
    return true;
  }

  [[nodiscard]] tessera::OperatorCall view() const {
    return {name.c_str(), kind.c_str(), arguments, inputs, outputs};
  }
};

std::mutex one_at_a_time;

}  // namespace

Recording::Recording(const Tensor& dst) : dst_(dst) {
  static const bool wanted = recorder() != nullptr;
  if (!wanted) return;
  lock_ = std::unique_lock(one_at_a_time);
  if (tessera::Recorder* const r = recorder(); r != nullptr) r->before(Call(dst).view());
}

void Recording::end() {
  if (!lock_.owns_lock()) return;
  if (tessera::Recorder* const r = recorder(); r != nullptr) r->after(Call(dst_).view());
  lock_.unlock();
}

}  // namespace tessera_ggml

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/recorded_call.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

namespace tessera_ggml {
namespace {

constexpr const char* glu_functions[] = {"reglu",     "geglu",       "swiglu",      "swiglu_oai",
                                         "geglu_erf", "geglu_quick", "swiglu_clamp"};

}  // namespace

RecordedCall::RecordedCall(const Tensor& dst)
    : dst_(dst), name_(dst.name), kind_(ggml::ggml_op_name(dst.op)) {
  std::transform(kind_.begin(), kind_.end(), kind_.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name_.empty()) name_ = kind_;
  set_known();
  if (!outputs_.empty()) return;
  static constexpr const char* roles[] = {"src0", "src1", "src2", "src3", "src4",
                                          "src5", "src6", "src7", "src8", "src9"};
  for (int i = 0; i < 10; ++i) input(i, roles[i]);
  output("out");
}

void RecordedCall::set_known() {
  switch (dst_.op) {
    case ggml::Op::mul_mat:
      return matmul();
    case ggml::Op::mul_mat_id:
      return matmul_experts();
    case ggml::Op::flash_attn_ext:
      return attention();
    case ggml::Op::rope:
      return rope();
    case ggml::Op::rms_norm:
      return rms_norm();
    case ggml::Op::l2_norm:
      return l2_norm();
    case ggml::Op::soft_max:
      return softmax();
    case ggml::Op::glu:
      return glu();
    case ggml::Op::ssm_conv:
      return ssm_conv();
    case ggml::Op::ssm_scan:
      return ssm_scan();
    case ggml::Op::gated_delta_net:
      return gated_delta_net();
    case ggml::Op::gated_linear_attn:
      number("scale", static_cast<double>(parameter(dst_, 0)));
      return linear_attention("gated_linear_attention", {"k", "v", "q", "gate", "state"}, false);
    case ggml::Op::rwkv_wkv6:
      return linear_attention("rwkv6", {"k", "v", "receptance", "bonus", "decay", "state"}, false);
    case ggml::Op::rwkv_wkv7:
      return linear_attention("rwkv7", {"receptance", "decay", "k", "v", "a", "b", "state"}, true);
    default:
      return;
  }
}

void RecordedCall::matmul() {
  kind_ = "matmul";
  text("format", ggml::ggml_type_name(dst_.src[0]->type));
  number("decoded", 1);
  input(0, "b"), input(1, "a"), output("c");
}

void RecordedCall::matmul_experts() {
  kind_ = "matmul_experts";
  text("format", ggml::ggml_type_name(dst_.src[0]->type));
  number("decoded", 1);
  input(0, "b", {2, 1, 0}), input(1, "a", {2, 1, 0}), input(2, "ids", {1, 0});
  output("c", {2, 1, 0});
}

void RecordedCall::attention() {
  kind_ = "attention";
  const std::int32_t type = dst_.src[1]->type;
  text("cache", ggml::ggml_type_name(is_float(dst_.src[1]) ? dst_.src[2]->type : type));
  number("scale", static_cast<double>(parameter(dst_, 0)));
  number("soft_cap", static_cast<double>(parameter(dst_, 2)));
  input(0, "q", {3, 1, 2, 0}), input(1, "k", {3, 1, 2, 0}), input(2, "v", {3, 1, 2, 0});
  input(3, "mask");
  input(4, "sinks", {0});
  slopes(parameter(dst_, 1), size(*dst_.src[0], 2));
  output("out");  // heads come before tokens already
}

void RecordedCall::rope() {
  const std::int32_t mode = dst_.op_params[2];
  text("pairing", mode == 0 ? "interleaved" : "half");
  text("planes", mode == 8    ? "sections"
                 : mode == 40 ? "interleaved"
                 : mode == 24 ? "vision"
                              : "one");
  number("pairs", mode == 24 ? dst_.op_params[1] : dst_.op_params[1] / 2);
  number("context", dst_.op_params[4]);
  static constexpr const char* floats[] = {
      "base", "frequency_scale", "ext_factor", "attention_factor", "beta_fast", "beta_slow"};
  for (int i = 0; i < 6; ++i) number(floats[i], static_cast<double>(parameter(dst_, 5 + i)));
  static constexpr const char* sections[] = {"section0", "section1", "section2", "section3"};
  for (int i = 0; i < 4; ++i) number(sections[i], dst_.op_params[11 + i]);
  number("offset", dst_.op_params[15]);
  input(0, "x", {3, 2, 1, 0}), input(1, "positions", {0}), input(2, "factors", {0});
  output("y");
}

void RecordedCall::rms_norm() {
  number("eps", static_cast<double>(parameter(dst_, 0)));
  input(0, "x"), output("y");
}

void RecordedCall::l2_norm() {
  number("eps", static_cast<double>(parameter(dst_, 0)));
  input(0, "x"), output("y");
}

void RecordedCall::softmax() {
  kind_ = "softmax";
  number("scale", static_cast<double>(parameter(dst_, 0)));
  input(0, "x"), input(1, "mask"), input(2, "sinks", {0});
  slopes(parameter(dst_, 1), size(dst_, 2));
  output("y");
}

void RecordedCall::glu() {
  const std::int32_t function = dst_.op_params[0];
  if (function < 0 || function > 6) return;
  const char* const word = glu_functions[function];
  if (std::strcmp(word, "swiglu") == 0) {
    kind_ = word;
  } else {
    text("function", word);
    number("alpha", static_cast<double>(parameter(dst_, 2)));
    number("limit", static_cast<double>(parameter(dst_, 3)));
  }
  const bool halves = dst_.src[1] == nullptr;
  input(0, "gate");
  input(halves ? 0 : 1, "up");
  if (halves && inputs_.size() == 2) {
    for (Call& half : inputs_) half.shape[half.axes - 1] /= 2;
    Call& second = inputs_[dst_.op_params[1] != 0 ? 0 : 1];
    second.data = static_cast<const std::byte*>(second.data) +
                  second.shape[second.axes - 1] * (second.type == tessera::Element::f32 ? 4 : 2);
  }
  output("y");
}

void RecordedCall::ssm_conv() {
  input(0, "x", {2, 1, 0}), input(1, "weight", {1, 0}), output("y", {2, 1, 0});
}

void RecordedCall::ssm_scan() {
  const Tensor &s = *dst_.src[0], &x = *dst_.src[1];
  const std::size_t n = size(s, 0), channels = size(s, 1), heads = size(s, 2), slots = size(s, 3),
                    sequences = size(x, 3), tokens = size(x, 2);
  // Each sequence's own first state, gathered.
  const auto* const ids = static_cast<const std::int32_t*>(dst_.src[6]->data);
  const std::size_t state = n * channels * heads;
  std::vector<float>& first = floats_.emplace_back(sequences * state);
  for (std::size_t i = 0; i < sequences; ++i)
    if (ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < slots)
      std::copy_n(floats(s, 0, static_cast<std::size_t>(ids[i])), state, &first[i * state]);
  input(1, "x", {3, 2, 1, 0}), input(2, "dt", {2, 1, 0});
  add(inputs_, dst_.src[3], "a", {0, 1});
  input(4, "b", {3, 2, 1, 0}), input(5, "c", {3, 2, 1, 0});
  inputs_.push_back(floats_at("state", first.data(), {sequences, n, heads, channels},
                              {state, 1, n * channels, n}));
  const std::size_t row = channels * heads;
  outputs_.push_back(floats_at("y", floats(dst_), {sequences, tokens, heads, channels},
                               {tokens * row, row, channels, 1}));
  outputs_.push_back(floats_at("state", floats(dst_) + sequences * tokens * row,
                               {sequences, n, heads, channels}, {state, 1, n * channels, n}));
}

void RecordedCall::gated_delta_net() {
  const Tensor& v = *dst_.src[2];
  const std::size_t dim = size(v, 0), heads = size(v, 1), tokens = size(v, 2),
                    sequences = size(v, 3), state = dim * dim * heads, row = dim * heads;
  text("head_map", "modulo");
  number("scale", 1 / std::sqrt(static_cast<double>(dim)));
  input(0, "q"), input(1, "k"), input(2, "v"), input(3, "log_gate"), input(4, "beta");
  // Value rows over keys.
  inputs_.push_back(floats_at("state", floats(*dst_.src[5]), {sequences, heads, dim, dim},
                              {state, dim * dim, 1, dim}));
  outputs_.push_back(
      floats_at("out", floats(dst_), {sequences, tokens, heads, dim}, {tokens * row, row, dim, 1}));
  outputs_.push_back(floats_at("state", floats(dst_) + sequences * tokens * row,
                               {sequences, heads, dim, dim}, {state, dim * dim, 1, dim}));
}

void RecordedCall::linear_attention(const char* kind, std::initializer_list<const char*> roles,
                                    bool reduction) {
  kind_ = kind;
  const Tensor& x = *dst_.src[0];
  const int last = static_cast<int>(roles.size()) - 1;
  const std::size_t dim = size(x, 0), heads = size(x, 1), sequences = size(*dst_.src[last], 1),
                    tokens = size(x, 2) / sequences, row = dim * heads, state = row * dim;
  const std::size_t key = reduction ? 1 : dim, value = reduction ? dim : 1;
  for (int i = 0; i < last; ++i) {
    const char* const role = roles.begin()[i];
    const Tensor& t = *dst_.src[i];
    const auto head = static_cast<std::size_t>(stride(t, 1)),
               token = static_cast<std::size_t>(stride(t, 2));
    if (std::strcmp(role, "bonus") == 0) {
      inputs_.push_back(floats_at(role, floats(t), {1, 1, heads, dim}, {0, 0, head, 1}));
    } else {
      inputs_.push_back(floats_at(role, floats(t), {sequences, tokens, heads, dim},
                                  {tokens * token, token, head, 1}));
    }
  }
  inputs_.push_back(floats_at("state", floats(*dst_.src[last]), {sequences, heads, dim, dim},
                              {state, dim * dim, key, value}));
  outputs_.push_back(
      floats_at("out", floats(dst_), {sequences, tokens, heads, dim}, {tokens * row, row, dim, 1}));
  outputs_.push_back(floats_at("state", floats(dst_) + sequences * tokens * row,
                               {sequences, heads, dim, dim}, {state, dim * dim, key, value}));
}

void RecordedCall::slopes(float largest_bias, std::size_t heads) {
  if (largest_bias == 0.0f) return;
  std::vector<float>& values = floats_.emplace_back(heads);
  if (tsr_alibi_slopes(largest_bias, values.data(), heads) == TSR_OK)
    inputs_.push_back(floats_at("slopes", values.data(), {heads}, {1}));
}

tessera::CallTensor RecordedCall::floats_at(const char* role, const float* data,
                                            std::initializer_list<std::size_t> shape,
                                            std::initializer_list<std::size_t> strides) {
  Call call;
  call.role = role;
  call.data = data;
  call.axes = shape.size();
  std::copy(shape.begin(), shape.end(), call.shape);
  std::transform(strides.begin(), strides.end(), call.strides,
                 [](std::size_t s) { return static_cast<std::ptrdiff_t>(s); });
  return call;
}

tessera::CallTensor* RecordedCall::add(std::vector<Call>& to, const Tensor* t, const char* role,
                                       Axes axes) {
  if (t == nullptr || is_empty(*t) || t->data == nullptr) return nullptr;
  Call call;
  call.role = role;
  // Rows whose elements lie apart are floats too.
  const bool in_place = is_float(t) || (t->type == ggml::f32 && t->nb[0] % sizeof(float) == 0);
  if (in_place) {
    call.data = t->data;
    call.type = t->type == ggml::f32   ? tessera::Element::f32
                : t->type == ggml::f16 ? tessera::Element::f16
                                       : tessera::Element::bf16;
  } else if (decode(*t)) {
    call.data = floats_.back().data();
    call.copy_of = t->data;
  } else {
    return nullptr;
  }
  std::ptrdiff_t dense[4] = {1};
  for (int i = 1; i < 4; ++i) dense[i] = dense[i - 1] * static_cast<std::ptrdiff_t>(t->ne[i - 1]);
  const std::size_t bytes = call.type == tessera::Element::f32 ? 4 : 2;
  for (const int axis : axes) {
    // Of four axes, those of 1 in front are left out.
    if (axes.size() == 4 && call.axes == 0 && size(*t, axis) == 1 && &axis < axes.begin() + 2)
      continue;
    call.shape[call.axes] = size(*t, axis);
    call.strides[call.axes++] =
        in_place ? static_cast<std::ptrdiff_t>(t->nb[axis] / bytes) : dense[axis];
  }
  if (t->buffer != nullptr && t->buffer->usage == ggml::Usage::weights) call.constant = t->name;
  to.push_back(call);
  return &to.back();
}

bool RecordedCall::decode(const Tensor& t) {
  const ggml::TypeTraits* const traits = ggml::ggml_get_type_traits(t.type);
  if (t.type != ggml::i32 && (traits == nullptr || traits->to_float == nullptr)) return false;
  const std::size_t n = size(t, 0);
  std::vector<float>& values = floats_.emplace_back(n * row_count(t));
  for (std::size_t r = 0; r < row_count(t); ++r) {
    const std::byte* const row =
        at(t, r / size(t, 1) % size(t, 2), r / size(t, 1) / size(t, 2)) + r % size(t, 1) * t.nb[1];
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

}  // namespace tessera_ggml

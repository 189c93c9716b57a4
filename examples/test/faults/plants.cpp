// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/test/faults/plants.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tessera/core/float16.hpp"

namespace stories_test {
namespace {

using tessera::CallTensor;

std::size_t elements_of(const CallTensor& t) {
  std::size_t n = 1;
  for (std::size_t i = 0; i < t.axes; ++i) n *= t.shape[i];
  return n;
}

// Every tensor of the model is f32 without gaps, and none is const in the model.
float* floats(const CallTensor& t) {
  return static_cast<float*>(const_cast<void*>(t.data));
}

std::vector<float> copy_of(const CallTensor& t) {
  return std::vector<float>(floats(t), floats(t) + elements_of(t));
}

std::vector<std::vector<float>> copies_of(std::span<const CallTensor> tensors) {
  std::vector<std::vector<float>> copies;
  for (const CallTensor& t : tensors) copies.push_back(copy_of(t));
  return copies;
}

/// A backend's attention in single precision, with one of the faults of attention.
void faulty_attention(const tessera::OperatorCall& call, Fault fault, std::ptrdiff_t shift) {
  const CallTensor& q = call.inputs[0];
  const CallTensor& k = call.inputs[1];
  const CallTensor& v = call.inputs[2];
  float* out = floats(call.outputs[0]);
  const std::size_t heads = q.shape[1];
  const std::size_t dim = q.shape[2];
  const std::size_t groups = k.shape[1];
  const std::size_t tokens = k.shape[0];
  const float scale = fault == Fault::missing_scale ? 1 : 1 / std::sqrt(static_cast<float>(dim));
  for (std::size_t h = 0; h < heads; ++h) {
    const std::size_t g = fault == Fault::head_map ? h % groups : h * groups / heads;
    std::vector<float> keys;  // of this head, row by row
    for (std::size_t t = 0; t < tokens; ++t)
      keys.insert(keys.end(), floats(k) + (t * groups + g) * dim,
                  floats(k) + (t * groups + g + 1) * dim);
    const bool turned = fault == Fault::transposed_keys;
    for (std::size_t i = 0; i < q.shape[0]; ++i) {
      const std::size_t position = i + tokens - q.shape[0];
      const auto last = static_cast<std::ptrdiff_t>(position) + shift;
      const std::size_t end =
          std::min(tokens, static_cast<std::size_t>(std::max<std::ptrdiff_t>(last + 1, 0)));
      std::vector<float> mixed(dim);
      float sum = 0;
      for (std::size_t t = 0; t < end; ++t) {
        float score = 0;
        for (std::size_t d = 0; d < dim; ++d)
          score +=
              floats(q)[(i * heads + h) * dim + d] * keys[turned ? d * tokens + t : t * dim + d];
        const float weight = std::exp(score * scale);
        sum += weight;
        for (std::size_t d = 0; d < dim; ++d)
          mixed[d] += weight * floats(v)[(t * groups + g) * dim + d];
      }
      for (std::size_t d = 0; d < dim; ++d)
        out[(i * heads + h) * dim + d] = sum == 0 ? 0 : mixed[d] / sum;
    }
  }
}

/// a b^T summed from the end, without the last `missing` products.
void product_backwards(const tessera::OperatorCall& call, const std::vector<float>& a,
                       std::size_t missing) {
  const std::size_t k = call.inputs[0].shape[1];
  const float* b = floats(call.inputs[1]);
  const CallTensor& c = call.outputs[0];
  for (std::size_t i = 0; i < c.shape[0]; ++i)
    for (std::size_t j = 0; j < c.shape[1]; ++j) {
      float sum = 0;
      for (std::size_t e = k - missing; e-- > 0;) sum += a[i * k + e] * b[j * k + e];
      floats(c)[i * c.shape[1] + j] = sum;
    }
}

/// Pairs half a head apart, from the heads as they were before.
void rotate_halves(const tessera::OperatorCall& call, const std::vector<std::vector<float>>& in) {
  const CallTensor& x = call.outputs[0];
  const std::size_t half = x.shape[2] / 2;
  for (std::size_t row = 0; row < x.shape[0] * x.shape[1]; ++row)
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t angle = row / x.shape[1] * half + i;
      const float c = in[1][angle];
      const float s = in[2][angle];
      const float a = in[0][row * 2 * half + i];
      const float b = in[0][row * 2 * half + half + i];
      floats(x)[row * 2 * half + i] = a * c - b * s;
      floats(x)[row * 2 * half + half + i] = a * s + b * c;
    }
}

/// Where a buffer is stale: the consumer, the place of the input, and who wrote the buffer before.
struct StalePlace {
  const char* consumer;
  std::size_t input;
  const char* source;
};
constexpr StalePlace stale_places[] = {
    {"attention", 0, "q"}, {"ffn_gate", 0, "att_norm"}, {"ffn_residual", 1, "att_projection"}};

const char* operator_of(Fault fault, std::size_t seed) {
  switch (fault) {
    case Fault::dropped_block:
      return seed % 2 == 0 ? "ffn_down" : "q";
    case Fault::f16_overflow:
      return "ffn_swiglu";
    case Fault::rope_pairing:
      return seed % 2 == 0 ? "k_rope" : "q_rope";
    case Fault::stale_buffer:
      return stale_places[seed % 3].consumer;
    default:
      return "attention";
  }
}

}  // namespace

const char* name(Fault fault) {
  constexpr const char* names[] = {"transposed_keys", "head_map",      "missing_scale",
                                   "causal_limit",    "dropped_block", "f16_overflow",
                                   "rope_pairing",    "stale_buffer"};
  return names[static_cast<std::size_t>(fault)];
}

PlantedFault::PlantedFault(Fault fault, std::size_t layer, std::size_t seed)
    : fault_(fault), seed_(seed) {
  const std::string prefix = "layer" + std::to_string(layer) + ".";
  target_ = prefix + operator_of(fault, seed);
  if (fault == Fault::stale_buffer) stale_source_ = prefix + stale_places[seed % 3].source;
}

void PlantedFault::before(const tessera::OperatorCall& call) {
  if (target_ != call.name) return;
  if (fault_ == Fault::stale_buffer)
    std::copy(stale_.begin(), stale_.end(), floats(call.inputs[stale_places[seed_ % 3].input]));
  inputs_ = copies_of(call.inputs);
}

void PlantedFault::after(const tessera::OperatorCall& call) {
  if (stale_source_ == call.name) stale_ = copy_of(call.outputs[0]);
  if (target_ != call.name) return;
  const std::size_t k = call.inputs[0].shape[1];
  switch (fault_) {
    case Fault::stale_buffer:
      return;
    case Fault::rope_pairing:
      return rotate_halves(call, inputs_);
    case Fault::dropped_block:
      return product_backwards(call, inputs_[0], k <= 32 ? 16 : k % 32 == 0 ? 32 : k % 32);
    case Fault::f16_overflow:
      for (std::size_t i = 0; i < elements_of(call.outputs[0]); ++i) {
        float& x = floats(call.outputs[0])[i];
        x = tessera::to_float(tessera::to_float16(x));
        if (seed_ % 2 == 1) x = std::clamp(x, -65504.0f, 65504.0f);
      }
      return;
    case Fault::causal_limit:
      return faulty_attention(call, fault_, seed_ % 2 == 0 ? 1 : -1);
    default:
      return faulty_attention(call, fault_, 0);
  }
}

/// Between -1 and 1.
float Rounding::noise() {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31f;
}

void Rounding::before(const tessera::OperatorCall& call) {
  inputs_ = copies_of(call.inputs);
}

/// Products are summed the other way round; attention too; all else is off by up to 4 units.
void Rounding::after(const tessera::OperatorCall& call) {
  const std::string_view kind = call.kind;
  if (kind == "lookup" || kind == "append") return;  // copies
  if (kind == "matmul") return product_backwards(call, inputs_[0], 0);
  if (kind == "attention")
    return faulty_attention(call, Fault::stale_buffer, 0);  // none of its faults
  for (const CallTensor& t : call.outputs)
    for (std::size_t i = 0; i < elements_of(t); ++i) floats(t)[i] *= 1 + 0x1p-21f * noise();
}

}  // namespace stories_test

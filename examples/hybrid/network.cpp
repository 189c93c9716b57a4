// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/network.hpp"

#include <charconv>
#include <set>
#include <system_error>
#include <utility>

namespace hybrid {
namespace {

constexpr std::pair<std::string_view, LayerKind> kind_names[] = {
    {"delta", LayerKind::delta},         {"mamba", LayerKind::mamba},
    {"attention", LayerKind::attention}, {"swiglu", LayerKind::swiglu},
    {"experts", LayerKind::experts},
};

/// A number of the metadata.
struct Number {
  const char* name;
  std::size_t Shape::* member;
};
constexpr Number numbers[] = {
    {"dim", &Shape::dim},
    {"vocab", &Shape::vocab},
    {"conv_width", &Shape::conv_width},
    {"key_heads", &Shape::key_heads},
    {"key_size", &Shape::key_size},
    {"value_heads", &Shape::value_heads},
    {"value_size", &Shape::value_size},
    {"scan_heads", &Shape::scan_heads},
    {"scan_size", &Shape::scan_size},
    {"scan_states", &Shape::scan_states},
    {"query_heads", &Shape::query_heads},
    {"kv_heads", &Shape::kv_heads},
    {"head_size", &Shape::head_size},
    {"rotary", &Shape::rotary},
    {"ffn_size", &Shape::ffn_size},
    {"experts", &Shape::experts},
    {"experts_used", &Shape::experts_used},
    {"expert_size", &Shape::expert_size},
};
constexpr std::size_t largest_number = 65536;

struct Wanted {
  const char* name;
  std::size_t rows;
  std::size_t cols;
};

std::vector<Wanted> tensors_of(LayerKind kind, const Shape& s) {
  const std::size_t values = s.value_heads * s.value_size;
  const std::size_t channels = 2 * s.key_heads * s.key_size + values;
  const std::size_t inner = s.scan_heads * s.scan_size;
  const std::size_t scanned = inner + 2 * s.scan_states;
  const std::size_t queries = s.query_heads * s.head_size;
  const std::size_t keys = s.kv_heads * s.head_size;
  switch (kind) {
    case LayerKind::delta:
      return {{"norm", 1, s.dim},
              {"in_qkv", channels, s.dim},
              {"in_z", values, s.dim},
              {"in_ab", 2 * s.value_heads, s.dim},
              {"rate", 1, s.value_heads},
              {"step_bias", 1, s.value_heads},
              {"out_norm", 1, s.value_size},
              {"conv", s.conv_width, channels},
              {"out", s.dim, values}};
    case LayerKind::mamba:
      return {{"norm", 1, s.dim},         {"in_z", inner, s.dim},
              {"in_xbc", scanned, s.dim}, {"in_step", s.scan_heads, s.dim},
              {"rate", 1, s.scan_heads},  {"step_bias", 1, s.scan_heads},
              {"skip", 1, s.scan_heads},  {"conv", s.conv_width, scanned},
              {"out_norm", 1, inner},     {"out", s.dim, inner}};
    case LayerKind::attention:
      return {{"norm", 1, s.dim},     {"q", queries, s.dim},      {"k", keys, s.dim},
              {"v", keys, s.dim},     {"q_norm", 1, s.head_size}, {"k_norm", 1, s.head_size},
              {"out", s.dim, queries}};
    case LayerKind::swiglu:
      return {{"norm", 1, s.dim},
              {"gate", s.ffn_size, s.dim},
              {"up", s.ffn_size, s.dim},
              {"down", s.dim, s.ffn_size}};
    case LayerKind::experts:
      return {{"norm", 1, s.dim},
              {"router", s.experts, s.dim},
              {"gate", s.experts * s.expert_size, s.dim},
              {"up", s.experts * s.expert_size, s.dim},
              {"down", s.experts * s.dim, s.expert_size}};
  }
  return {};
}

}  // namespace

std::optional<Network> Network::parse(std::span<const std::byte> bytes, std::string* error) {
  auto container = Container::parse(bytes, error);
  if (!container) return std::nullopt;
  Network network;
  network.container_ = *std::move(container);
  if (!network.read_shape(error) || !network.check_tensors(error)) return std::nullopt;
  return network;
}

bool Network::read_shape(std::string* error) {
  const auto& metadata = container_.metadata;
  const auto text = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  for (const Number& number : numbers) {
    const std::string value = text(number.name);
    std::size_t* place = &(shape_.*number.member);
    const char* end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, *place);
    if (read.ec != std::errc() || read.ptr != end || *place == 0 || *place > largest_number) {
      *error = "metadata " + std::string(number.name) + ": is not a number from 1 to " +
               std::to_string(largest_number);
      return false;
    }
  }
  const auto rule = [&](bool holds, const char* sentence) {
    if (!holds) *error = std::string("metadata ") + sentence;
    return holds;
  };
  characters_ = text("characters");
  if (!rule(characters_.size() == shape_.vocab, "characters: are not as many as vocab") ||
      !rule(std::set<char>(characters_.begin(), characters_.end()).size() == shape_.vocab,
            "characters: one occurs twice") ||
      !rule(characters_[0] == '\n', "characters: the first is not a line feed") ||
      !rule(shape_.conv_width >= 2 && shape_.conv_width <= 9, "conv_width: is not 2 to 9") ||
      !rule(shape_.value_heads % shape_.key_heads == 0,
            "value_heads: is no multiple of key_heads") ||
      !rule(shape_.query_heads % shape_.kv_heads == 0, "query_heads: is no multiple of kv_heads") ||
      !rule(shape_.rotary % 2 == 0 && shape_.rotary <= shape_.head_size,
            "rotary: is odd or more than head_size") ||
      !rule(shape_.experts_used <= shape_.experts, "experts_used: is more than experts"))
    return false;
  const std::string listed = text("layers");
  std::string_view names = listed;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(name.size());
    if (!names.empty()) names.remove_prefix(1);
    const std::size_t before = layers_.size();
    for (const auto& [known, kind] : kind_names)
      if (name == known) layers_.push_back(kind);
    if (!rule(layers_.size() != before, "layers: one is of no known kind")) return false;
  }
  return rule(!layers_.empty(), "layers: there are none");
}

bool Network::check_tensors(std::string* error) const {
  std::vector<std::pair<std::string, Wanted>> all = {{"embedding", {"", shape_.vocab, shape_.dim}},
                                                     {"final_norm", {"", 1, shape_.dim}}};
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (const Wanted& wanted : tensors_of(layers_[l], shape_))
      all.push_back({std::to_string(l) + "." + wanted.name, wanted});
  for (const auto& [name, wanted] : all) {
    const auto found = container_.tensors.find(name);
    if (found == container_.tensors.end()) {
      *error = "tensor " + name + ": is missing";
      return false;
    }
    if (found->second.rows == wanted.rows && found->second.cols == wanted.cols) continue;
    *error = "tensor " + name + ": is not " + std::to_string(wanted.rows) + " x " +
             std::to_string(wanted.cols);
    return false;
  }
  return true;
}

tessera::MatrixView<const float> Network::matrix(const std::string& name) const {
  const Tensor& tensor = container_.tensors.at(name);
  return tessera::matrix(tensor.values.data(), tensor.rows, tensor.cols);
}

std::optional<std::vector<std::int32_t>> Network::encode(std::string_view text,
                                                         std::string* error) const {
  std::vector<std::int32_t> tokens;
  for (const char c : text) {
    const std::size_t token = characters_.find(c);
    if (token == std::string::npos) {
      *error = "the network has no character ";
      *error += c;
      return std::nullopt;
    }
    tokens.push_back(static_cast<std::int32_t>(token));
  }
  return tokens;
}

}  // namespace hybrid

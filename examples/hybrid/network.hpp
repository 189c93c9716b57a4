// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The network in a container: its layers, their sizes and their tensors, all proven to fit together.
#ifndef TESSERA_EXAMPLES_HYBRID_NETWORK_HPP_
#define TESSERA_EXAMPLES_HYBRID_NETWORK_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/hybrid/container.hpp"
#include "tessera/core/views.hpp"

namespace hybrid {

/// What a layer adds to its input.
enum class LayerKind { delta, mamba, attention, swiglu, experts };

/// Heads and sizes; those of tensors follow from their shapes.
struct Shape {
  std::size_t dim = 0;
  std::size_t vocab = 0;
  std::size_t conv_width = 0;
  // gated delta net
  std::size_t key_heads = 0, key_size = 0, value_heads = 0, value_size = 0;
  // Mamba-2, one group
  std::size_t scan_heads = 0, scan_size = 0, scan_states = 0;
  // attention
  std::size_t query_heads = 0, kv_heads = 0, head_size = 0, rotary = 0;
  // feed-forward
  std::size_t ffn_size = 0, experts = 0, experts_used = 0, expert_size = 0;
};

/// The constants of all layers.
inline constexpr float norm_eps = 1e-5f;
inline constexpr double rope_base = 10000.0;

class Network {
 public:
  /// Reads a file's bytes. Without a value, `error` names the tensor or number and the rule.
  static std::optional<Network> parse(std::span<const std::byte> bytes, std::string* error);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::span<const LayerKind> layers() const { return layers_; }

  /// A tensor of the network.
  [[nodiscard]] tessera::MatrixView<const float> matrix(const std::string& name) const;
  /// A tensor of a layer.
  [[nodiscard]] tessera::MatrixView<const float> matrix(std::size_t layer, const char* name) const {
    return matrix(std::to_string(layer) + "." + name);
  }

  /// The tokens of a text; without a value, `error` names the character that has none.
  [[nodiscard]] std::optional<std::vector<std::int32_t>> encode(std::string_view text,
                                                                std::string* error) const;
  [[nodiscard]] char character(std::int32_t token) const {
    return characters_[static_cast<std::size_t>(token)];
  }

 private:
  bool read_shape(std::string* error);
  bool check_tensors(std::string* error) const;

  Container container_;
  Shape shape_;
  std::string characters_;
  std::vector<LayerKind> layers_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_NETWORK_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The network on some backend with weights in some format, both chosen by name.
#ifndef TESSERA_EXAMPLES_HYBRID_MODEL_HPP_
#define TESSERA_EXAMPLES_HYBRID_MODEL_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "examples/hybrid/experts.hpp"
#include "examples/hybrid/network.hpp"
#include "examples/shared/backend_facts.hpp"
#include "examples/shared/weights.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"
#include "tessera/formats/format_id.hpp"

namespace hybrid {

/// Tokens that continue the sequence in a slot.
struct Run {
  std::span<const std::int32_t> tokens;
  std::size_t slot = 0;
  bool step =
      false;  ///< one token, as a decode step; else (part of) a prompt, of one token or more
};

/// How a model is made.
struct ModelOptions {
  tessera::FormatId cache = tessera::FormatId::f32;
  std::size_t slots = 1;       ///< sequences at once
  std::size_t capacity = 512;  ///< tokens of each
  bool sequential = false;     ///< runs of several tokens, too, token by token instead of in chunks
};

/// A model with the states and caches of several sequences.
class Model {
 public:
  virtual ~Model() = default;

  /// Packs the weights. The network must outlive the model. Answers what the library answered.
  [[nodiscard]] virtual tessera::Status load() = 0;

  /// Forgets the sequence in a slot.
  virtual void clear(std::size_t slot) = 0;

  /// Runs tokens of sequences in different slots in one batch; row i of `logits` (vocab columns) is of the last token of
  /// run i. Prompts are computed in chunks, however short: how a prompt is cut at whole chunks changes no bit.
  /// Precondition: no run is empty, a step has one token, tokens are below vocab, a sequence has at most `capacity` tokens.
  [[nodiscard]] virtual tessera::Status forward(std::span<const Run> runs,
                                                const tessera::MatrixView<float>& logits) = 0;

  /// Flips one bit of the packed weights of the output matrix of the first layer. False if no bit was found.
  [[nodiscard]] virtual bool plant() = 0;
};

/// One backend and one format.
struct ModelKind {
  examples::BackendFacts backend;
  const char* weights;
  bool float_weights;
  examples::WeightsMaker make_weights;
  ExpertsMaker make_experts;  ///< null: one product per expert (GatheredExperts)
  std::unique_ptr<Model> (*make_model)(const Network& network, const ModelKind& kind,
                                       const ModelOptions& options);

  [[nodiscard]] std::unique_ptr<Model> make(const Network& network,
                                            const ModelOptions& options) const {
    return make_model(network, *this, options);
  }
};

/// Every pair of a backend and a format in this program, the scalar backend first.
std::vector<ModelKind> model_kinds();

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_MODEL_HPP_

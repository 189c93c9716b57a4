// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A model on some backend with weights in some format, both chosen by name.
#ifndef TESSERA_EXAMPLES_STORIES_TRANSFORMER_HPP_
#define TESSERA_EXAMPLES_STORIES_TRANSFORMER_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "examples/shared/backend_facts.hpp"
#include "examples/shared/weights.hpp"
#include "examples/stories/checkpoint.hpp"
#include "examples/stories/trace.hpp"
#include "examples/stories/watcher.hpp"
#include "tessera/core/status.hpp"
#include "tessera/formats/format_id.hpp"

namespace stories {

/// A model with its key/value cache.
class Transformer {
 public:
  virtual ~Transformer() = default;

  /// Packs the weights. The checkpoint must outlive the model. Answers what the library answered.
  [[nodiscard]] virtual tessera::Status load() = 0;

  /// Runs tokens that stand at `position` and behind it; `logits` (vocab) are those of the last one.
  /// All positions before must have been run. `trace` may be null.
  /// Precondition: position + tokens.size() <= seq_len, tokens below vocab.
  [[nodiscard]] virtual tessera::Status forward(std::span<const std::int32_t> tokens,
                                                std::size_t position, std::span<float> logits,
                                                Trace* trace) = 0;

  /// From now on `watcher`, which must outlive the model, sees every operator; null for none.
  virtual void watch(Watcher* watcher) = 0;

  /// Flips one bit of the packed weights: of the gate matrix w1 of layer 2, or of the last layer
  /// where there are fewer. False if no bit was found.
  [[nodiscard]] virtual bool plant() = 0;
};

/// One backend and one format, and how to make a model of them.
struct ModelKind {
  examples::BackendFacts backend;
  const char* weights;
  bool float_weights;
  examples::WeightsMaker make_weights;
  std::unique_ptr<Transformer> (*make_model)(const Checkpoint& checkpoint,
                                             examples::WeightsMaker weights,
                                             tessera::FormatId cache);

  /// The checkpoint must outlive the model. Keys and values are kept in format `cache`.
  [[nodiscard]] std::unique_ptr<Transformer> make(
      const Checkpoint& checkpoint, tessera::FormatId cache = tessera::FormatId::f32) const {
    return make_model(checkpoint, make_weights, cache);
  }
};

/// Every pair of a backend and a format in this program.
std::vector<ModelKind> model_kinds();

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_TRANSFORMER_HPP_

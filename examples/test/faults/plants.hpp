// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Faults such as real backends have, put into a running model: an operator's output is replaced by
/// what a faulty one would have written, or its input by what a buffer held before.
#ifndef TESSERA_EXAMPLES_TEST_FAULTS_PLANTS_HPP_
#define TESSERA_EXAMPLES_TEST_FAULTS_PLANTS_HPP_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "examples/stories/watcher.hpp"

namespace stories_test {

/// Changes what an operator reads before it runs, or what it wrote, behind its back. What comes before
/// the other watcher's look is what that one sees.
class Plant {
 public:
  virtual ~Plant() = default;
  virtual void before(const tessera::OperatorCall&) {}
  virtual void after(const tessera::OperatorCall&) {}
};

/// A watcher behind a plant.
class Planted final : public stories::Watcher {
 public:
  Planted(Plant& plant, stories::Watcher& watcher) : plant_(plant), watcher_(watcher) {}
  void before(const tessera::OperatorCall& call) override {
    plant_.before(call);
    watcher_.before(call);
  }
  void after(const tessera::OperatorCall& call) override {
    plant_.after(call);
    watcher_.after(call);
  }

 private:
  Plant& plant_;
  stories::Watcher& watcher_;
};

/// A kind of fault, and the word by which it must be named.
enum class Fault {
  transposed_keys,
  head_map,
  missing_scale,
  causal_limit,
  dropped_block,
  f16_overflow,
  rope_pairing,
  stale_buffer
};
inline constexpr Fault all_faults[] = {
    Fault::transposed_keys, Fault::head_map,     Fault::missing_scale, Fault::causal_limit,
    Fault::dropped_block,   Fault::f16_overflow, Fault::rope_pairing,  Fault::stale_buffer};
const char* name(Fault fault);

/// One fault in one operator, "layer1.attention" or the like.
class PlantedFault final : public Plant {
 public:
  /// `seed` chooses among variants: a key too many or too few, which buffer is stale,
  /// infinity or the largest f16.
  PlantedFault(Fault fault, std::size_t layer, std::size_t seed);

  /// The operator that must be found.
  const std::string& target() const { return target_; }
  void before(const tessera::OperatorCall& call) override;
  void after(const tessera::OperatorCall& call) override;

 private:
  Fault fault_;
  std::size_t seed_;
  std::string target_;
  std::string stale_source_;  ///< the operator whose output the buffer shall hold again
  std::vector<float> stale_;
  std::vector<std::vector<float>> inputs_;  ///< of the target, as they were
};

/// What another right backend would have computed: other orders of summation, other last bits.
class Rounding final : public Plant {
 public:
  explicit Rounding(std::size_t seed) : state_(seed) {}
  void before(const tessera::OperatorCall& call) override;
  void after(const tessera::OperatorCall& call) override;

 private:
  float noise();
  std::size_t state_;
  std::vector<std::vector<float>> inputs_;
};

}  // namespace stories_test

#endif  // TESSERA_EXAMPLES_TEST_FAULTS_PLANTS_HPP_

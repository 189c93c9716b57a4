// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Eight kinds of faults in models of five shapes, each to be found and named; and no alarm where two
// backends differ by rounding.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/replay/diagnosis.hpp"
#include "examples/shared/backends/packed_matrix.hpp"
#include "examples/stories/backends/transformer_on.hpp"
#include "examples/stories/synthetic.hpp"
#include "examples/test/faults/memory_recorder.hpp"
#include "examples/test/faults/plants.hpp"

namespace stories_test {
namespace {

using replay::Blame;
using replay::Finding;
using stories::Shape;

constexpr Shape shapes[] = {{64, 172, 2, 8, 4, 70, 16, true},
                            {32, 96, 1, 4, 2, 50, 16, true},
                            {96, 160, 2, 6, 3, 40, 16, false},
                            {128, 200, 1, 8, 2, 60, 16, true},
                            {48, 72, 3, 12, 4, 90, 16, false}};

/// A checkpoint of this shape; its weights change with the vocabulary. `loud` makes the gate and up
/// matrices so large that what follows exceeds f16.
stories::Checkpoint checkpoint(Shape shape, std::size_t seed, bool loud) {
  shape.vocab += seed;
  std::vector<std::byte> bytes = stories::synthetic_checkpoint(shape);
  std::array<stories::TensorPlace, stories::tensor_count> places;
  std::size_t count = 0;
  EXPECT_TRUE(stories::place_tensors(shape, &places, &count));
  for (const stories::Tensor tensor : {stories::Tensor::w1, stories::Tensor::w3}) {
    const stories::TensorPlace& p = places[static_cast<std::size_t>(tensor)];
    for (std::size_t i = 0; loud && i < p.layers * p.rows * p.cols; ++i) {
      std::byte* at = bytes.data() + 4 * (stories::Checkpoint::header_words + p.offset + i);
      float x;
      std::memcpy(&x, at, sizeof x);
      x *= 512;
      std::memcpy(at, &x, sizeof x);
    }
  }
  std::string error;
  auto parsed = stories::Checkpoint::parse(bytes, &error);
  EXPECT_TRUE(parsed) << error;
  return *std::move(parsed);
}

std::unique_ptr<examples::Weights> float_weights() {
  return std::make_unique<examples::PackedMatrix<tessera::backend::scalar, tessera::format::f32>>();
}

/// Runs a batch of 6 tokens and one more, watched.
void run(const stories::Checkpoint& checkpoint, std::size_t seed, stories::Watcher* watcher) {
  stories::TransformerOn<tessera::backend::scalar> model(checkpoint, float_weights,
                                                         tessera::FormatId::f32);
  ASSERT_EQ(model.load(), tessera::Status::ok);
  model.watch(watcher);
  const std::size_t vocab = checkpoint.shape().vocab;
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < 6; ++i)
    tokens.push_back(static_cast<std::int32_t>((7 * i + 5 * seed + 1) % vocab));
  std::vector<float> logits(vocab);
  ASSERT_EQ(model.forward(tokens, 0, logits, nullptr), tessera::Status::ok);
  ASSERT_EQ(model.forward({tokens.data(), 1}, 6, logits, nullptr), tessera::Status::ok);
}

bool replayable(const dumps::OperatorRecord& record) {
  return record.kind != "lookup" && record.kind != "rope_table";
}

Finding diagnosed(const MemoryRecorder& memory, const dumps::OperatorRecord& record) {
  return replay::diagnose(record, [&](std::size_t number) { return memory.find(number); });
}

/// The first operator that is not right.
Finding first_fault(const MemoryRecorder& memory) {
  for (const dumps::OperatorRecord& record : memory.records) {
    if (!replayable(record)) continue;
    const Finding finding = replay::examine(record);
    if (replay::faulty(finding.blame)) return finding;
  }
  return {};
}

void expect_found(Fault fault, std::size_t shape, std::size_t seed) {
  SCOPED_TRACE(std::string(name(fault)) + ", shape " + std::to_string(shape) + ", seed " +
               std::to_string(seed));
  const auto model = checkpoint(shapes[shape], seed, fault == Fault::f16_overflow);
  PlantedFault plant(fault, (shape + seed) % shapes[shape].layers, seed);
  const auto memory = std::make_unique<MemoryRecorder>();
  Planted planted(plant, *memory);
  run(model, seed, &planted);
  const Finding found = first_fault(*memory);
  EXPECT_EQ(found.name, plant.target());
  EXPECT_EQ(found.mistake, name(fault)) << found.sentence;
  EXPECT_EQ(found.blame,
            fault == Fault::stale_buffer ? Blame::buffer_changed : Blame::operator_wrong);
  // From the last operator of the first batch alone.
  const std::size_t half = memory->records.size() / 2;
  const Finding last = diagnosed(*memory, memory->records[half - 1]);
  EXPECT_EQ(last.blame, Blame::input_wrong);
  EXPECT_EQ(last.number, found.number);
  EXPECT_EQ(last.mistake, name(fault));
  // Keys turned wrongly are wrong in both batches: the first one is to blame, through the cache.
  if (plant.target().ends_with("k_rope")) {
    EXPECT_EQ(diagnosed(*memory, memory->records.back()).number, found.number);
  }
}

TEST(PlantedFaults, EachIsFoundAndNamed) {
  for (const Fault fault : all_faults)
    for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
      for (std::size_t seed = 0; seed < 3; ++seed) expect_found(fault, shape, seed);
}

bool diverge(const dumps::Tensor& a, const dumps::Tensor& b) {
  const tessera::Elements x = a.elements();
  const tessera::Elements y = b.elements();
  tessera::Comparison c;
  if (tessera::compare(x, y, {}, &c) != tessera::Status::ok) return true;
  return tessera::diverges(
      tessera::judge(c, x, y, b.shape, tessera::rounding_limits(x.type)).verdict);
}

TEST(Rounding, RaisesNoAlarm) {
  std::size_t rounded = 0;
  for (std::size_t pair = 0; pair < 200; ++pair) {
    SCOPED_TRACE(pair);
    const auto model = checkpoint(shapes[pair % std::size(shapes)], pair / 5, false);
    const auto exact = std::make_unique<MemoryRecorder>();
    const auto memory = std::make_unique<MemoryRecorder>();
    Rounding rounding(pair);
    Planted planted(rounding, *memory);
    run(model, pair, exact.get());
    run(model, pair, &planted);
    const Finding finding = first_fault(*memory);
    EXPECT_FALSE(replay::faulty(finding.blame)) << finding.name << ": " << verdict_of(finding);
    for (std::size_t i = 0; i < memory->records.size(); ++i) {
      const dumps::Tensor& a = memory->records[i].outputs[0].tensor;
      const dumps::Tensor& b = exact->records[i].outputs[0].tensor;
      EXPECT_FALSE(diverge(a, b)) << memory->records[i].name;
      rounded += a.bytes != b.bytes;
    }
  }
  EXPECT_GT(rounded, 200u * 20u);
}

TEST(Recorder, WritesWhatIsInMemory) {
  const std::string folder = std::filesystem::temp_directory_path() / "tessera_faults_test";
  std::filesystem::remove_all(folder);
  const auto model = checkpoint(shapes[1], 0, false);
  struct Both final : stories::Watcher {
    explicit Both(const char* to) : recorder(to) {}
    void before(const tessera::OperatorCall& call) override {
      recorder.before(call);
      memory.before(call);
    }
    void after(const tessera::OperatorCall& call) override {
      recorder.after(call);
      memory.after(call);
    }
    tessera::Recorder recorder;
    MemoryRecorder memory;
  };
  const auto both = std::make_unique<Both>(folder.c_str());
  PlantedFault stale(Fault::stale_buffer, 0, 0);
  Planted planted(stale, *both);
  run(model, 0, &planted);
  ASSERT_EQ(both->recorder.problem(), nullptr);
  for (const dumps::OperatorRecord& want : both->memory.records) {
    char name[64];
    std::snprintf(name, sizeof name, "/%06zu_%s", want.number, want.name.c_str());
    dumps::OperatorRecord got = dumps::read_operator_record(folder + name);
    dumps::load_tensors(got);
    EXPECT_EQ(got.title(), want.title());
    EXPECT_EQ(got.kind, want.kind);
    EXPECT_EQ(got.arguments, want.arguments);
    ASSERT_EQ(got.inputs.size(), want.inputs.size());
    ASSERT_EQ(got.outputs.size(), want.outputs.size());
    for (std::size_t i = 0; i < got.inputs.size(); ++i) {
      EXPECT_EQ(got.inputs[i].hash, want.inputs[i].hash);
      EXPECT_EQ(got.inputs[i].tensor.shape, want.inputs[i].tensor.shape);
      EXPECT_EQ(got.inputs[i].tensor.bytes, want.inputs[i].tensor.bytes);
      ASSERT_EQ(got.inputs[i].produced.has_value(), want.inputs[i].produced.has_value());
      if (!want.inputs[i].produced) continue;
      EXPECT_EQ(got.inputs[i].produced->by, want.inputs[i].produced->by);
      EXPECT_EQ(got.inputs[i].produced->stale, want.inputs[i].produced->stale);
    }
    EXPECT_EQ(got.outputs[0].tensor.bytes, want.outputs[0].tensor.bytes);
  }
  const Finding last = replay::diagnose_folder(
      folder + "/0000" + std::to_string(both->memory.records.size() / 2) + "_logits");
  EXPECT_EQ(last.blame, Blame::input_wrong);
  EXPECT_EQ(last.name, stale.target());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stories_test

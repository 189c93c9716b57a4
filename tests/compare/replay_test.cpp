// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every mistake that the replay knows is told from the others by its output, and records whose operands do
// not fit are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/dumps/refusal.hpp"
#include "bench/replay/attempt.hpp"
#include "bench/replay/diagnosis.hpp"
#include "tests/support/random.hpp"

namespace {

using dumps::OperatorRecord;
using dumps::Tensor;
using replay::Blame;

Tensor tensor(const dumps::Axes& shape, const std::vector<double>& values) {
  std::vector<float> x(values.begin(), values.end());
  Tensor t;
  t.shape = shape;
  t.bytes.resize(x.size() * sizeof(float));
  if (!x.empty()) std::memcpy(t.bytes.data(), x.data(), t.bytes.size());
  return t;
}

Tensor drawn(const dumps::Axes& shape, std::uint64_t seed) {
  tessera_test::Random random(seed);
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  std::vector<double> values(count);
  for (double& x : values) x = static_cast<double>(random.gaussian());
  return tensor(shape, values);
}

struct Input {
  const char* role;
  dumps::Axes shape;
};

OperatorRecord record(const char* kind, const std::vector<Input>& inputs,
                      const dumps::Axes& output) {
  OperatorRecord r;
  r.number = 5;
  r.name = "some";
  r.kind = kind;
  for (const Input& in : inputs) {
    r.inputs.push_back({});
    r.inputs.back().role = in.role;
    r.inputs.back().tensor = drawn(in.shape, r.inputs.size());
  }
  r.outputs.push_back({});
  r.outputs.back().tensor = drawn(output, 99);
  return r;
}

std::vector<OperatorRecord> one_of_each_kind() {
  std::vector<OperatorRecord> all = {
      record("rms_norm", {{"x", {3, 20}}, {"weight", {20}}}, {3, 20}),
      record("matmul", {{"a", {3, 40}}, {"b", {9, 40}}}, {3, 9}),
      record("rope", {{"x", {4, 2, 8}}, {"cosine", {4, 4}}, {"sine", {4, 4}}}, {4, 2, 8}),
      record("attention", {{"q", {5, 6, 8}}, {"k", {9, 3, 8}}, {"v", {9, 3, 8}}}, {5, 6, 8}),
      record("swiglu", {{"gate", {2, 30}}, {"up", {2, 30}}}, {2, 30}),
      record("add", {{"x", {2, 30}}, {"y", {2, 30}}}, {2, 30}),
      record("append", {{"cache", {2, 3, 4}}, {"rows", {1, 3, 4}}}, {3, 3, 4})};
  all[3].arguments = {{"causal", "1"}, {"offset", "4"}};
  return all;
}

/// What the operators of graphs have besides: batches, heads of several sequences, states.
std::vector<OperatorRecord> one_of_each_kind_of_graphs() {
  std::vector<OperatorRecord> all = {
      record("l2_norm", {{"x", {2, 3, 20}}}, {2, 3, 20}),
      record("glu", {{"gate", {2, 30}}, {"up", {2, 30}}}, {2, 30}),
      record("softmax",
             {{"x", {2, 4, 3, 9}}, {"mask", {2, 1, 3, 9}}, {"sinks", {4}}, {"slopes", {4}}},
             {2, 4, 3, 9}),
      record("matmul", {{"a", {4, 3, 40}}, {"b", {2, 9, 40}}}, {4, 3, 9}),
      record("matmul_experts", {{"a", {4, 1, 8}}, {"b", {3, 5, 8}}, {"ids", {4, 2}}}, {4, 2, 5}),
      record("attention",
             {{"q", {2, 5, 6, 8}},
              {"k", {2, 9, 3, 8}},
              {"v", {2, 9, 3, 8}},
              {"mask", {1, 1, 5, 9}},
              {"sinks", {6}},
              {"slopes", {6}}},
             {2, 5, 6, 8}),
      record("rope", {{"x", {2, 4, 2, 10}}, {"positions", {4}}}, {2, 4, 2, 10}),
      record("ssm_conv", {{"x", {2, 5, 7}}, {"weight", {5, 4}}}, {2, 4, 5}),
      record("ssm_scan",
             {{"x", {2, 3, 4, 5}},
              {"dt", {2, 3, 4}},
              {"a", {1, 4}},
              {"b", {2, 3, 2, 6}},
              {"c", {2, 3, 2, 6}},
              {"state", {2, 6, 4, 5}}},
             {2, 9, 4, 5}),
      record("gated_delta_net",
             {{"q", {2, 3, 2, 5}},
              {"k", {2, 3, 2, 5}},
              {"v", {2, 3, 4, 5}},
              {"log_gate", {2, 3, 4, 1}},
              {"beta", {2, 3, 4, 1}},
              {"state", {2, 4, 5, 5}}},
             {2, 8, 4, 5})};
  const Input rows[] = {{"", {2, 3, 4, 5}}, {"state", {2, 4, 5, 5}}};
  const auto linear = [&](const char* kind, std::vector<const char*> roles) {
    std::vector<Input> inputs;
    for (const char* role : roles) inputs.push_back({role, rows[0].shape});
    inputs.push_back(rows[1]);
    all.push_back(record(kind, inputs, {2, 8, 4, 5}));
  };
  linear("gated_linear_attention", {"q", "k", "v", "gate"});
  linear("rwkv6", {"receptance", "k", "v", "decay"});
  all.back().inputs.push_back({});
  all.back().inputs.back().role = "bonus";
  all.back().inputs.back().tensor = drawn({4, 5}, 8);
  linear("rwkv7", {"receptance", "k", "v", "decay", "a", "b"});
  all[1].arguments = {{"function", "swiglu_oai"}, {"limit", "0.5"}};
  all[2].arguments = {{"scale", "0.5"}};
  all[4].inputs[2].tensor = tensor({4, 2}, {0, 1, 1, 2, 2, 0, 2, 1});
  all[5].arguments = {{"soft_cap", "3"}};
  all[6].arguments = {{"pairs", "4"}, {"offset", "2"}, {"pairing", "half"}};
  all[6].inputs[1].tensor = tensor({4}, {3, 5, 8, 2});
  all[9].arguments = {{"head_map", "modulo"}, {"scale", "0.4"}};
  return all;
}

std::vector<OperatorRecord> all_records() {
  std::vector<OperatorRecord> all = one_of_each_kind();
  for (OperatorRecord& r : one_of_each_kind_of_graphs()) all.push_back(std::move(r));
  return all;
}

TEST(Replay, EveryMistakeIsToldFromTheOthers) {
  std::size_t mistakes = 0;
  for (OperatorRecord r : all_records()) {
    Tensor& out = r.outputs[0].tensor;
    for (const replay::Attempt& attempt : replay::attempts_of(r)) {
      out = tensor(out.shape, attempt.compute());
      const replay::Finding found = replay::examine(r);
      SCOPED_TRACE(r.kind + " " + attempt.name + ": " + found.sentence);
      if (attempt.name == "right") {
        EXPECT_FALSE(replay::faulty(found.blame));
        continue;
      }
      EXPECT_EQ(found.blame, Blame::operator_wrong);
      // Of nine keys all of which a query may see, one more or less of the last is the causal limit.
      if (attempt.name != "dropped_block" || r.kind != "attention") {
        EXPECT_EQ(found.mistake, attempt.name);
      }
      ++mistakes;
    }
  }
  EXPECT_GE(mistakes, 60u);
}

TEST(Replay, WhatNoAttemptExplainsIsDescribed) {
  OperatorRecord r = one_of_each_kind()[4];
  Tensor& out = r.outputs[0].tensor;
  const std::vector<double> right = replay::attempts_of(r)[0].compute();
  const auto mistake = [&](auto&& change) {
    std::vector<double> values = right;
    change(values);
    out = tensor(out.shape, values);
    return replay::examine(r).mistake;
  };
  EXPECT_EQ(mistake([](auto& v) {
              for (double& x : v) x *= 3;
            }),
            "factor");
  EXPECT_EQ(mistake([](auto& v) {
              for (double& x : v) x = 0;
            }),
            "zeros");
  EXPECT_EQ(mistake([](auto& v) { v[7] += 1; }), "unknown");
  EXPECT_EQ(mistake([](auto& v) { v[7] = std::numeric_limits<double>::quiet_NaN(); }), "unknown");
  EXPECT_EQ(mistake([](auto& v) { std::swap_ranges(v.begin(), v.begin() + 30, v.begin() + 30); }),
            "layout_permuted");
}

TEST(Replay, BlockFormatsAreQuantisedAsTheyAreStored) {
  OperatorRecord r = one_of_each_kind()[1];
  const std::vector<double> exact = replay::attempts_of(r)[0].compute();
  r.arguments["format"] = "q4_0";
  const std::vector<double> coarse = replay::attempts_of(r)[0].compute();
  r.outputs[0].tensor = tensor({3, 9}, coarse);
  EXPECT_FALSE(replay::faulty(replay::examine(r).blame));
  r.outputs[0].tensor = tensor({3, 9}, exact);
  EXPECT_TRUE(replay::faulty(replay::examine(r).blame));
}

TEST(Replay, BuffersTellByTheirHashes) {
  OperatorRecord r = one_of_each_kind()[5];
  r.inputs[1].hash = 7;
  r.inputs[1].produced = dumps::Produced{8, 3, {}};
  EXPECT_EQ(replay::examine(r).blame, Blame::buffer_changed);
  EXPECT_EQ(replay::examine(r).mistake, "changed_buffer");
  r.inputs[1].produced->stale = 2;
  EXPECT_EQ(replay::examine(r).mistake, "stale_buffer");
  EXPECT_NE(replay::verdict_of(replay::examine(r)).find("what operator 2 had written"),
            std::string::npos);
}

TEST(Replay, OperandsThatDoNotFitAreRefused) {
  for (const OperatorRecord& good : all_records()) {
    for (std::size_t i = 0; i < good.inputs.size(); ++i) {
      OperatorRecord r = good;
      r.inputs[i].tensor = drawn({3, 7, 2, 1, 1}, 1);
      EXPECT_THROW(static_cast<void>(replay::examine(r)), dumps::Refusal) << r.kind << i;
      r.inputs[i].tensor = drawn({0, 0, 0}, 1);
      EXPECT_THROW(static_cast<void>(replay::examine(r)), dumps::Refusal) << r.kind << i;
    }
    OperatorRecord r = good;
    r.outputs[0].tensor = drawn({1}, 1);
    EXPECT_THROW(static_cast<void>(replay::examine(r)), dumps::Refusal) << r.kind;
    r.outputs.clear();
    EXPECT_THROW(static_cast<void>(replay::examine(r)), dumps::Refusal) << r.kind;
    r = good;
    r.kind = "none";
    EXPECT_THROW(static_cast<void>(replay::examine(r)), dumps::Refusal);
  }
}

}  // namespace

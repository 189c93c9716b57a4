// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every mistake that the replay knows is told from the others by its output, and records whose operands do
// not fit are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
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

TEST(Replay, EveryMistakeIsToldFromTheOthers) {
  std::size_t mistakes = 0;
  for (OperatorRecord r : one_of_each_kind()) {
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
  EXPECT_GE(mistakes, 20u);
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
  for (const OperatorRecord& good : one_of_each_kind()) {
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

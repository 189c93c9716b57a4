// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What a recorder writes for strided tensors, names that are no file names, and buffers that change hands.
#include "tessera/record.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using tessera::CallArgument;
using tessera::CallTensor;
using tessera::OperatorCall;

/// A folder that is gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() : path_(testing::TempDir() + "tessera_record_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~ScratchFolder() {
    if (std::system(("rm -r '" + path_ + "'").c_str()) != 0) std::abort();
  }
  const std::string& path() const { return path_; }
  std::string text(const std::string& name) const {
    std::ifstream in(path_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

CallTensor row_of(const char* role, const std::vector<float>& x, std::size_t count) {
  return tessera::call_tensor(role, x.data(), count);
}

/// One call: reads `in`, then `run` changes memory, then writes `out`.
template <class Run>
void call(tessera::Recorder& recorder, const char* name, std::vector<CallTensor> in,
          std::vector<CallTensor> out, Run&& run) {
  const OperatorCall c = {name, "test", {}, in, out};
  recorder.before(c);
  run();
  recorder.after(c);
}

std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(Record, TensorsAreWrittenInTheirOrder) {
  const ScratchFolder folder;
  const std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CallTensor turned = row_of("x/../y", memory, 12);  // 3 columns of 4, bottom up
  turned.axes = 2, turned.shape[0] = 3, turned.shape[1] = 4;
  turned.data = memory.data() + 9;
  turned.strides[0] = 1, turned.strides[1] = -3;
  const CallArgument arguments[] = {{"scale", 0.1, nullptr}, {"pairing", 0, "half way"}};
  const auto recorder = std::make_unique<tessera::Recorder>(folder.path().c_str());
  const CallTensor inputs[] = {turned};
  recorder->before({"../layer 1", "rope", arguments, inputs, {}});
  recorder->after({"../layer 1", "rope", arguments, inputs, {}});
  ASSERT_EQ(recorder->problem(), nullptr);
  const std::string text = folder.text("000001__._layer_1/operator.txt");
  EXPECT_TRUE(text.starts_with("tessera-record 1\noperator 1\nname _._layer_1\nkind rope\n"))
      << text;
  EXPECT_EQ(line_of(text, "argument scale"), "argument scale 0.10000000000000001");
  EXPECT_EQ(line_of(text, "argument pairing"), "argument pairing half_way");
  EXPECT_TRUE(line_of(text, "input").starts_with("input x_.._y in0_x_.._y.npy consumed "));
  const std::string file = folder.text("000001__._layer_1/in0_x_.._y.npy");
  ASSERT_EQ(file.size(), 128 + 48u);
  EXPECT_NE(file.find("'shape': (3, 4, )"), std::string::npos);
  std::vector<float> values(12);
  __builtin_memcpy(values.data(), file.data() + 128, 48);
  EXPECT_EQ(values, (std::vector<float>{9, 6, 3, 0, 10, 7, 4, 1, 11, 8, 5, 2}));
}

TEST(Record, BuffersAreKnownByTheirProducer) {
  const ScratchFolder folder;
  std::vector<float> x(8, 1.0f);
  const std::vector<float> weight(4, 2.0f);
  const auto recorder = std::make_unique<tessera::Recorder>(folder.path().c_str());
  const CallTensor constant = tessera::call_tensor("w", weight.data(), 4, "block.w");
  call(*recorder, "one", {row_of("x", x, 8), constant}, {row_of("x", x, 8)}, [&] { x[0] = 2; });
  call(*recorder, "two", {row_of("x", x, 8), row_of("x", x, 4), constant}, {row_of("x", x, 8)},
       [&] { x[0] = 3; });
  x[0] = 2;
  call(*recorder, "three", {row_of("x", x, 8)}, {row_of("x", x, 4)}, [] {});
  call(*recorder, "four", {row_of("x", x, 8), row_of("x", x, 4)}, {}, [] {});
  recorder->forget(row_of("x", x, 8));
  call(*recorder, "five", {row_of("x", x, 4)}, {}, [] {});
  ASSERT_EQ(recorder->problem(), nullptr);
  const auto lines = [&](const char* name) {
    return folder.text(std::string(name) + "/operator.txt");
  };
  const std::string one = lines("000001_one");
  EXPECT_EQ(line_of(one, "input x").size(), std::string("input x in0_x.npy consumed ").size() + 16);
  EXPECT_NE(line_of(one, "input w").find("../000000_constants/block.w.npy"), std::string::npos);
  EXPECT_TRUE(line_of(one, "input w").ends_with(" by 0"));
  const std::string written = line_of(one, "output").substr(line_of(one, "output").rfind(' ') + 1);
  const std::string two = lines("000002_two");
  EXPECT_TRUE(
      line_of(two, "input x").ends_with("consumed " + written + " produced " + written + " by 1"))
      << two;
  EXPECT_TRUE(line_of(two, "input x in1").ends_with(" within 1")) << two;
  EXPECT_TRUE(line_of(lines("000003_three"), "input x").ends_with(" by 2 stale 1"));
  const std::string four = lines("000004_four");
  EXPECT_EQ(line_of(four, "input x in0").find("produced"), std::string::npos) << four;
  EXPECT_TRUE(line_of(four, "input x in1").ends_with(" by 3")) << four;
  EXPECT_EQ(line_of(lines("000005_five"), "input x").find(" by"), std::string::npos);
}

TEST(Record, ViewsAndCopiesAreTheirBuffers) {
  const ScratchFolder folder;
  const auto recorder = std::make_unique<tessera::Recorder>(folder.path().c_str());
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  CallTensor rows = row_of("x", x, 6);
  rows.axes = 2, rows.shape[0] = 2, rows.shape[1] = 3, rows.strides[0] = 3, rows.strides[1] = 1;
  CallTensor columns = rows;
  std::swap(columns.shape[0], columns.shape[1]), std::swap(columns.strides[0], columns.strides[1]);
  call(*recorder, "one", {}, {rows}, [] {});
  // A constant whose values are shown decoded, each time elsewhere; then other contents, and another of this name.
  const char stored[2] = {};
  const auto weight = [&](const std::vector<float>& decoded, const char* original) {
    CallTensor t = tessera::call_tensor("w", decoded.data(), decoded.size(), "w");
    t.copy_of = original;
    return t;
  };
  const std::vector<float> first(3, 1.0f), again = first, second(3, 2.0f);
  call(*recorder, "two", {columns, weight(first, stored)}, {}, [] {});
  call(*recorder, "three", {weight(again, stored)}, {}, [] {});
  recorder->forget(weight(again, stored));
  call(*recorder, "four", {weight(second, stored), weight(first, stored + 1)}, {}, [] {});
  ASSERT_EQ(recorder->problem(), nullptr);
  const auto lines = [&](const char* name) {
    return folder.text(std::string(name) + "/operator.txt");
  };
  const std::string one = line_of(lines("000001_one"), "output");
  const std::string written = one.substr(one.rfind(' ') + 1);
  EXPECT_TRUE(line_of(lines("000002_two"), "input x")
                  .ends_with("consumed " + written + " produced " + written + " by 1"))
      << lines("000002_two");
  const std::string constant = line_of(lines("000002_two"), "input w");
  EXPECT_TRUE(constant.starts_with("input w ../000000_constants/w.npy "));
  EXPECT_EQ(line_of(lines("000003_three"), "input w"), constant);
  EXPECT_TRUE(
      line_of(lines("000004_four"), "input w ../000000_constants/w.5.npy ").ends_with(" by 0"))
      << lines("000004_four");
}

TEST(Record, WithoutAFolderNothingHappens) {
  const auto none = std::make_unique<tessera::Recorder>(nullptr);
  EXPECT_FALSE(none->active());
  std::vector<float> x(4);
  call(*none, "one", {row_of("x", x, 4)}, {row_of("x", x, 4)}, [] {});
  const auto empty = std::make_unique<tessera::Recorder>("");
  EXPECT_FALSE(empty->active());
  EXPECT_EQ(empty->problem(), nullptr);
  const auto refused = std::make_unique<tessera::Recorder>("/proc/none");
  EXPECT_FALSE(refused->active());
  EXPECT_NE(refused->problem(), nullptr);
}

TEST(Record, HashesSeeEveryByteAndTheLength) {
  std::array<unsigned char, 21> bytes = {};
  const auto hash = [&](std::size_t size) {
    tessera::BufferHash h;
    h.add(bytes.data(), size);
    return h.value();
  };
  const std::uint64_t zeros = hash(21);
  EXPECT_NE(hash(20), zeros);
  EXPECT_NE(hash(16), hash(17));
  for (unsigned char& byte : bytes) {
    byte = 1;
    EXPECT_NE(hash(21), zeros);
    byte = 0;
  }
}

}  // namespace

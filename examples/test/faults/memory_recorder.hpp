// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Records operators in memory as tessera::Recorder does in files.
#ifndef TESSERA_EXAMPLES_TEST_FAULTS_MEMORY_RECORDER_HPP_
#define TESSERA_EXAMPLES_TEST_FAULTS_MEMORY_RECORDER_HPP_

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bench/dumps/operator_record.hpp"
#include "examples/stories/watcher.hpp"
#include "tessera/record.hpp"

namespace stories_test {

class MemoryRecorder final : public stories::Watcher {
 public:
  void before(const tessera::OperatorCall& call) override {
    dumps::OperatorRecord record;
    record.number = records.size() + 1;
    record.name = call.name;
    record.kind = call.kind;
    for (const tessera::CallArgument& a : call.arguments)
      record.arguments[a.name] = a.text != nullptr ? a.text : number_text(a.number);
    for (const tessera::CallTensor& t : call.inputs) record.inputs.push_back(input(t));
    records.push_back(record);
  }

  void after(const tessera::OperatorCall& call) override {
    dumps::OperatorRecord& record = records.back();
    for (const tessera::CallTensor& t : call.outputs) {
      dumps::RecordedTensor out = copied(t);
      log_.add(tessera::detail::place_of(t), out.hash, record.number);
      record.outputs.push_back(std::move(out));
    }
  }

  std::optional<dumps::OperatorRecord> find(std::size_t number) const {
    return records.at(number - 1);
  }

  std::vector<dumps::OperatorRecord> records;  ///< number 1 first

 private:
  static std::string number_text(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
  }

  static dumps::RecordedTensor copied(const tessera::CallTensor& t) {
    dumps::RecordedTensor out;
    out.role = t.role;
    out.hash = tessera::detail::hash_of(t);
    out.tensor.type = t.type;
    out.tensor.shape.assign(t.shape, t.shape + t.axes);
    tessera::detail::for_each_run(t, [&](const void* data, std::size_t size) {
      const auto* bytes = static_cast<const std::byte*>(data);
      out.tensor.bytes.insert(out.tensor.bytes.end(), bytes, bytes + size);
    });
    return out;
  }

  dumps::RecordedTensor input(const tessera::CallTensor& t) {
    dumps::RecordedTensor in = copied(t);
    const tessera::internal::Extent place = tessera::detail::place_of(t);
    if (t.constant != nullptr && log_.find(place) == nullptr) log_.add_constant(place, in.hash);
    if (const auto* produced = log_.find(place)) {
      in.produced = dumps::Produced{produced->hash, produced->by, {}};
      const auto* earlier = log_.find_earlier(place, in.hash);
      if (in.changed() && earlier != nullptr) in.produced->stale = earlier->by;
    } else if (const auto* around = log_.find_around(place)) {
      in.within = around->by;
    }
    return in;
  }

  tessera::detail::ProductionLog log_;
};

}  // namespace stories_test

#endif  // TESSERA_EXAMPLES_TEST_FAULTS_MEMORY_RECORDER_HPP_

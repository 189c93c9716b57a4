// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One operator call as `tessera/record.hpp` writes it.
#ifndef TESSERA_BENCH_DUMPS_OPERATOR_RECORD_HPP_
#define TESSERA_BENCH_DUMPS_OPERATOR_RECORD_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/dumps/tensor.hpp"

namespace dumps {

/// What the record says about an input's buffer when another operator had written it.
struct Produced {
  std::uint64_t hash = 0;
  std::size_t by = 0;                ///< that operator's number; 0 for a constant
  std::optional<std::size_t> stale;  ///< the buffer held what this operator had written there
};

struct RecordedTensor {
  std::string role;
  std::string path;                       ///< of the .npy file
  std::uint64_t hash = 0;                 ///< consumed or produced
  std::optional<Produced> produced = {};  ///< inputs only
  Tensor tensor = {};                     ///< filled by load_tensors()

  std::optional<std::size_t> within = {};  ///< the operator that wrote a buffer around this one

  bool changed() const { return produced && produced->hash != hash; }
};

struct OperatorRecord {
  std::string folder;
  std::size_t number = 0;
  std::string name;
  std::string kind;
  std::map<std::string, std::string> arguments;
  std::vector<RecordedTensor> inputs;
  std::vector<RecordedTensor> outputs;

  /// Null if there is none of this role.
  const Tensor* input(const std::string& role) const;
  /// "12 layer0.attention"
  std::string title() const { return std::to_string(number) + " " + name; }
  double number_of(const std::string& argument, double otherwise) const;
  std::string text_of(const std::string& argument, const std::string& otherwise) const;
};

/// Is there an operator.txt in the folder?
bool is_operator_record(const std::string& folder);

/// Reads operator.txt, no tensors. Throws Refusal.
OperatorRecord read_operator_record(const std::string& folder);
/// Reads all tensors. Throws Refusal.
void load_tensors(OperatorRecord& record);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_OPERATOR_RECORD_HPP_

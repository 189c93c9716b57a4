// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The operands of a recorded operator in double, their shapes checked.
#ifndef TESSERA_BENCH_REPLAY_OPERANDS_HPP_
#define TESSERA_BENCH_REPLAY_OPERANDS_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/dumps/operator_record.hpp"
#include "bench/dumps/refusal.hpp"

namespace replay {

using Values = std::vector<double>;

/// A tensor's shape and values.
struct Operand {
  dumps::Axes shape;
  Values values;

  std::size_t axis(std::size_t i) const { return shape[i]; }
};

[[noreturn]] inline void refuse(const dumps::OperatorRecord& record, const std::string& rule) {
  throw dumps::Refusal("operator " + record.title() + " (" + record.kind + "): " + rule);
}

inline Values values_of(const dumps::Tensor& tensor) {
  const tessera::Elements e = tensor.elements();
  Values values(e.count);
  for (std::size_t i = 0; i < e.count; ++i) values[i] = tessera::internal::element(e, i);
  return values;
}

/// The input of this role with so many axes. Throws Refusal.
inline Operand operand(const dumps::OperatorRecord& record, const char* role, std::size_t axes) {
  const dumps::Tensor* tensor = record.input(role);
  if (tensor == nullptr) refuse(record, std::string("has no input ") + role);
  if (tensor->shape.size() != axes)
    refuse(record, std::string(role) + " must have " + std::to_string(axes) + " axes");
  return {tensor->shape, values_of(*tensor)};
}

/// The same with up to so many axes; those that it lacks are 1 and in front.
inline Operand padded_operand(const dumps::OperatorRecord& record, const char* role,
                              std::size_t axes) {
  const dumps::Tensor* tensor = record.input(role);
  if (tensor == nullptr) refuse(record, std::string("has no input ") + role);
  if (tensor->shape.size() > axes)
    refuse(record, std::string(role) + " must have at most " + std::to_string(axes) + " axes");
  dumps::Axes shape(axes - tensor->shape.size(), 1);
  shape.insert(shape.end(), tensor->shape.begin(), tensor->shape.end());
  return {shape, values_of(*tensor)};
}

/// The same, or no values where there is none.
inline Operand optional_operand(const dumps::OperatorRecord& record, const char* role,
                                std::size_t axes) {
  if (record.input(role) == nullptr) return {};
  Operand found = padded_operand(record, role, axes);
  if (found.values.empty()) refuse(record, std::string(role) + " is empty");
  return found;
}
inline Values optional_values(const dumps::OperatorRecord& record, const char* role) {
  return optional_operand(record, role, 4).values;
}

inline void require(const dumps::OperatorRecord& record, bool fits, const char* rule) {
  if (!fits) refuse(record, rule);
}

}  // namespace replay

#endif  // TESSERA_BENCH_REPLAY_OPERANDS_HPP_

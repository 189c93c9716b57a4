// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The words of a command line: `--FIELD VALUE` pairs and flags, each known to the kernel.
#ifndef TESSERA_BENCH_OP_OPTIONS_HPP_
#define TESSERA_BENCH_OP_OPTIONS_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/dumps/refusal.hpp"

namespace op {

using dumps::Refusal;

/// Fields a kernel takes besides the common ones.
using Fields = std::vector<std::string>;

/// Fields of every kernel: --backend --units --split --seed --case --out and the flags.
extern const Fields common_fields;

class Options {
 public:
  /// Throws Refusal for a field that neither the kernel nor all kernels have, or one without value.
  Options(int argc, char** argv, const std::string& kernel, const Fields& fields);

  bool flag(const std::string& name) const { return values_.count(name) != 0; }
  bool given(const std::string& name) const { return values_.count(name) != 0; }
  std::string text(const std::string& name, const std::string& otherwise) const;
  /// A whole number of at least `least` and at most 2^31 - 1.
  std::size_t size(const std::string& name, std::size_t otherwise, std::size_t least = 1) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  double number(const std::string& name, double otherwise) const;
  /// One of a list.
  std::size_t choice(const std::string& name, const std::vector<std::string>& choices) const;

 private:
  std::map<std::string, std::string> values_;
};

/// A and B of "A:B", A <= B.
struct Range {
  std::size_t begin;
  std::size_t end;
};
Range range_of(const std::string& text);

/// a * b, refused above 2^30 elements: `field` is what to make smaller.
std::size_t elements(std::size_t a, std::size_t b, const std::string& field);

}  // namespace op

#endif  // TESSERA_BENCH_OP_OPTIONS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What every backend answered to every case, and the sources that ask.
#ifndef TESSERA_TESTS_IDENTITY_RUNS_HPP_
#define TESSERA_TESTS_IDENTITY_RUNS_HPP_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tessera/backend/list.hpp"
#include "tests/backend/tested_here.hpp"
#include "tests/identity/digest.hpp"
#include "tests/reference/expected.hpp"

namespace identity {

/// How a case's values compare with the float64 reference.
enum class Accuracy {
  unasked,       ///< nobody wanted to know
  no_reference,  ///< inputs that are not finite: the kernels' own tests define the result
  near,
  far,
};

struct Result {
  std::string name;
  std::uint64_t digest = 0;
  Accuracy accuracy = Accuracy::unasked;
};

/// One backend's results.
struct Run {
  std::string backend;
  bool check = false;
  std::vector<Result> results = {};
  std::vector<std::string> left_out = {};

  /// A case that another program has on this backend.
  void leave_out(std::string name) { left_out.push_back(std::move(name)); }

  /// `reference()` is asked only if accuracy is to be checked; values must match it in order.
  void add(std::string name, std::span<const float> values,
           const std::function<reference::Expected()>& reference) {
    Digest digest;
    digest.add(values);
    Accuracy accuracy = Accuracy::unasked;
    if (check) {
      const reference::Expected want = reference();
      accuracy = want.value.size() == values.size() &&
                         reference::first_outside(want, values.data()) == values.size()
                     ? Accuracy::near
                     : Accuracy::far;
    }
    results.push_back({std::move(name), digest.value(), accuracy});
  }
  /// Values that have no reference.
  void add(std::string name, std::span<const float> values) {
    Digest digest;
    digest.add(values);
    results.push_back(
        {std::move(name), digest.value(), check ? Accuracy::no_reference : Accuracy::unasked});
  }
};

/// The backends compared in this flavour that can run here, or one of them alone.
struct Runs {
  std::string only = {};
  bool check = false;
  std::vector<Run> runs = {};

  /// Calls body(Type<B>, Run&) for each backend that is compared in this flavour.
  template <class Body>
  void for_each_backend(Body&& body) {
    std::size_t next = 0;
    tessera::available_backends::for_each([&]<class B>(tessera::Type<B> type) {
      if constexpr (tessera_test::compared_here(B::name)) {
        if (!only.empty() && only != B::name) return;
        if (B::check() != tessera::Status::ok) return;
        if (next == runs.size()) runs.push_back({B::name, check});
        body(type, runs[next++]);
      }
    });
  }
};

// In a build with some of the sources (TESSERA_TEST_SOURCES of CMake) those of the others are null.
[[gnu::weak]] void add_matmul_floats(Runs& runs);
[[gnu::weak]] void add_matmul_blocks(Runs& runs);
[[gnu::weak]] void add_rows(Runs& runs);
[[gnu::weak]] void add_rope(Runs& runs);
[[gnu::weak]] void add_attention(Runs& runs);
[[gnu::weak]] void add_ssm(Runs& runs);
[[gnu::weak]] void add_recurrences(Runs& runs);
[[gnu::weak]] void add_head_norms(Runs& runs);
[[gnu::weak]] void add_steps(Runs& runs);
[[gnu::weak]] void add_caches(Runs& runs);
[[gnu::weak]] void add_math(Runs& runs);
[[gnu::weak]] void add_packing(Runs& runs);

/// All of them.
struct Group {
  const char* name;
  void (*add)(Runs& runs);
};
inline constexpr Group groups[] = {
    {"products of floats", add_matmul_floats},
    {"products of blocks", add_matmul_blocks},
    {"rows", add_rows},
    {"rope", add_rope},
    {"attention", add_attention},
    {"convolution and scans", add_ssm},
    {"recurrences", add_recurrences},
    {"norms of heads", add_head_norms},
    {"decode steps", add_steps},
    {"caches", add_caches},
    {"functions", add_math},
    {"packing", add_packing},
};

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_RUNS_HPP_

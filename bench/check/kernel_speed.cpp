// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <sstream>

#include "bench/check/speed.hpp"
#include "bench/check/stopwatch.hpp"
#include "tessera/backend/list.hpp"
#include "tests/cost/kernel_problems.hpp"
#include "tests/cost/matmul_problem.hpp"
#include "tests/cost/recurrent_problems.hpp"

namespace board {
namespace {

using tessera::Status;
using tessera_cost::Measure;

// Scalar and emulated tiles are nobody's choice.
template <class B>
constexpr bool is_timed = B::name[0] != 's' && B::name[0] != 'e';
// Only what is predicted: the vector kernels of the matrix backends are rvv's, but for attention over their own tiles.
template <class B>
constexpr bool is_rvv = B::name == std::string_view("rvv");
template <class B>
constexpr bool is_ime = B::name[0] == 'i';

/// The multiplying phase.
template <class B, class F>
Status measure_product(const tessera_cost::Shape& shape, Measure measure) {
  using Problem = tessera_cost::MatmulProblem<B, F>;
  const Problem problem(shape);
  const auto* args = &problem.args();
  if (problem.status() != Status::ok) return problem.status();
  if (const Status s = Problem::template phase<0>(args); s != Status::ok) return s;
  return measure(Problem::template phase<1>, args, shape.m * shape.n * shape.k);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

template <class B>
void measure_case(const std::vector<std::string>& words, Measure measure) {
  if (words[0] == "matmul") {
    const tessera_cost::Shape shape{std::stoul(words[2]), std::stoul(words[3]),
                                    std::stoul(words[4])};
    if (words[1] == "q8_0")
      static_cast<void>(measure_product<B, tessera::format::q8_0>(shape, measure));
    if (words[1] == "q4_0")
      static_cast<void>(measure_product<B, tessera::format::q4_0>(shape, measure));
    return;
  }
  if constexpr (is_rvv<B>) {
    using Formats = tessera::TypeList<tessera::format::f16>;
    if (!tessera_cost::measure_kernel<B, Formats>(words, measure))
      static_cast<void>(
          tessera_cost::measure_recurrent<B>(words[0], std::stoul(words[1]), measure));
  }
  if constexpr (is_ime<B>) {
    if (words[0] == "attention_kv")
      static_cast<void>(tessera_cost::attend_kv<B>(std::stoul(words[1]), std::stoul(words[2]),
                                                   std::stoul(words[3]), measure));
  }
}

}  // namespace

Timed time_of(const KernelCase& kernel) {
  Timed result;
  const auto words = words_of(kernel.words);
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if constexpr (is_timed<B>) {
      if (kernel.backend != B::name || B::check() != Status::ok || words.size() < 2) return;
      measure_case<B>(words, [&](tessera_cost::Work work, const void* args, std::size_t amount) {
        const Status status = work(args);
        if (status != Status::ok) return status;
        result.work = static_cast<double>(amount);
        result.nanoseconds = nanoseconds([&] { static_cast<void>(work(args)); });
        return status;
      });
    }
  });
  return result;
}

}  // namespace board

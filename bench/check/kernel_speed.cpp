// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/speed.hpp"
#include "bench/check/stopwatch.hpp"
#include "tessera/backend/list.hpp"
#include "tests/cost/matmul_problem.hpp"

namespace board {
namespace {

// Scalar and emulated tiles are nobody's choice.
template <class B>
constexpr bool is_timed = B::name[0] != 's' && B::name[0] != 'e';

template <class B, class F>
double nanoseconds_with(const tessera_cost::Shape& shape) {
  using Problem = tessera_cost::MatmulProblem<B, F>;
  const Problem problem(shape);
  const auto* args = &problem.args();
  if (problem.status() != tessera::Status::ok) return 0;
  if (Problem::template phase<0>(args) != tessera::Status::ok) return 0;
  return nanoseconds([&] { static_cast<void>(Problem::template phase<1>(args)); });
}

}  // namespace

double nanoseconds_of(const Product& p) {
  double result = 0;
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if constexpr (is_timed<B>) {
      if (p.backend != B::name || B::check() != tessera::Status::ok) return;
      const tessera_cost::Shape shape{p.m, p.n, p.k};
      if (p.format == "q8_0") result = nanoseconds_with<B, tessera::format::q8_0>(shape);
      if (p.format == "q4_0") result = nanoseconds_with<B, tessera::format::q4_0>(shape);
    }
  });
  return result;
}

}  // namespace board

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One matrix product with everything that it needs, whose two phases are run one by one.
#ifndef TESSERA_TESTS_COST_MATMUL_PROBLEM_HPP_
#define TESSERA_TESTS_COST_MATMUL_PROBLEM_HPP_

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "tessera/matmul.hpp"
#include "tests/support/random.hpp"

namespace tessera_cost {

struct Shape {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

/// Gaussian weights in F's format, packed for B, and gaussian activations.
template <class B, class F>
class MatmulProblem {
 public:
  using T = tessera::tile_for<F, B>;
  using Args = tessera::MatmulArgs<F, T>;

  explicit MatmulProblem(const Shape& s)
      : a_(s.m * s.k),
        c_(s.m * s.n),
        size_(tessera::packed_size<F, T>(s.n, s.k)),
        image_(bytes(size_)) {
    tessera_test::Random random(1);
    std::vector<float> b(s.n * s.k);
    for (float& x : a_) x = random.gaussian();
    for (float& x : b) x = random.gaussian();
    status_ = tessera::pack_weights<F, T>(
        tessera::matrix(static_cast<const float*>(b.data()), s.n, s.k), {image_.get(), size_});
    args_ = Args{tessera::matrix(static_cast<const float*>(a_.data()), s.m, s.k),
                 {{image_.get(), size_}, s.n, s.k},
                 tessera::matrix(c_.data(), s.m, s.n),
                 {}};
    const tessera::WorkspaceSize need = tessera::workspace_size<B>(args_);
    shared_ = bytes(need.shared);
    scratch_ = bytes(need.scratch);
    args_.workspace = {{shared_.get(), need.shared}, {scratch_.get(), need.scratch}};
  }

  /// Of the packing.
  tessera::Status status() const { return status_; }
  const Args& args() const { return args_; }

  /// Phase 0 quantises the activations, phase 1 multiplies. `args` is those above, as a callback has it.
  template <std::size_t Phase>
  static tessera::Status phase(const void* args) {
    const auto& of = *static_cast<const Args*>(args);
    return tessera::matmul_phase<B>(of, Phase, {0, tessera::units<B>(of, Phase)});
  }

 private:
  struct Aligned {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  using Bytes = std::unique_ptr<std::byte[], Aligned>;
  static Bytes bytes(std::size_t size) {
    return Bytes(static_cast<std::byte*>(::operator new[](size + 1, std::align_val_t{64})));
  }

  std::vector<float> a_;
  std::vector<float> c_;
  std::size_t size_;
  Bytes image_;
  Bytes shared_;
  Bytes scratch_;
  Args args_;
  tessera::Status status_ = tessera::Status::ok;
};

}  // namespace tessera_cost

#endif  // TESSERA_TESTS_COST_MATMUL_PROBLEM_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// rms_norm, softmax, swiglu and the activations.
#include <string>
#include <vector>

#include "tessera/activation.hpp"
#include "tessera/norm.hpp"
#include "tessera/softmax.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/activation_functions.hpp"
#include "tests/reference/rms_norm.hpp"
#include "tests/reference/softmax.hpp"
#include "tests/reference/swiglu.hpp"

namespace identity {
namespace {

std::string name_of(const char* kernel, const RowCase& c) {
  return std::string(kernel) + " " + std::to_string(c.rows) + "x" + std::to_string(c.cols) + " " +
         tessera_test::name(c.fill);
}

template <class Reference>
void add_rows_of(Run& run, const std::string& name, const RowCase& c, const std::vector<float>& y,
                 Reference&& row) {
  if (c.fill == Fill::special) return run.add(name, y);
  run.add(name, y, [&] {
    reference::Expected want;
    for (std::size_t i = 0; i < c.rows; ++i) row(i * c.cols, want);
    return want;
  });
}

template <class B>
void add_rms_norm(Run& run) {
  std::uint64_t seed = 2000;
  for (const RowCase& c : rms_norm_cases) {
    const std::string name = name_of("rms_norm", c);
    const auto x = draw(c.rows * c.cols, c.fill, seed++);
    const auto w = draw(c.cols, Fill::gaussian, seed++);
    std::vector<float> y(x.size());
    must(tessera::rms_norm<B>({tessera::matrix(x.data(), c.rows, c.cols), w.data(),
                               tessera::matrix(y.data(), c.rows, c.cols), c.scale}),
         name);
    add_rows_of(run, name, c, y, [&](std::size_t at, auto& want) {
      reference::rms_norm(x.data() + at, w.data(), c.cols, c.scale, want);
    });
  }
}

template <class B>
void add_softmax(Run& run) {
  std::uint64_t seed = 3000;
  for (const RowCase& c : softmax_cases) {
    const std::string name = name_of("softmax", c);
    const auto x = draw(c.rows * c.cols, c.fill, seed++);
    std::vector<float> y(x.size());
    must(tessera::softmax<B>({tessera::matrix(x.data(), c.rows, c.cols),
                              tessera::matrix(y.data(), c.rows, c.cols), c.scale}),
         name);
    add_rows_of(run, name, c, y, [&](std::size_t at, auto& want) {
      reference::softmax(x.data() + at, c.scale, c.cols, want);
    });
  }
}

template <class B>
void add_swiglu(Run& run) {
  std::uint64_t seed = 4000;
  for (const RowCase& c : swiglu_cases) {
    const std::string name = name_of("swiglu", c);
    auto gate = draw(c.rows * c.cols, c.fill, seed++);
    for (float& x : gate) x *= c.scale;
    const auto up = draw(c.rows * c.cols, c.fill, seed++);
    std::vector<float> y(up.size());
    must(tessera::swiglu<B>({tessera::matrix<const float>(gate.data(), c.rows, c.cols),
                             tessera::matrix(up.data(), c.rows, c.cols),
                             tessera::matrix(y.data(), c.rows, c.cols)}),
         name);
    add_rows_of(run, name, c, y, [&](std::size_t at, auto& want) {
      reference::swiglu(gate.data() + at, up.data() + at, c.cols, want);
    });
  }
}

template <class B>
void add_activations(Run& run) {
  using reference::Activation;
  std::uint64_t seed = 11000;
  const auto add = [&](const char* function, Activation f, auto kernel) {
    for (const RowCase& c : activation_cases) {
      const std::string name = name_of(function, c);
      auto x = draw(c.rows * c.cols, c.fill, seed++);
      for (float& v : x) v *= c.scale;
      std::vector<float> y(x.size());
      must(kernel(tessera::ActivationArgs{tessera::matrix<const float>(x.data(), c.rows, c.cols),
                                          tessera::matrix(y.data(), c.rows, c.cols)}),
           name);
      add_rows_of(run, name, c, y, [&](std::size_t at, auto& want) {
        reference::activation(f, x.data() + at, c.cols, want);
      });
    }
  };
  add("softplus_rows", Activation::softplus, [](const auto& a) { return tessera::softplus<B>(a); });
  add("sigmoid_rows", Activation::sigmoid, [](const auto& a) { return tessera::sigmoid<B>(a); });
  add("silu_rows", Activation::silu, [](const auto& a) { return tessera::silu<B>(a); });
}

}  // namespace

void add_rows(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_rms_norm<B>(run);
    add_softmax<B>(run);
    add_swiglu<B>(run);
    add_activations<B>(run);
  });
}

}  // namespace identity

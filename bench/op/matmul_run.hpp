// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One matrix product on the backend, format and layout that the options name.
#ifndef TESSERA_BENCH_OP_MATMUL_RUN_HPP_
#define TESSERA_BENCH_OP_MATMUL_RUN_HPP_

#include <string>
#include <type_traits>
#include <vector>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tessera/matmul.hpp"

namespace op {

struct MatmulProblem {
  std::size_t m;
  std::size_t n;
  std::size_t k;
  std::vector<float> a;
  std::vector<float> b;
  Cut cut;
};

template <class F>
using tiles_of = std::conditional_t<F::is_float, tessera::all_float_tiles, tessera::all_int8_tiles>;

/// Calls body(Type<F>{}) for every storage format, one of each kind of MatMulNBits' among them.
template <class Body>
void for_each_format(Body&& body) {
  tessera::all_formats::for_each(body);
  tessera::nbits_formats::for_each(body);
  tessera::row_formats::for_each(body);
}

template <class T>
std::string tile_name() {
  return std::to_string(T::m) + "x" + std::to_string(T::n) + "x" + std::to_string(T::k);
}

template <class B, class F, class T>
Outcome multiply(const MatmulProblem& p, bool check_only) {
  Outcome out;
  out.packed = tessera::packed_size<F, T>(p.n, p.k);
  AlignedBytes image(out.packed);
  out.status = tessera::pack_weights<F, T>(tessera::matrix(p.b.data(), p.n, p.k), image.span());
  if (out.status != tessera::Status::ok) return out;
  out.values = untouched_values(p.m * p.n);
  tessera::MatmulArgs<F, T> args{tessera::matrix(p.a.data(), p.m, p.k),
                                 {image.span(), p.n, p.k},
                                 tessera::matrix(out.values.data(), p.m, p.n),
                                 {}};
  out.workspace = tessera::workspace_size<B>(args);
  AlignedBytes shared(out.workspace.shared);
  AlignedBytes scratch(out.workspace.scratch);
  args.workspace = {shared.span(), scratch.span()};
  out.status = run_phases<B>(args, p.cut, check_only, [&](std::size_t phase, auto range) {
    return tessera::matmul_phase<B>(args, phase, range);
  });
  return out;
}

/// What runs, in words, filled in by the run.
struct Instance {
  std::string text;
  std::string atom;
};

/// Is the layout built in? The backend's own is, and every one for a format of each kind there is a kernel
/// for; with all of them the tool would take minutes to compile.
template <class B, class F, class T>
constexpr bool built_in() {
  using Every = tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::q8_0,
                                  tessera::format::q4_0, tessera::format::q4_K>;
  return std::is_same_v<T, tessera::tile_for<F, B>> || Every::template has<F>;
}

template <class B, class F>
Outcome multiply_in_layout(const Options& options, const MatmulProblem& p, bool check_only,
                           Instance& instance) {
  const std::string wanted = options.text("layout", tile_name<tessera::tile_for<F, B>>());
  Outcome out;
  bool found = false;
  std::string known;
  tiles_of<F>::for_each([&]<class T>(tessera::Type<T>) {
    if constexpr (built_in<B, F, T>()) {
      known += " " + tile_name<T>();
      if (wanted != tile_name<T>()) return;
      found = true;
      instance.text = std::string("matmul ") + B::name + " " + F::name + " layout " + wanted +
                      " (" + (F::is_float ? B::float_via : B::dot_via) + ")";
      instance.atom = F::is_float ? B::FloatAtom::name : B::DotAtom::name;
      out = multiply<B, F, T>(p, check_only);
    }
  });
  if (!found)
    throw Refusal("--layout " + wanted + ": on " + B::name + " " + F::name +
                  " weights are built in for" + known);
  return out;
}

/// The formats of one kind; `known` is whether --format is among them.
template <bool Floats>
Outcome multiply_formats(const Options& options, const std::string& format, const MatmulProblem& p,
                         bool check_only, Instance& instance) {
  Outcome out;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    for_each_format([&]<class F>(tessera::Type<F>) {
      if constexpr (F::is_float == Floats) {
        if (format == F::name) out = multiply_in_layout<B, F>(options, p, check_only, instance);
      }
    });
  });
  return out;
}

Outcome multiply_floats(const Options& options, const std::string& format, const MatmulProblem& p,
                        bool check_only, Instance& instance);
Outcome multiply_blocks(const Options& options, const std::string& format, const MatmulProblem& p,
                        bool check_only, Instance& instance);

}  // namespace op

#endif  // TESSERA_BENCH_OP_MATMUL_RUN_HPP_

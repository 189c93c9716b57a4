// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// l2_norm and gated_rms_norm.
#include <string>
#include <vector>

#include "tessera/head_norm.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/gated_rms_norm.hpp"
#include "tests/reference/l2_norm.hpp"

namespace identity {
namespace {

constexpr std::size_t heads = 2;

/// Tokens outside, two heads side by side.
template <class T>
tessera::HeadView<T> view(T* data, const RowCase& c) {
  return {data,
          heads,
          c.rows,
          c.cols,
          static_cast<std::ptrdiff_t>(c.cols),
          static_cast<std::ptrdiff_t>(heads * c.cols)};
}
std::string name_of(const char* kernel, const RowCase& c) {
  return std::string(kernel) + " heads 2 " + std::to_string(c.rows) + "x" + std::to_string(c.cols) +
         " " + tessera_test::name(c.fill);
}
/// `row(head, first element, want)` appends one row's reference.
template <class Reference>
void add_heads(Run& run, const std::string& name, const RowCase& c, const std::vector<float>& y,
               Reference&& row) {
  if (c.fill == Fill::special) return run.add(name, y);
  run.add(name, y, [&] {
    reference::Expected want;
    for (std::size_t i = 0; i < c.rows * heads; ++i) row(i % heads, i * c.cols, want);
    return want;
  });
}

template <class B>
void add_l2_norm(Run& run) {
  std::uint64_t seed = 12000;
  for (const RowCase& c : head_norm_cases) {
    const std::string name = name_of("l2_norm", c);
    const auto x = draw(heads * c.rows * c.cols, c.fill, seed++);
    std::vector<float> y(x.size());
    must(tessera::l2_norm<B>({view(x.data(), c), view(y.data(), c), c.scale}), name);
    add_heads(run, name, c, y, [&](std::size_t, std::size_t at, auto& want) {
      reference::l2_norm(x.data() + at, c.cols, c.scale, want);
    });
  }
}

template <class B>
void add_gated_rms_norm(Run& run) {
  std::uint64_t seed = 13000;
  for (const bool first : {false, true})
    for (const RowCase& c : head_norm_cases) {
      const std::string name = name_of(first ? "gated_rms_norm before" : "gated_rms_norm after", c);
      const auto x = draw(heads * c.rows * c.cols, c.fill, seed++);
      const auto z = draw(x.size(), Fill::gaussian, seed++);
      const auto w = draw(heads * c.cols, Fill::gaussian, seed++);
      std::vector<float> y(x.size());
      tessera::GatedRmsNormArgs args;
      args.x = view(x.data(), c), args.z = view(z.data(), c), args.y = view(y.data(), c);
      args.weight = tessera::matrix(w.data(), heads, c.cols);
      args.eps = c.scale;
      args.order = first ? tessera::GateOrder::before : tessera::GateOrder::after;
      must(tessera::gated_rms_norm<B>(args), name);
      add_heads(run, name, c, y, [&](std::size_t h, std::size_t at, auto& want) {
        reference::gated_rms_norm(x.data() + at, z.data() + at, w.data() + h * c.cols, c.cols,
                                  c.scale, first, want);
      });
    }
}

}  // namespace

void add_head_norms(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_l2_norm<B>(run);
    add_gated_rms_norm<B>(run);
  });
}

}  // namespace identity

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/reference/matmul.hpp"

#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"
#include "tessera/formats/all.hpp"

namespace replay {
namespace {

struct MatmulOperands {
  std::size_t m, n, k;
  Values a;  ///< [m][k], as the format's product sees it
  Values b;  ///< [n][k], as it is stored
};

std::vector<float> floats_of(const Values& values) {
  return std::vector<float>(values.begin(), values.end());
}

/// The activations as the format's product sees them: all block formats quantise them alike.
Values seen_by(const std::string& format, const Values& values, std::size_t cols) {
  bool blocks = false;
  tessera::all_formats::for_each(
      [&]<class F>(tessera::Type<F>) { blocks = blocks || (format == F::name && !F::is_float); });
  if (!blocks || cols == 0) return values;
  const std::vector<float> x = floats_of(values);
  return reference::activations<tessera::format::q8_0>(x.data(), x.size() / cols, cols,
                                                       static_cast<std::ptrdiff_t>(cols))
      .seen.values;
}

/// The sums over k below `end`, b's element (j, i) at j * row + i * column.
Values product(const MatmulOperands& in, std::size_t end, std::size_t row, std::size_t column) {
  Values c;
  for (std::size_t i = 0; i < in.m; ++i)
    for (std::size_t j = 0; j < in.n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < end; ++k) sum += in.a[i * in.k + k] * in.b[j * row + k * column];
      c.push_back(sum);
    }
  return c;
}

}  // namespace

Values stored_in(const std::string& format, const Values& values, std::size_t cols) {
  const std::vector<float> x = floats_of(values);
  Values stored = values;
  tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
    if (format == F::name && cols != 0)
      stored = reference::stored<F>(x.data(), x.size() / cols, cols).values;
  });
  return stored;
}

std::vector<Attempt> matmul_attempts(const dumps::OperatorRecord& r) {
  const Operand a = operand(r, "a", 2);
  const Operand b = operand(r, "b", 2);
  require(r, a.axis(1) == b.axis(1), "the rows of a and b are of unlike length");
  const std::string format = r.text_of("format", "f32");
  auto in = std::make_shared<MatmulOperands>(
      MatmulOperands{a.axis(0), b.axis(0), a.axis(1), seen_by(format, a.values, a.axis(1)),
                     stored_in(format, b.values, b.axis(1))});
  std::vector<Attempt> attempts;
  attempts.push_back({"right", "", [in] { return product(*in, in->k, in->k, 1); }});
  attempts.push_back({"transposed_weights",
                      "the weights are read as if rows and columns were exchanged",
                      [in] { return product(*in, in->k, 1, in->n); }});
  std::size_t before = 0;
  for (const std::size_t block : {4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
    const std::size_t rest = in->k % block == 0 ? block : in->k % block;
    if (rest == before || rest >= in->k) continue;
    before = rest;
    attempts.push_back({"dropped_block",
                        "the last " + std::to_string(rest) + " of " + std::to_string(in->k) +
                            " products are missing",
                        [in, rest] { return product(*in, in->k - rest, in->k, 1); }});
  }
  return attempts;
}

}  // namespace replay

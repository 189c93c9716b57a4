// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/reference/matmul.hpp"

#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"
#include "tessera/formats/all.hpp"

namespace replay {
namespace {

struct MatmulOperands {
  Operand a;  ///< [., ., m, k], as the format's product sees it
  Operand b;  ///< [., ., n, k], as it is stored; shared by several of a where it has fewer

  std::size_t k() const { return a.axis(3); }
  std::size_t n() const { return b.axis(2); }
};

/// The sums over k below `end`, b's element (j, i) at j * row + i * column. Matrix x of a meets matrix x / ratio of b, or
/// (`modulo`) x modulo their number.
Values product(const MatmulOperands& in, std::size_t end, std::size_t row, std::size_t column,
               bool modulo = false) {
  Values c;
  const auto of = [&](std::size_t x, int axis) {
    const std::size_t have = in.b.axis(static_cast<std::size_t>(axis));
    return modulo ? x % have : x / (in.a.axis(static_cast<std::size_t>(axis)) / have);
  };
  const std::size_t m = in.a.axis(2);
  for (std::size_t i3 = 0; i3 < in.a.axis(0); ++i3)
    for (std::size_t i2 = 0; i2 < in.a.axis(1); ++i2) {
      const double* const a = in.a.values.data() + (i3 * in.a.axis(1) + i2) * m * in.k();
      const double* const b =
          in.b.values.data() + (of(i3, 0) * in.b.axis(1) + of(i2, 1)) * in.n() * in.k();
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < in.n(); ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < end; ++k) sum += a[i * in.k() + k] * b[j * row + k * column];
          c.push_back(sum);
        }
    }
  return c;
}

}  // namespace

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
  auto in = std::make_shared<MatmulOperands>(
      MatmulOperands{padded_operand(r, "a", 4), padded_operand(r, "b", 4)});
  Operand &a = in->a, &b = in->b;
  require(r, a.axis(3) == b.axis(3), "the rows of a and b are of unlike length");
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
    require(r, b.axis(axis) != 0 && a.axis(axis) % b.axis(axis) == 0,
            "the matrices of a are no multiple of those of b");
  const std::string format = r.text_of("format", "f32");
  a.values = seen_by(format, a.values, a.axis(3));
  if (r.number_of("decoded", 0) == 0) b.values = stored_in(format, b.values, b.axis(3));
  std::vector<Attempt> attempts;
  attempts.push_back({"right", "", [in] { return product(*in, in->k(), in->k(), 1); }});
  attempts.push_back({"transposed_weights",
                      "the weights are read as if rows and columns were exchanged",
                      [in] { return product(*in, in->k(), 1, in->n()); }});
  if (b.axis(0) != a.axis(0) || b.axis(1) != a.axis(1))
    attempts.push_back({"matrix_map", "matrix x meets matrix x modulo their number",
                        [in] { return product(*in, in->k(), in->k(), 1, true); }});
  std::size_t before = 0;
  for (const std::size_t block : {4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
    const std::size_t rest = in->k() % block == 0 ? block : in->k() % block;
    if (rest == before || rest >= in->k()) continue;
    before = rest;
    attempts.push_back({"dropped_block",
                        "the last " + std::to_string(rest) + " of " + std::to_string(in->k()) +
                            " products are missing",
                        [in, rest] { return product(*in, in->k() - rest, in->k(), 1); }});
  }
  return attempts;
}

}  // namespace replay

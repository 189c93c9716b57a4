// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

struct ExpertOperands {
  Operand a;    ///< [token][slot][k], as the format's product sees it
  Operand b;    ///< [expert][n][k], as it is stored
  Operand ids;  ///< [token][choice]
};

enum class ExpertSlip { none, transposed, first_choice, next_expert };

Values products(const ExpertOperands& in, ExpertSlip slip) {
  Values c;
  const std::size_t slots = in.a.axis(1), k = in.a.axis(2), n = in.b.axis(1), used = in.ids.axis(1);
  for (std::size_t t = 0; t < in.ids.axis(0); ++t)
    for (std::size_t u = 0; u < used; ++u) {
      const std::size_t choice = slip == ExpertSlip::first_choice ? 0 : u;
      auto expert = static_cast<std::size_t>(in.ids.values[t * used + choice]);
      if (slip == ExpertSlip::next_expert) expert = (expert + 1) % in.b.axis(0);
      const double* const a = in.a.values.data() + (t * slots + u % slots) * k;
      const double* const b = in.b.values.data() + expert * n * k;
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i)
          sum += a[i] * (slip == ExpertSlip::transposed ? b[i * n + j] : b[j * k + i]);
        c.push_back(sum);
      }
    }
  return c;
}

}  // namespace

std::vector<Attempt> matmul_experts_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<ExpertOperands>(ExpertOperands{
      padded_operand(r, "a", 3), padded_operand(r, "b", 3), padded_operand(r, "ids", 2)});
  require(r, in->a.axis(2) == in->b.axis(2), "the rows of a and b are of unlike length");
  require(r,
          in->a.axis(0) == in->ids.axis(0) && in->a.axis(1) != 0 &&
              in->ids.axis(1) % in->a.axis(1) == 0,
          "the choices do not fit the tokens and slots of a");
  for (const double id : in->ids.values)
    require(r, id >= 0 && id < static_cast<double>(in->b.axis(0)), "an id names no expert");
  const std::string format = r.text_of("format", "f32");
  in->a.values = seen_by(format, in->a.values, in->a.axis(2));
  if (r.number_of("decoded", 0) == 0) in->b.values = stored_in(format, in->b.values, in->b.axis(2));
  const auto with = [in](ExpertSlip slip) { return [in, slip] { return products(*in, slip); }; };
  return {
      {"right", "", with(ExpertSlip::none)},
      {"transposed_weights", "the weights are read as if rows and columns were exchanged",
       with(ExpertSlip::transposed)},
      {"first_choice", "all products use the first expert of their token",
       with(ExpertSlip::first_choice)},
      {"next_expert", "the expert after the chosen one is used", with(ExpertSlip::next_expert)}};
}

}  // namespace replay

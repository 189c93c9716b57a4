// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

struct GateOperands {
  Values gate, up;
  double alpha, limit;

  /// What the function makes of a gate x; clamped functions are given by how they treat `up`, too.
  double activated(const std::string& f, double x) const {
    const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
    if (f == "reglu") return std::fmax(x, 0);
    if (f == "geglu")
      return x * sigmoid(std::sqrt(8 / std::acos(-1.0)) * (x + 0.044715 * x * x * x));
    if (f == "geglu_erf") return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    if (f == "geglu_quick") return x * sigmoid(1.702 * x);
    if (f == "swiglu_oai") return std::fmin(x, limit) * sigmoid(alpha * std::fmin(x, limit));
    if (f == "swiglu_clamp") return std::fmin(x, limit) * sigmoid(std::fmin(x, limit));
    return x * sigmoid(x);
  }
  double combined(const std::string& f, double x, double u) const {
    if (f == "swiglu_oai") return activated(f, x) * (std::clamp(u, -limit, limit) + 1);
    if (f == "swiglu_clamp") return activated(f, x) * std::clamp(u, -limit, limit);
    return activated(f, x) * u;
  }
};

constexpr const char* gate_functions[] = {"swiglu", "geglu",      "geglu_erf",   "geglu_quick",
                                          "reglu",  "swiglu_oai", "swiglu_clamp"};

}  // namespace

std::vector<Attempt> glu_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<GateOperands>(
      GateOperands{optional_values(r, "gate"), optional_values(r, "up"),
                   r.number_of("alpha", 1.702), r.number_of("limit", 7)});
  require(r, !in->gate.empty() && in->gate.size() == in->up.size(),
          "needs two operands of one shape");
  const std::string function = r.text_of("function", "");
  require(r, std::count(std::begin(gate_functions), std::end(gate_functions), function) == 1,
          "a function that is not known");
  const auto with = [in](const std::string& f, bool exchanged) {
    return [in, f, exchanged] {
      Values out;
      for (std::size_t i = 0; i < in->gate.size(); ++i)
        out.push_back(exchanged ? in->combined(f, in->up[i], in->gate[i])
                                : in->combined(f, in->gate[i], in->up[i]));
      return out;
    };
  };
  std::vector<Attempt> attempts = {
      {"right", "", with(function, false)},
      {"exchanged_operands", "gate and up are exchanged", with(function, true)}};
  for (const char* other : gate_functions)
    if (other != function)
      attempts.push_back(
          {"other_activation", std::string("the function is ") + other, with(other, false)});
  return attempts;
}

}  // namespace replay

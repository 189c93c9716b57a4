// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <cmath>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

double silu(double x) {
  return x / (1 + std::exp(-x));
}

/// Two operands of one shape.
struct OperandPair {
  Values first, second;
};

std::shared_ptr<OperandPair> two_alike(const dumps::OperatorRecord& r, const char* first,
                                       const char* second) {
  const dumps::Tensor* a = r.input(first);
  const dumps::Tensor* b = r.input(second);
  require(r, a != nullptr && b != nullptr && a->shape == b->shape,
          "needs two operands of one shape");
  return std::make_shared<OperandPair>(OperandPair{values_of(*a), values_of(*b)});
}

/// An attempt that combines elements of both at one place.
template <class Combine>
Attempt elementwise(const char* name, const char* sentence, const std::shared_ptr<OperandPair>& in,
                    Combine combine) {
  return {name, sentence, [in, combine] {
            Values out(in->first.size());
            for (std::size_t i = 0; i < out.size(); ++i)
              out[i] = combine(in->first[i], in->second[i]);
            return out;
          }};
}

struct NormOperands {
  std::size_t cols;
  Values x, weight;
  double eps;
};

Values norm_rows(const NormOperands& in, bool with_weight, bool centred) {
  Values out;
  for (std::size_t begin = 0; begin < in.x.size(); begin += in.cols) {
    const double* x = in.x.data() + begin;
    double mean = 0;
    for (std::size_t i = 0; i < in.cols; ++i) mean += x[i];
    mean = centred ? mean / static_cast<double>(in.cols) : 0;
    double sum = 0;
    for (std::size_t i = 0; i < in.cols; ++i) sum += (x[i] - mean) * (x[i] - mean);
    const double root = std::sqrt(sum / static_cast<double>(in.cols) + in.eps);
    for (std::size_t i = 0; i < in.cols; ++i)
      out.push_back((x[i] - mean) / root * (with_weight ? in.weight[i] : 1));
  }
  return out;
}

}  // namespace

std::vector<Attempt> swiglu_attempts(const dumps::OperatorRecord& r) {
  const auto in = two_alike(r, "gate", "up");
  return {
      elementwise("right", "", in, [](double g, double u) { return silu(g) * u; }),
      elementwise("exchanged_operands", "gate and up are exchanged", in,
                  [](double g, double u) { return silu(u) * g; }),
      elementwise("missing_activation", "the gate is not activated", in,
                  [](double g, double u) { return g * u; }),
      elementwise("other_activation", "the gate's activation is gelu", in, [](double g, double u) {
        return 0.5 * g * (1 + std::erf(g / std::sqrt(2.0))) * u;
      })};
}

std::vector<Attempt> add_attempts(const dumps::OperatorRecord& r) {
  const auto in = two_alike(r, "x", "y");
  return {
      elementwise("right", "", in, [](double x, double y) { return x + y; }),
      elementwise("missing_operand", "y is not added", in, [](double x, double) { return x; }),
      elementwise("missing_operand", "x is overwritten", in, [](double, double y) { return y; })};
}

std::vector<Attempt> rms_norm_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<NormOperands>();
  const Operand x = padded_operand(r, "x", 4);
  in->cols = x.axis(3);
  in->x = x.values;
  in->eps = r.number_of("eps", 1e-5);
  in->weight.assign(in->cols, 1);
  if (r.input("weight") != nullptr) in->weight = values_of(*r.input("weight"));
  require(r, in->weight.size() == in->cols, "the weight is not as long as a row");
  return {{"right", "", [in] { return norm_rows(*in, true, false); }},
          {"missing_weight", "the weight is not applied",
           [in] { return norm_rows(*in, false, false); }},
          {"centred", "the mean is subtracted, as a layer norm does",
           [in] { return norm_rows(*in, true, true); }}};
}

std::vector<Attempt> l2_norm_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<Operand>(padded_operand(r, "x", 4));
  const double eps = r.number_of("eps", 1e-6);
  const auto divided = [in, eps](bool mean, bool added) {
    Values out;
    const std::size_t cols = in->axis(3);
    for (std::size_t begin = 0; begin < in->values.size(); begin += cols) {
      double sum = 0;
      for (std::size_t i = 0; i < cols; ++i) sum += in->values[begin + i] * in->values[begin + i];
      if (mean) sum /= static_cast<double>(cols);
      const double root = added ? std::sqrt(sum + eps) : std::fmax(std::sqrt(sum), eps);
      for (std::size_t i = 0; i < cols; ++i) out.push_back(in->values[begin + i] / root);
    }
    return out;
  };
  return {{"right", "", [divided] { return divided(false, false); }},
          {"mean_of_squares", "the mean of the squares is taken instead of their sum",
           [divided] { return divided(true, true); }}};
}

std::vector<Attempt> append_attempts(const dumps::OperatorRecord& r) {
  Values right;
  if (r.input("cache") != nullptr) right = values_of(*r.input("cache"));
  const Operand given = operand(r, "rows", 3);
  const Values rows = stored_in(r.text_of("cache", "f32"), given.values, given.axis(2));
  Values none = right;
  none.resize(right.size() + rows.size());
  right.insert(right.end(), rows.begin(), rows.end());
  return {{"right", "", [right] { return right; }},
          {"missing_rows", "the new rows are not written", [none] { return none; }}};
}

}  // namespace replay

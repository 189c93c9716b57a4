// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Results of all but the convolution: the outputs of all sequences, then their last states.
#include <algorithm>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"
#include "tests/reference/recurrence.hpp"
#include "tests/reference/ssm_conv.hpp"
#include "tests/reference/ssm_scan.hpp"

namespace replay {
namespace {

/// An operand of [sequences][...] in float: where one sequence begins.
struct Shared {
  dumps::Axes shape;
  std::vector<float> values;

  std::size_t axis(std::size_t i) const { return shape[i]; }
  const float* of(std::size_t sequence) const {
    return values.data() + sequence * (values.size() / shape[0]);
  }
};

Shared shared(const dumps::OperatorRecord& r, const char* role, std::size_t axes) {
  const Operand o = padded_operand(r, role, axes);
  require(r, !o.values.empty(), "an operand is empty");
  return {o.shape, floats_of(o.values)};
}

/// Outputs of all sequences, then their states, from what each gives: its outputs, then its state.
template <class Sequence>
Values of_sequences(std::size_t count, std::size_t outputs, Sequence sequence) {
  Values out, states;
  for (std::size_t s = 0; s < count; ++s) {
    const Values both = sequence(s);
    const auto cut = both.begin() + static_cast<std::ptrdiff_t>(outputs);
    out.insert(out.end(), both.begin(), cut);
    states.insert(states.end(), cut, both.end());
  }
  out.insert(out.end(), states.begin(), states.end());
  return out;
}

struct ScanOperands {
  Shared x, dt, b, c, state;
  std::vector<float> a;
  bool rate_per_state;

  Values scan(bool groups_modulo, bool softplus, bool fresh) const {
    const std::size_t heads = x.axis(2), groups = b.axis(2), states = b.axis(3);
    const std::vector<float> zeros(state.values.size() / state.axis(0));
    return of_sequences(x.axis(0), x.axis(1) * heads * x.axis(3), [&](std::size_t s) {
      reference::Scan scan{heads,   x.axis(3), groups,   states,  x.axis(1), rate_per_state,
                           x.of(s), dt.of(s),  a.data(), b.of(s), c.of(s)};
      scan.state = fresh ? zeros.data() : state.of(s);
      scan.softplus = softplus;
      std::vector<float> wide_b, wide_c;
      if (groups_modulo) {  // a group for every head
        for (std::size_t t = 0; t < scan.tokens; ++t)
          for (std::size_t h = 0; h < heads; ++h) {
            const std::size_t from = (t * groups + h % groups) * states;
            wide_b.insert(wide_b.end(), scan.b + from, scan.b + from + states);
            wide_c.insert(wide_c.end(), scan.c + from, scan.c + from + states);
          }
        scan.groups = heads;
        scan.b = wide_b.data();
        scan.c = wide_c.data();
      }
      return reference::ssm_scan(scan).value;
    });
  }
};

/// Operands of the recurrences by the roles of the members; [sequences][tokens][heads][elements].
struct RecurrenceOperands {
  Shared read, write, value, gate, state;
  Shared beta, look, extra;  ///< where the rule has them
  reference::Recurrence base;

  Values recur(bool modulo, bool ungated, bool fresh, double scale) const {
    const std::vector<float> zeros(state.values.size() / state.axis(0));
    const std::size_t sequences = value.axis(0);
    return of_sequences(sequences, base.tokens * base.heads * base.values, [&](std::size_t s) {
      const auto of = [&](const Shared& x) {
        return x.values.empty() ? nullptr : x.of(s / (sequences / x.axis(0)));
      };
      reference::Recurrence r = base;
      r.modulo = modulo;
      r.scale = scale;
      r.read = of(read), r.write = of(write), r.value = of(value);
      r.gate = ungated ? nullptr : of(gate);
      r.beta = of(beta), r.look = of(look), r.extra = of(extra);
      r.state = fresh ? zeros.data() : of(state);
      return reference::recurrence(r).value;
    });
  }
};

std::vector<Attempt> recurrence_attempts(const dumps::OperatorRecord& r,
                                         const std::shared_ptr<RecurrenceOperands>& in,
                                         reference::Recurring rule) {
  const Shared &q = in->read, &v = in->value;
  in->base = {rule,  v.axis(2), q.axis(2), q.axis(3), v.axis(3), v.axis(1),
              false, nullptr,   nullptr,   nullptr,   nullptr,   in->gate.axis(3)};
  const auto fits = [&](const Shared& x, std::size_t heads, std::size_t dim) {
    return x.axis(1) == v.axis(1) && x.axis(2) == heads && x.axis(3) == dim && x.axis(0) != 0 &&
           v.axis(0) % x.axis(0) == 0;
  };
  const std::size_t keys = q.axis(3), heads = v.axis(2);
  require(r,
          fits(q, q.axis(2), keys) && fits(in->write, q.axis(2), keys) && q.axis(2) != 0 &&
              heads % q.axis(2) == 0 && fits(in->gate, heads, in->gate.axis(3)) &&
              (in->gate.axis(3) == 1 || in->gate.axis(3) == keys) &&
              in->state.values.size() == v.axis(0) * heads * keys * v.axis(3) &&
              in->state.axis(0) == v.axis(0),
          "the operands do not fit one another");
  for (const Shared* x : {&in->beta, &in->look, &in->extra})
    require(r,
            x->values.empty() || x->axis(1) == 1 ||
                fits(*x, heads, x == &in->beta ? std::size_t{1} : keys),
            "the operands do not fit one another");
  const bool modulo = r.text_of("head_map", "blocks") == "modulo";
  const double scale = r.number_of("scale", 1);
  std::vector<Attempt> attempts = {
      {"right", "", [=] { return in->recur(modulo, false, false, scale); }}};
  if (heads != q.axis(2))
    attempts.push_back(
        {"head_map",
         modulo ? "value head h uses one key head per group instead of h modulo their number"
                : "value head h uses key head h modulo their number instead of one per group",
         [=] { return in->recur(!modulo, false, false, scale); }});
  attempts.push_back({"missing_gate", "the state does not decay",
                      [=] { return in->recur(modulo, true, false, scale); }});
  attempts.push_back({"fresh_state", "the state begins with zeros",
                      [=] { return in->recur(modulo, false, true, scale); }});
  if (scale != 1)
    attempts.push_back({"missing_scale", "the outputs are not scaled",
                        [=] { return in->recur(modulo, false, false, 1); }});
  return attempts;
}

}  // namespace

std::vector<Attempt> ssm_conv_attempts(const dumps::OperatorRecord& r) {
  const auto x =
      std::make_shared<Shared>(shared(r, "x", 3));  // [sequences][channels][before and tokens]
  const auto w = std::make_shared<Shared>(shared(r, "weight", 2));
  require(r, x->axis(1) == w->axis(0) && x->axis(2) >= w->axis(1), "x and weight do not fit");
  const auto convolved = [x, w](bool reversed, bool silu) {
    const std::size_t channels = w->axis(0), width = w->axis(1), length = x->axis(2);
    std::vector<float> taps = w->values;
    if (reversed)
      for (std::size_t c = 0; c < channels; ++c)
        std::reverse(taps.begin() + static_cast<std::ptrdiff_t>(c * width),
                     taps.begin() + static_cast<std::ptrdiff_t>((c + 1) * width));
    reference::Expected out;
    for (std::size_t s = 0; s < x->axis(0); ++s)
      for (std::size_t t = 0; t + width <= length; ++t)
        for (std::size_t c = 0; c < channels; ++c)
          reference::ssm_conv(x->of(s) + c * length + t, &taps[c * width], width, 0, silu, out);
    return out.value;
  };
  const bool silu = r.number_of("silu", 0) != 0;
  return {
      {"right", "", [=] { return convolved(false, silu); }},
      {"reversed_taps", "the taps are in reverse order", [=] { return convolved(true, silu); }},
      {"other_activation", "silu is applied or missing", [=] { return convolved(false, !silu); }}};
}

std::vector<Attempt> ssm_scan_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<ScanOperands>(ScanOperands{shared(r, "x", 4),
                                                              shared(r, "dt", 3),
                                                              shared(r, "b", 4),
                                                              shared(r, "c", 4),
                                                              shared(r, "state", 4),
                                                              {},
                                                              false});
  const Operand a = padded_operand(r, "a", 2);  // [1 or states][heads]
  in->a = floats_of(a.values);
  in->rate_per_state = a.axis(0) != 1;
  const Shared &x = in->x, &b = in->b;
  require(r,
          in->dt.axis(0) == x.axis(0) && in->dt.axis(1) == x.axis(1) &&
              in->dt.axis(2) == x.axis(2) && b.shape == in->c.shape && b.axis(0) == x.axis(0) &&
              b.axis(1) == x.axis(1) && b.axis(2) != 0 && x.axis(2) % b.axis(2) == 0 &&
              a.axis(1) == x.axis(2) && (a.axis(0) == 1 || a.axis(0) == b.axis(3)) &&
              in->state.axis(0) == x.axis(0) && in->state.axis(1) == b.axis(3) &&
              in->state.axis(2) == x.axis(2) && in->state.axis(3) == x.axis(3),
          "the operands do not fit one another");
  return {
      {"right", "", [in] { return in->scan(false, true, false); }},
      {"group_map", "head h uses group h modulo their number instead of one per block of heads",
       [in] { return in->scan(true, true, false); }},
      {"missing_activation", "softplus is not taken of the steps",
       [in] { return in->scan(false, false, false); }},
      {"fresh_state", "the state begins with zeros", [in] { return in->scan(false, true, true); }}};
}

std::vector<Attempt> gated_delta_net_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<RecurrenceOperands>();
  in->read = shared(r, "q", 4), in->write = shared(r, "k", 4), in->value = shared(r, "v", 4);
  in->gate = shared(r, "log_gate", 4), in->beta = shared(r, "beta", 4);
  in->state = shared(r, "state", 4);
  return recurrence_attempts(r, in, reference::Recurring::delta);
}

std::vector<Attempt> gated_linear_attention_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<RecurrenceOperands>();
  in->read = shared(r, "q", 4), in->write = shared(r, "k", 4), in->value = shared(r, "v", 4);
  in->gate = shared(r, "gate", 4), in->state = shared(r, "state", 4);
  return recurrence_attempts(r, in, reference::Recurring::linear);
}

std::vector<Attempt> rwkv6_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<RecurrenceOperands>();
  in->read = shared(r, "receptance", 4), in->write = shared(r, "k", 4);
  in->value = shared(r, "v", 4), in->gate = shared(r, "decay", 4);
  in->extra = shared(r, "bonus", 4), in->state = shared(r, "state", 4);
  return recurrence_attempts(r, in, reference::Recurring::rwkv6);
}

std::vector<Attempt> rwkv7_attempts(const dumps::OperatorRecord& r) {
  const auto in = std::make_shared<RecurrenceOperands>();
  in->read = shared(r, "receptance", 4), in->write = shared(r, "k", 4);
  in->value = shared(r, "v", 4), in->gate = shared(r, "decay", 4);
  in->look = shared(r, "a", 4), in->extra = shared(r, "b", 4), in->state = shared(r, "state", 4);
  return recurrence_attempts(r, in, reference::Recurring::rwkv7);
}

}  // namespace replay

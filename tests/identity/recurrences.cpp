// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The scan of state-space layers and the recurrences with a matrix per head.
#include <cmath>
#include <string>
#include <vector>

#include "tessera/ssm.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/recurrence.hpp"
#include "tests/reference/ssm_scan.hpp"

namespace identity {
namespace {

template <class T>
tessera::HeadView<T> rows(T* data, std::size_t heads, std::size_t tokens, std::size_t dim) {
  return {data,
          heads,
          tokens,
          dim,
          static_cast<std::ptrdiff_t>(dim),
          static_cast<std::ptrdiff_t>(heads * dim)};
}

template <class B>
void add_ssm_scan_of(Run& run) {
  std::uint64_t seed = 9000;
  for (const ScanCase& s : scan_cases) {
    const std::string name = "ssm_scan " + std::to_string(s.heads) + "x" + std::to_string(s.dim) +
                             " groups " + std::to_string(s.groups) + " states " +
                             std::to_string(s.states) + " tokens " + std::to_string(s.tokens) +
                             (s.per_state ? " rates per state" : "") +
                             (s.chunked ? " chunked" : "");
    const std::size_t columns = s.heads * s.dim;
    const auto x = draw(s.tokens * columns, Fill::gaussian, seed++);
    const auto z = draw(s.tokens * columns, Fill::gaussian, seed++);
    const auto dt = draw(s.tokens * s.heads, Fill::gaussian, seed++);
    auto a = draw((s.per_state ? s.states : 1) * s.heads, Fill::gaussian, seed++);
    for (float& v : a) v = -std::fabs(v) * 4;
    const auto b = draw(s.tokens * s.groups * s.states, Fill::gaussian, seed++);
    const auto c = draw(s.tokens * s.groups * s.states, Fill::gaussian, seed++);
    const auto d = draw(s.heads, Fill::gaussian, seed++);
    const auto before = draw(s.states * columns, Fill::gaussian, seed++);
    auto state = before;
    std::vector<float> y(s.tokens * columns);
    const tessera::Sequence sequence = {0, s.tokens, 0};
    tessera::SsmScanArgs args;
    args.x = rows(x.data(), s.heads, s.tokens, s.dim);
    args.z = rows(z.data(), s.heads, s.tokens, s.dim);
    args.y = rows(y.data(), s.heads, s.tokens, s.dim);
    args.b = rows(b.data(), s.groups, s.tokens, s.states);
    args.c = rows(c.data(), s.groups, s.tokens, s.states);
    args.dt = tessera::time_major(dt.data(), s.tokens, s.heads);
    args.a = tessera::time_major<const float>(a.data(), s.per_state ? s.states : 1, s.heads);
    args.d = d.data();
    if (s.chunked) args.algorithm = tessera::ScanAlgorithm::chunked;
    args.sequences = {&sequence, 1};
    args.states = {state.data(), 1, 0};
    AlignedBytes scratch(tessera::workspace_size(args).scratch);
    args.workspace.scratch = scratch.span();
    must(tessera::ssm_scan<B>(args), name);
    y.insert(y.end(), state.begin(), state.end());
    run.add(name, y, [&] {
      reference::Scan r = {s.heads,  s.dim,     s.groups, s.states, s.tokens, s.per_state,
                           x.data(), dt.data(), a.data(), b.data(), c.data()};
      r.d = d.data(), r.z = z.data(), r.state = before.data();
      return reference::ssm_scan(r);
    });
  }
}

/// Operands of any rule; unit-norm reads and writes.
struct Operands {
  RecurrenceCase c;
  std::uint64_t seed;
  std::size_t delta_gates = c.gates == 0 ? 1 : c.gates;
  std::vector<float> read = unit(0), write = unit(1);
  std::vector<float> value = all(2, c.values), look = all(3, c.keys), extra = all(4, c.keys);
  std::vector<float> gate = all(5, c.rule == 0 ? delta_gates : c.keys), beta = all(6, 1);
  std::vector<float> before = draw(c.heads * c.keys * c.values, Fill::gaussian, seed + 7);
  std::vector<float> state = before;
  std::vector<float> out = std::vector<float>(c.tokens * c.heads * c.values);
  tessera::Sequence sequence = {0, c.tokens, 0};

  Operands(const RecurrenceCase& which, std::uint64_t first) : c(which), seed(first) {
    for (float& v : look) v *= 0.1f;
    for (float& v : extra) v *= 0.1f;
    for (float& v : beta) v = std::fabs(v) < 1 ? std::fabs(v) : 0.5f;
    for (float& v : gate) v = c.rule == 0 ? -std::fabs(v) * 8 : std::fabs(v) < 1 ? std::fabs(v) : 1;
  }
  std::vector<float> all(std::uint64_t stream, std::size_t n) const {
    return draw(c.tokens * c.heads * n, Fill::gaussian, seed + stream);
  }
  std::vector<float> unit(std::uint64_t stream) const {
    auto x = draw(c.tokens * c.key_heads * c.keys, Fill::gaussian, seed + stream);
    for (std::size_t i = 0; i < x.size(); i += c.keys) {
      double sum = 0;
      for (std::size_t k = 0; k < c.keys; ++k) sum += double{x[i + k]} * double{x[i + k]};
      const double r = 1 / std::sqrt(sum);
      for (std::size_t k = 0; k < c.keys; ++k) x[i + k] = static_cast<float>(double{x[i + k]} * r);
    }
    return x;
  }
  tessera::HeadView<const float> of(const std::vector<float>& v, std::size_t n) const {
    return rows(v.data(), c.heads, c.tokens, n);
  }
  template <class Args>
  void set(Args& a) {
    a.k = rows<const float>(write.data(), c.key_heads, c.tokens, c.keys);
    a.v = of(value, c.values);
    a.out = rows(out.data(), c.heads, c.tokens, c.values);
    a.sequences = {&sequence, 1};
    a.states = {state.data(), 1, 0};
  }
  template <class Args, class Kernel>
  void run(Args& a, const std::string& name, Kernel kernel) {
    AlignedBytes scratch(tessera::workspace_size(a).scratch);
    a.workspace.scratch = scratch.span();
    must(kernel(a), name);
    out.insert(out.end(), state.begin(), state.end());
  }
  template <class B>
  void answer(const std::string& name) {
    const auto reads = rows<const float>(read.data(), c.key_heads, c.tokens, c.keys);
    if (c.rule == 0) {
      tessera::GatedDeltaNetArgs a = {c.modulo ? tessera::HeadMap::modulo()
                                               : tessera::HeadMap::blocks()};
      set(a);
      a.q = reads, a.scale = 0.25f;
      if (c.chunked) a.algorithm = tessera::DeltaNetAlgorithm::chunked;
      if (c.gates != 0) a.log_gate = of(gate, c.gates);
      a.beta = tessera::time_major<const float>(beta.data(), c.tokens, c.heads);
      return run(a, name, [](const auto& p) { return tessera::gated_delta_net<B>(p); });
    }
    if (c.rule == 1) {
      tessera::GatedLinearAttentionArgs a;
      set(a);
      a.q = reads, a.gate = of(gate, c.keys), a.scale = 0.25f;
      return run(a, name, [](const auto& p) { return tessera::gated_linear_attention<B>(p); });
    }
    if (c.rule == 2) {
      tessera::Rwkv6Args a;
      set(a);
      a.receptance = reads, a.decay = of(gate, c.keys);
      a.bonus = tessera::matrix<const float>(extra.data(), c.heads, c.keys);
      return run(a, name, [](const auto& p) { return tessera::rwkv6<B>(p); });
    }
    tessera::Rwkv7Args a;
    set(a);
    a.receptance = reads, a.decay = of(gate, c.keys);
    a.a = of(look, c.keys), a.b = of(extra, c.keys);
    run(a, name, [](const auto& p) { return tessera::rwkv7<B>(p); });
  }
  reference::Expected expected() const {
    reference::Recurrence r = {static_cast<reference::Recurring>(c.rule),
                               c.heads,
                               c.key_heads,
                               c.keys,
                               c.values,
                               c.tokens,
                               c.modulo,
                               read.data(),
                               write.data(),
                               value.data(),
                               c.rule == 0 && c.gates == 0 ? nullptr : gate.data(),
                               c.rule == 0 ? c.gates : c.keys};
    r.beta = beta.data(), r.look = look.data(), r.extra = extra.data();
    r.scale = c.rule < 2 ? 0.25 : 1.0, r.state = before.data();
    return reference::recurrence(r);
  }
};

template <class B>
void add_recurrences_of(Run& run) {
  constexpr const char* names[] = {"gated_delta_net", "gated_linear_attention", "rwkv6", "rwkv7"};
  std::uint64_t seed = 10000;
  for (const RecurrenceCase& c : recurrence_cases) {
    const std::string name =
        std::string(names[c.rule]) + " heads " + std::to_string(c.heads) + "/" +
        std::to_string(c.key_heads) + " dim " + std::to_string(c.keys) + "x" +
        std::to_string(c.values) + " tokens " + std::to_string(c.tokens) +
        (c.rule == 0 ? " gates " + std::to_string(c.gates) : "") + (c.chunked ? " chunked" : "");
    Operands o(c, seed += 10);
    o.answer<B>(name);
    run.add(name, o.out, [&] { return o.expected(); });
  }
}

}  // namespace

void add_recurrences(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_ssm_scan_of<B>(run);
    add_recurrences_of<B>(run);
  });
}

}  // namespace identity

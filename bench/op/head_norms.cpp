// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// l2_norm and gated_rms_norm.
#include "tessera/head_norm.hpp"

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/gated_rms_norm.hpp"
#include "tests/reference/l2_norm.hpp"

namespace op {
namespace {

/// Heads side by side, token by token.
struct Heads {
  std::size_t dim, heads, tokens;

  explicit Heads(const Options& options)
      : dim(options.size("dim", 64)),
        heads(options.size("heads", 4)),
        tokens(options.size("tokens", 8)) {
    elements(elements(heads, dim, "dim"), tokens, "tokens");
  }
  std::size_t count() const { return tokens * heads * dim; }
  template <class T>
  tessera::HeadView<T> view(T* data) const {
    return {data,
            heads,
            tokens,
            dim,
            static_cast<std::ptrdiff_t>(dim),
            static_cast<std::ptrdiff_t>(heads * dim)};
  }
  template <class B, class Args, class Kernel>
  Outcome run(Args args, const Cut& cut, bool check_only, Kernel kernel) const {
    Outcome out;
    out.values = untouched_values(count());
    args.y = view(out.values.data());
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args), [&](tessera::UnitRange range) {
      return kernel(tessera::Type<B>{}, args, range);
    });
    return out;
  }
  /// `kernel(Type<B>, args, range)`; `row(head, first element, want)` is one row's reference.
  template <class Args, class Kernel, class Reference>
  int answer_with(const Options& options, const char* name, const Args& args, Kernel kernel,
                  Reference row) const {
    Question q;
    const Cut cut = cut_of(options);
    with_backend(options, [&]<class B>(tessera::Type<B>) {
      q.instance = std::string(name) + " " + B::name + " (" + B::vector_via + ")";
      q.atom = "vectors";
      q.outcome = run<B>(args, cut, options.flag("check-only"), kernel);
    });
    q.shape = std::to_string(heads) + " heads of " + std::to_string(dim) + " tokens " +
              std::to_string(tokens);
    q.out_shape = {tokens, heads, dim};
    q.scalar = [&] { return run<tessera::backend::scalar>(args, Cut{}, false, kernel).values; };
    q.reference = [&] {
      reference::Expected want;
      for (std::size_t i = 0; i < tokens * heads; ++i) row(i % heads, i * dim, want);
      return want;
    };
    return answer(options, q);
  }
};

}  // namespace

int run_l2_norm(int argc, char** argv) {
  const Options options(argc, argv, "l2_norm", {"dim", "heads", "tokens", "eps", "x"});
  const Heads h(options);
  const auto x = operand(options, "x", {h.tokens, h.heads, h.dim}, 0);
  tessera::L2NormArgs args;
  args.x = h.view(x.data());
  args.eps = static_cast<float>(options.number("eps", 1e-6));
  return h.answer_with(
      options, "l2_norm", args,
      []<class B>(tessera::Type<B>, const auto& a, auto range) {
        return tessera::l2_norm<B>(a, range);
      },
      [&](std::size_t, std::size_t at, reference::Expected& want) {
        reference::l2_norm(x.data() + at, h.dim, args.eps, want);
      });
}

int run_gated_rms_norm(int argc, char** argv) {
  const Options options(argc, argv, "gated_rms_norm",
                        {"dim", "heads", "tokens", "eps", "order", "x", "z", "weight"});
  const Heads h(options);
  const auto x = operand(options, "x", {h.tokens, h.heads, h.dim}, 0);
  const auto z = operand(options, "z", {h.tokens, h.heads, h.dim}, 1);
  const auto weight = operand(options, "weight", {h.heads, h.dim}, 2);
  const bool before = options.choice("order", {"after", "before"}) == 1;
  tessera::GatedRmsNormArgs args;
  args.x = h.view(x.data()), args.z = h.view(z.data());
  args.weight = tessera::matrix(weight.data(), h.heads, h.dim);
  args.eps = static_cast<float>(options.number("eps", 1e-5));
  args.order = before ? tessera::GateOrder::before : tessera::GateOrder::after;
  return h.answer_with(
      options, "gated_rms_norm", args,
      []<class B>(tessera::Type<B>, const auto& a, auto range) {
        return tessera::gated_rms_norm<B>(a, range);
      },
      [&](std::size_t head, std::size_t at, reference::Expected& want) {
        reference::gated_rms_norm(x.data() + at, z.data() + at, weight.data() + head * h.dim, h.dim,
                                  args.eps, before, want);
      });
}

}  // namespace op

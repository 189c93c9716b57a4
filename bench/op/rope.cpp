// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tessera/rope.hpp"
#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/rope.hpp"

namespace op {
namespace {

struct Rotation {
  std::size_t heads;
  std::size_t tokens;
  std::size_t dim;
  std::size_t rotary;
  tessera::Pairing pairing;
  double base;
  std::vector<std::int32_t> positions;
  std::vector<float> x;

  template <class T>
  tessera::HeadView<T> view(T* data) const {
    const auto row = static_cast<std::ptrdiff_t>(dim);
    return {data, heads, tokens, dim, row * static_cast<std::ptrdiff_t>(tokens), row};
  }

  template <class B>
  Outcome run(const Cut& cut, bool check_only) const {
    Outcome out;
    std::vector<float> cosine(tokens * (rotary / 2));
    std::vector<float> sine(cosine.size());
    out.status =
        tessera::rope_table({positions, base, tessera::matrix(cosine.data(), tokens, rotary / 2),
                             tessera::matrix(sine.data(), tokens, rotary / 2)});
    if (out.status != tessera::Status::ok) return out;
    out.values = untouched_values(x.size());
    const tessera::RopeArgs<> args{view(x.data()), view(out.values.data()),
                                   tessera::matrix<const float>(cosine.data(), tokens, rotary / 2),
                                   tessera::matrix<const float>(sine.data(), tokens, rotary / 2),
                                   pairing};
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args),
                         [&](tessera::UnitRange range) { return tessera::rope<B>(args, range); });
    return out;
  }

  reference::Expected expected() const {
    reference::Expected want;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < tokens; ++t)
        reference::rope(x.data() + (h * tokens + t) * dim, dim, rotary,
                        pairing == tessera::Pairing::half, positions[t], base, want);
    return want;
  }
};

Rotation rotation_of(const Options& options) {
  Rotation r;
  r.heads = dimension(options, "heads", 1, "x", 0);
  r.tokens = dimension(options, "tokens", 1, "x", 1);
  r.dim = dimension(options, "dim", 128, "x", 2);
  r.rotary = options.size("rotary", r.dim / 2 * 2);
  if (r.rotary % 2 != 0)
    throw Refusal("--rotary " + std::to_string(r.rotary) + ": pairs need an even number");
  r.pairing = options.choice("pairing", {"interleaved", "half"}) == 0
                  ? tessera::Pairing::interleaved
                  : tessera::Pairing::half;
  r.base = options.number("base", 10000);
  const std::int64_t first = options.integer("position", 0);
  for (std::size_t t = 0; t < r.tokens; ++t) {
    const std::int64_t position = first + static_cast<std::int64_t>(t);
    if (position > tessera::rope_max_position || position < -tessera::rope_max_position)
      throw Refusal("--position " + std::to_string(position) + ": must be within +-" +
                    std::to_string(tessera::rope_max_position));
    r.positions.push_back(static_cast<std::int32_t>(position));
  }
  elements(elements(r.heads, r.tokens, "tokens"), r.dim, "dim");
  r.x = operand(options, "x", {r.heads, r.tokens, r.dim}, 0);
  return r;
}

}  // namespace

int run_rope(int argc, char** argv) {
  const Options options(argc, argv, "rope",
                        {"pairing", "dim", "rotary", "base", "position", "heads", "tokens", "x"});
  const Rotation r = rotation_of(options);
  const Cut cut = cut_of(options);
  Question q;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    q.instance = std::string("rope ") + B::name + " (" + B::vector_via + ")";
    q.atom = "vectors";
    q.outcome = r.run<B>(cut, options.flag("check-only"));
  });
  q.shape = std::to_string(r.heads) + "x" + std::to_string(r.tokens) + "x" + std::to_string(r.dim) +
            " rotary " + std::to_string(r.rotary);
  q.out_shape = {r.heads, r.tokens, r.dim};
  q.scalar = [&] { return r.run<tessera::backend::scalar>({}, false).values; };
  q.reference = [&] { return r.expected(); };
  return answer(options, q);
}

}  // namespace op

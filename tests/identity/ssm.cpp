// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The convolution of state-space layers.
#include <string>
#include <vector>

#include "tessera/ssm_conv.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/ssm_conv.hpp"

namespace identity {
namespace {

template <class B>
void add_ssm_conv_of(Run& run) {
  std::uint64_t seed = 8000;
  for (const ConvCase& c : conv_cases) {
    const std::string name = "ssm_conv " + std::to_string(c.channels) + " width " +
                             std::to_string(c.width) + " tokens " + std::to_string(c.tokens) +
                             (c.silu ? " silu" : "");
    const auto x = draw(c.tokens * c.channels, Fill::gaussian, seed++);
    const auto w = draw(c.width * c.channels, Fill::gaussian, seed++);
    const auto bias = draw(c.channels, Fill::gaussian, seed++);
    const auto before = draw((c.width - 1) * c.channels, Fill::gaussian, seed++);
    auto state = before;
    std::vector<float> y(c.tokens * c.channels);
    const tessera::Sequence sequence = {0, c.tokens, 0};
    tessera::SsmConvArgs args;
    args.x = tessera::time_major(x.data(), c.tokens, c.channels);
    args.weight = tessera::time_major(w.data(), c.width, c.channels);
    args.bias = bias.data();
    args.y = tessera::time_major(y.data(), c.tokens, c.channels);
    args.silu = c.silu;
    args.sequences = {&sequence, 1};
    args.states = {state.data(), 1, 0, static_cast<std::ptrdiff_t>(c.channels), 1};
    AlignedBytes scratch(tessera::workspace_size(args).scratch);
    args.workspace.scratch = scratch.span();
    must(tessera::ssm_conv<B>(args), name);
    y.insert(y.end(), state.begin(), state.end());
    run.add(name, y, [&] {
      auto rows = before;
      rows.insert(rows.end(), x.begin(), x.end());
      reference::Expected want;
      for (std::size_t t = 0; t < c.tokens; ++t)
        for (std::size_t j = 0; j < c.channels; ++j) {
          float in[9], taps[9];
          for (std::size_t k = 0; k < c.width; ++k)
            in[k] = rows[(t + k) * c.channels + j], taps[k] = w[k * c.channels + j];
          reference::ssm_conv(in, taps, c.width, bias[j], c.silu, want);
        }
      for (const float v : std::span(rows).last(state.size()))
        want.value.push_back(double{v}), want.limit.push_back(0);
      return want;
    });
  }
}

}  // namespace

void add_ssm(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) { add_ssm_conv_of<B>(run); });
}

}  // namespace identity

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Instantiates what a consumer would, with whatever flags it is compiled for, and hashes the results.
#include <cstddef>
#include <cstdint>

#include "tessera/tessera.hpp"

namespace {

using tessera::MatrixView;
using tessera::Status;

constexpr std::size_t rows = 5;
constexpr std::size_t cols = 96;
constexpr std::size_t heads = 2;
constexpr std::size_t head_dim = 16;

// FNV-1a over the bytes of what a kernel wrote and of the status it returned.
struct Digest {
  std::uint64_t value = 0xcbf29ce484222325u;

  void add(const void* data, std::size_t n) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < n; ++i) value = (value ^ bytes[i]) * 0x100000001b3u;
  }
  void add(Status status, const float* data, std::size_t n) {
    add(&status, sizeof status);
    add(data, n * sizeof(float));
  }
};

struct Buffers {
  alignas(64) float x[rows * cols];
  alignas(64) float w[cols * cols];
  alignas(64) float y[rows * cols];
  alignas(64) float state[rows * cols];
  alignas(64) std::byte packed[1 << 17];
  alignas(64) std::byte shared[1 << 17];
  alignas(64) std::byte scratch[1 << 19];
};
Buffers buffers;

void fill(float* data, std::size_t n, std::uint32_t seed) {
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-30f;
  }
}

template <class T>
MatrixView<T> view(T* data, std::size_t m, std::size_t n) {
  return {data, m, n, static_cast<std::ptrdiff_t>(n)};
}

template <class T>
tessera::HeadView<T> head_view(T* data) {
  return {data,
          heads,
          rows,
          head_dim,
          static_cast<std::ptrdiff_t>(rows * head_dim),
          static_cast<std::ptrdiff_t>(head_dim)};
}

tessera::Workspace workspace() {
  return {buffers.shared, buffers.scratch};
}

template <class B, class F>
void run_matmul(Digest& digest) {
  using T = tessera::tile_for<F, B>;
  const std::size_t size = tessera::packed_size<F, T>(cols, cols);
  const Status packing =
      tessera::pack_weights<F, T>(view<const float>(buffers.w, cols, cols), {buffers.packed, size});
  tessera::MatmulArgs<F, T> args;
  args.a = view<const float>(buffers.x, rows, cols);
  args.b = {{buffers.packed, size}, cols, cols};
  args.c = view(buffers.y, rows, cols);
  args.workspace = workspace();
  digest.add(packing, nullptr, 0);
  digest.add(tessera::matmul<B>(args), buffers.y, rows * cols);
}

template <class B, class F>
void run_experts(Digest& digest) {
  using T = tessera::tile_for<F, B>;
  const std::size_t size = tessera::packed_size<F, T>(cols, cols);
  const std::int32_t ids[rows] = {0, 0, 0, 0, 0};
  tessera::MatmulExpertsArgs<F, T> args;
  args.a = tessera::slot_view<const float>(buffers.x, rows, 1, cols);
  args.b = {{buffers.packed, size}, cols, cols};
  args.experts = 1;
  args.ids = tessera::slot_view(ids, rows, 1, 1);
  args.c = tessera::slot_view(buffers.y, rows, 1, cols);
  args.workspace = workspace();
  digest.add(tessera::matmul_experts<B>(args), buffers.y, rows * cols);
}

template <class B>
void run_rows(Digest& digest) {
  const auto x = view<const float>(buffers.x, rows, cols);
  const auto y = view(buffers.y, rows, cols);
  digest.add(tessera::softmax<B>({.x = x, .y = y}), buffers.y, rows * cols);
  digest.add(tessera::rms_norm<B>({.x = x, .weight = buffers.w, .y = y}), buffers.y, rows * cols);
  digest.add(tessera::swiglu<B>({.gate = x, .up = x, .y = y}), buffers.y, rows * cols);
  digest.add(tessera::softplus<B>({.x = x, .y = y}), buffers.y, rows * cols);
  digest.add(tessera::sigmoid<B>({.x = x, .y = y}), buffers.y, rows * cols);
  digest.add(tessera::silu<B>({.x = x, .y = y}), buffers.y, rows * cols);
}

template <class B>
void run_heads(Digest& digest) {
  constexpr std::size_t pairs = head_dim / 2;
  constexpr std::size_t n = heads * rows * head_dim;
  const std::int32_t positions[rows] = {0, 1, 2, 1000, 70000};
  const auto cosine = view(buffers.w, rows, pairs);
  const auto sine = view(buffers.w + rows * pairs, rows, pairs);
  digest.add(tessera::rope_table({.positions = positions, .cosine = cosine, .sine = sine}),
             buffers.w, 2 * rows * pairs);
  const auto x = head_view<const float>(buffers.x);
  const auto y = head_view(buffers.y);
  digest.add(tessera::rope<B>({.x = x,
                               .y = y,
                               .cosine = view<const float>(cosine.data, rows, pairs),
                               .sine = view<const float>(sine.data, rows, pairs),
                               .pairing = tessera::Pairing::interleaved}),
             buffers.y, n);
  tessera::AttentionArgs args;
  args.q = args.k = args.v = x;
  args.out = y;
  args.causal = true;
  args.workspace = workspace();
  digest.add(tessera::attention<B>(args), buffers.y, n);
}

/// Kernels with a state, over one row of each: what they have in common.
template <class Args>
Args& carried(Args& args) {
  static constexpr tessera::Sequence all = {0, rows, 0};
  static constexpr tessera::Sequence last = {rows - 1, 1, 0};
  const bool step = requires { args.conv_states; };
  args.sequences = {step ? &last : &all, 1};
  args.workspace = workspace();
  fill(buffers.state, rows * cols, 3);
  if constexpr (requires { args.states.order; }) args.states = {buffers.state + cols, 1, 0};
  if constexpr (requires { args.conv_states; })
    args.conv_states = {buffers.state, 1, 0, 3 * head_dim, 1};
  return args;
}

template <class B>
void run_recurrent(Digest& digest) {
  const auto add = [&](Status s) {
    digest.add(s, buffers.y, rows * head_dim);
    digest.add(s, buffers.state, rows * cols);
  };
  const tessera::HeadView<const float> x = {buffers.x, 1, rows, head_dim, 0, cols};
  const tessera::HeadView<float> y = {buffers.y, 1, rows, head_dim, 0, head_dim};
  const auto taps = tessera::time_major<const float>(buffers.w, 2, 3 * head_dim);
  const tessera::ChannelView<const float> channels = {buffers.x, rows, 3 * head_dim, cols, 1};
  const tessera::ChannelView<const float> one = {buffers.w, rows, 1, 1, 1};
  add(tessera::l2_norm<B>({.x = x, .y = y}));
  add(tessera::gated_rms_norm<B>({.x = x, .z = x, .y = y}));
  tessera::SsmConvArgs conv;
  conv.x = {buffers.x, rows, head_dim, cols, 1}, conv.y = {buffers.y, rows, head_dim, head_dim, 1};
  conv.weight = tessera::time_major<const float>(buffers.w, 4, head_dim), conv.silu = true;
  conv.states = {buffers.state, 1, 0, head_dim, 1};
  add(tessera::ssm_conv<B>(carried(conv)));
  tessera::SsmScanArgs scan;
  scan.x = scan.b = scan.c = scan.z = x, scan.y = y, scan.dt = one;
  scan.a = tessera::time_major<const float>(buffers.w, 1, 1);
  for (const auto algorithm :
       {tessera::ScanAlgorithm::sequential, tessera::ScanAlgorithm::chunked}) {
    scan.algorithm = algorithm;
    add(tessera::ssm_scan<B>(carried(scan)));
  }
  tessera::GatedDeltaNetArgs delta = {tessera::HeadMap::modulo()};
  delta.q = delta.k = delta.v = x, delta.out = y, delta.beta = one;
  add(tessera::gated_delta_net<B>(carried(delta)));
  tessera::Rwkv7Args rwkv;
  rwkv.receptance = rwkv.k = rwkv.v = rwkv.decay = rwkv.a = rwkv.b = x, rwkv.out = y;
  add(tessera::rwkv7<B>(carried(rwkv)));
  tessera::Mamba2StepArgs mamba2;
  mamba2.state_size = head_dim, mamba2.xbc = channels, mamba2.weight = taps, mamba2.dt = one;
  mamba2.a = tessera::time_major<const float>(buffers.w, 1, 1), mamba2.y = y;
  add(tessera::mamba2_step<B>(carried(mamba2)));
  tessera::GatedDeltaNetStepArgs step = {tessera::HeadMap::modulo()};
  step.key_heads = 1, step.key_size = head_dim, step.qkv = channels, step.weight = taps;
  step.beta = one, step.out = y;
  add(tessera::gated_delta_net_step<B>(carried(step)));
}

template <class B>
void run_backend(Digest& digest) {
  fill(buffers.x, rows * cols, 1);
  fill(buffers.w, cols * cols, 2);
  run_matmul<B, tessera::format::f32>(digest);
  run_matmul<B, tessera::format::q8_0>(digest);
  run_experts<B, tessera::format::q8_0>(digest);
  run_rows<B>(digest);
  run_heads<B>(digest);
  run_recurrent<B>(digest);
}

}  // namespace

std::uint64_t TESSERA_MIXED_ENTRY() {
  Digest digest;
  run_backend<tessera::backend::scalar>(digest);
  run_backend<tessera::default_backend>(digest);
  return digest.value;
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A thread that rounds otherwise or flushes subnormals is refused by every kernel, where the checks are
// compiled in (here they always are: another inline namespace than the other sources').
#define TESSERA_CHECK_CONTROL 1
#undef TESSERA_EXTERN_KERNELS
#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "tessera/tessera.hpp"
#include "tests/support/guarded.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera_test {
namespace {

using tessera::Status;
using Scalar = tessera::backend::scalar;

template <class T>
tessera::HeadView<T> row_view(T* data) {
  return {data, 1, 1, 4, 4, 4};
}

/// The Status of every kernel, on one row; `y` is the output of all.
struct AllKernels {
  using F = tessera::format::q8_0;
  using T = tessera::tile::scalar;
  std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> w = {5, 6, 7, 8};
  GuardedBuffer<float> y{4};
  GuardedBuffer<float> z{2};
  GuardedBuffer<std::byte> image{tessera::packed_size<F, T>(4, 4)};
  GuardedBuffer<std::byte> shared{4096};
  GuardedBuffer<std::byte> scratch{1 << 18};
  GuardedBuffer<float> state{16};
  GuardedBuffer<float> conv_state{12};
  std::vector<float> weights = std::vector<float>(24, 1.0f);
  std::int32_t position = 3;
  std::int32_t expert = 0;
  tessera::Sequence sequence = {0, 1, 0};

  AllKernels() {
    EXPECT_EQ((tessera::pack_weights<F, T>(tessera::matrix<const float>(weights.data(), 4, 4),
                                           image.span())),
              Status::ok);
  }
  std::vector<Status> run() {
    const auto in = tessera::matrix<const float>(x.data(), 1, 4);
    const auto other = tessera::matrix<const float>(w.data(), 1, 4);
    const auto half = tessera::matrix<const float>(w.data(), 1, 2);
    const auto out = tessera::matrix(y.data(), 1, 4);
    const tessera::Workspace workspace{shared.span(), scratch.span()};
    std::vector<Status> all = {
        tessera::matmul<Scalar, F, T>({in, {image.span(), 4, 4}, out, workspace}),
        tessera::matmul_experts<Scalar, F, T>(
            {tessera::slot_view<const float>(x.data(), 1, 1, 4),
             {image.span(), 4, 4},
             1,
             tessera::slot_view<const std::int32_t>(&expert, 1, 1, 1),
             tessera::slot_view(y.data(), 1, 1, 4),
             workspace}),
        tessera::quantize_rows<Scalar>(tessera::QuantizeRowsArgs<>{in, shared.span()}),
        tessera::rms_norm<Scalar>(tessera::RmsNormArgs{in, w.data(), out, 1e-5f}),
        tessera::softmax<Scalar>(tessera::SoftmaxArgs{in, out, 1.0f}),
        tessera::swiglu<Scalar>({in, other, out}),
        tessera::softplus<Scalar>({in, out}),
        tessera::sigmoid<Scalar>({in, out}),
        tessera::silu<Scalar>({in, out}),
        tessera::l2_norm<Scalar>({row_view<const float>(x.data()), row_view(y.data())}),
        tessera::gated_rms_norm<Scalar>({row_view<const float>(x.data()),
                                         row_view<const float>(w.data()),
                                         {},
                                         row_view(y.data())}),
        tessera::hadamard<Scalar>(
            {row_view<const float>(x.data()), row_view(y.data()), 0, workspace}),
        tessera::rope<Scalar>({row_view<const float>(x.data()), row_view(y.data()), half, half,
                               tessera::Pairing::half}),
        tessera::rope_table({{&position, 1},
                             1e4,
                             tessera::matrix(y.data(), 1, 2),
                             tessera::matrix(z.data(), 1, 2)}),
        tessera::attention<Scalar>(
            {row_view<const float>(x.data()), row_view<const float>(w.data()),
             row_view<const float>(w.data()), row_view(y.data()), 1.0f, false, 0, workspace}),
    };
    run_recurrent(all);
    return all;
  }
  /// What all recurrent kernels' arguments have.
  template <class Args>
  Args& carried(Args& args) {
    args.sequences = {&sequence, 1};
    args.workspace = {shared.span(), scratch.span()};
    if constexpr (requires { args.states.order; }) args.states = {state.data(), 1, 0};
    if constexpr (requires { args.conv_states; })
      args.conv_states = {conv_state.data(), 1, 0, 12, 1};
    if constexpr (requires { args.weight; })
      args.weight = tessera::time_major<const float>(weights.data(), 2, 12);
    return args;
  }
  void run_recurrent(std::vector<Status>& all) {
    const auto row = row_view<const float>(x.data());
    const auto one = tessera::time_major<const float>(w.data(), 1, 1);
    const auto channels = tessera::time_major<const float>(weights.data(), 1, 12);
    tessera::SsmConvArgs conv;
    conv.x = tessera::time_major<const float>(x.data(), 1, 4);
    conv.y = tessera::time_major(y.data(), 1, 4), conv.states = {conv_state.data(), 1, 0, 4, 1};
    carried(conv).weight = tessera::time_major<const float>(weights.data(), 2, 4);
    all.push_back(tessera::ssm_conv<Scalar>(conv));
    tessera::SsmScanArgs scan;
    scan.x = scan.b = scan.c = row, scan.y = row_view(y.data()), scan.dt = scan.a = one;
    for (const auto algorithm :
         {tessera::ScanAlgorithm::sequential, tessera::ScanAlgorithm::chunked}) {
      scan.algorithm = algorithm;
      all.push_back(tessera::ssm_scan<Scalar>(carried(scan)));
    }
    tessera::GatedDeltaNetArgs delta = {tessera::HeadMap::modulo()};
    delta.q = delta.k = delta.v = row, delta.out = row_view(y.data()), delta.beta = one;
    all.push_back(tessera::gated_delta_net<Scalar>(carried(delta)));
    tessera::GatedLinearAttentionArgs linear;
    linear.q = linear.k = linear.v = linear.gate = row, linear.out = row_view(y.data());
    all.push_back(tessera::gated_linear_attention<Scalar>(carried(linear)));
    tessera::Rwkv6Args rwkv6;
    rwkv6.receptance = rwkv6.k = rwkv6.v = rwkv6.decay = row, rwkv6.out = row_view(y.data());
    rwkv6.bonus = tessera::matrix<const float>(w.data(), 1, 4);
    all.push_back(tessera::rwkv6<Scalar>(carried(rwkv6)));
    tessera::Rwkv7Args rwkv7;
    rwkv7.receptance = rwkv7.k = rwkv7.v = rwkv7.decay = rwkv7.a = rwkv7.b = row;
    rwkv7.out = row_view(y.data());
    all.push_back(tessera::rwkv7<Scalar>(carried(rwkv7)));
    tessera::Mamba2StepArgs mamba2;
    mamba2.state_size = 4, mamba2.xbc = channels, mamba2.dt = mamba2.a = one;
    mamba2.y = row_view(y.data());
    all.push_back(tessera::mamba2_step<Scalar>(carried(mamba2)));
    tessera::GatedDeltaNetStepArgs step = {tessera::HeadMap::modulo()};
    step.key_heads = 1, step.key_size = 4, step.qkv = channels, step.beta = one;
    step.out = row_view(y.data());
    all.push_back(tessera::gated_delta_net_step<Scalar>(carried(step)));
  }
  void expect_refused() {
    y.poison();
    z.poison();
    shared.poison();
    scratch.poison();
    state.poison();
    conv_state.poison();
    for (const Status s : run()) EXPECT_EQ(s, Status::control_register);
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(z.untouched());
    EXPECT_TRUE(shared.untouched());
    EXPECT_TRUE(scratch.untouched());
    EXPECT_TRUE(state.untouched());
    EXPECT_TRUE(conv_state.untouched());
  }
};

TEST(Control, RoundingMode) {
  AllKernels kernels;
  for (const Status s : kernels.run()) EXPECT_EQ(s, Status::ok);
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    kernels.expect_refused();
    std::fesetround(FE_TONEAREST);
  }
  for (const Status s : kernels.run()) EXPECT_EQ(s, Status::ok);
}

#if defined(__x86_64__)
TEST(Control, FlushedSubnormals) {
  AllKernels kernels;
  const unsigned before = _mm_getcsr();
  for (const unsigned bit : {0x8000u, 0x0040u}) {  // results, operands
    _mm_setcsr(before | bit);
    kernels.expect_refused();
    _mm_setcsr(before);
  }
  for (const Status s : kernels.run()) EXPECT_EQ(s, Status::ok);
}
#endif

}  // namespace
}  // namespace tessera_test

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Gated linear attention, RWKV-6 and RWKV-7 on every backend; head sizes below the vectors' length too.
#include "tessera/linear_attention.hpp"

#include "tests/kernels/recurrence_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class LinearAttention : public OnBackend<B> {};
TYPED_TEST_SUITE(LinearAttention, FloatBackends, BackendName);

TYPED_TEST(LinearAttention, EveryShape) {
  for (const auto rule : {Recurring::linear, Recurring::rwkv6, Recurring::rwkv7})
    for (const std::size_t dim : {1, 4, 7, 16, 64, 67})
      expect_right<TypeParam>({rule, 2, 2, dim, dim + dim / 16, dim == 16 ? 20u : 4u});
}

TYPED_TEST(LinearAttention, SequencesAndSnapshots) {
  for (const auto rule : {Recurring::linear, Recurring::rwkv6, Recurring::rwkv7})
    expect_sequences_apart<TypeParam>({rule, 2, 2, 5, 6, 21});
}

/// The operands that only these kernels have; the rest is one text for all recurrences.
TYPED_TEST(LinearAttention, Refused) {
  const auto refused = [](Recurring rule, Status want, auto spoil) {
    Recurring1 p({rule, 2, 2, 5, 6, 3});
    p.with_kernel<TypeParam>([&](auto args, auto kernel) {
      GuardedWorkspace workspace(tessera::workspace_size(args));
      args.workspace = workspace.get();
      spoil(args);
      EXPECT_EQ(tessera::check<TypeParam>(args), want);
      EXPECT_EQ(kernel(args, tessera::UnitRange{0, 2}), want);
      EXPECT_TRUE(p.out.untouched());
      EXPECT_TRUE(workspace.untouched());
    });
  };
  for (const auto rule : {Recurring::linear, Recurring::rwkv6, Recurring::rwkv7}) {
    refused(rule, Status::null_pointer, [](auto& a) { a.k.data = nullptr; });
    refused(rule, Status::shape_mismatch, [](auto& a) { a.k.heads = 1; });
    refused(rule, Status::overlap, [](auto& a) { a.states.data = a.out.data; });
  }
  refused(Recurring::linear, Status::shape_mismatch, [](auto& a) {
    if constexpr (requires { a.gate; }) a.gate.dim = 1;
  });
  refused(Recurring::rwkv6, Status::shape_mismatch, [](auto& a) {
    if constexpr (requires { a.bonus; }) a.bonus.cols = 4;
  });
  refused(Recurring::rwkv6, Status::null_pointer, [](auto& a) {
    if constexpr (requires { a.bonus; }) a.bonus.data = nullptr;
  });
  refused(Recurring::rwkv7, Status::null_pointer, [](auto& a) {
    if constexpr (requires { a.b; }) a.a.data = nullptr;
  });
  refused(Recurring::rwkv7, Status::overlap, [](auto& a) {
    if constexpr (requires { a.b; }) a.b.data = a.out.data;
  });
}

}  // namespace
}  // namespace tessera_test

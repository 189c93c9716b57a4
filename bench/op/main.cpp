// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// tessera-op: any kernel once, on a seeded problem or on .npy files, on any backend built in.
#include <cstdio>
#include <new>
#include <string>

#include "bench/op/backends.hpp"
#include "bench/op/formats.hpp"
#include "bench/op/replay.hpp"
#include "bench/op/run.hpp"
#include "tests/support/host_cpu.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace op {
namespace {

struct Kernel {
  const char* name;
  const char* fields;
  int (*run)(int, char**);
};

constexpr Kernel kernels[] = {
    {"matmul", "--format F --m M --n N --k K [--layout TILE] [--a A.npy] [--b B.npy]", run_matmul},
    {"matmul_experts",
     "--format F --experts E --used U [--slots S] --tokens T --n N --k K [--id I] [--a A.npy] "
     "[--b B.npy]",
     run_matmul_experts},
    {"rms_norm", "--rows R --cols C [--eps E] [--x X.npy] [--weight W.npy]", run_rms_norm},
    {"softmax", "--rows R --cols C [--scale S] [--x X.npy]", run_softmax},
    {"rope",
     "--pairing interleaved|half --dim D [--rotary R] [--base B] [--position P] [--heads H] "
     "[--tokens T] [--x X.npy]",
     run_rope},
    {"attention",
     "--dim D [--dim-v V] --heads H [--kv-heads G] --queries Q --keys K [--causal yes|no] "
     "[--offset O] [--scale S] [--q Q.npy] [--k FORMAT|K.npy] [--v FORMAT|V.npy] "
     "[--cache rows|tiles]",
     run_attention},
    {"ssm_conv", "--width W --channels C --tokens T [--silu yes|no] [--x X.npy]", run_ssm_conv},
    {"ssm_scan",
     "--state N --head-dim P --heads H [--groups G] --tokens T [--rates head|state] "
     "[--softplus yes|no] [--algorithm sequential|chunked]",
     run_ssm_scan},
    {"gated_delta_net",
     "--dim S [--dim-v V] --heads H [--key-heads K] --tokens T [--map modulo|blocks] "
     "[--gates head|key] [--algorithm sequential|chunked]",
     run_gated_delta_net},
    {"gated_linear_attention", "--dim S [--dim-v V] --heads H --tokens T",
     run_gated_linear_attention},
    {"rwkv6", "--dim S [--dim-v V] --heads H --tokens T", run_rwkv6},
    {"rwkv7", "--dim S [--dim-v V] --heads H --tokens T", run_rwkv7},
    {"swiglu", "--rows R --cols C [--gate G.npy] [--up U.npy]", run_swiglu},
    {"softplus", "--rows R --cols C [--x X.npy]", run_softplus},
    {"sigmoid", "--rows R --cols C [--x X.npy]", run_sigmoid},
    {"silu", "--rows R --cols C [--x X.npy]", run_silu},
    {"l2_norm", "--dim D --heads H --tokens T [--eps E] [--x X.npy]", run_l2_norm},
    {"gated_rms_norm",
     "--dim D --heads H --tokens T [--eps E] [--order after|before] [--x X.npy] [--z Z.npy] "
     "[--weight W.npy]",
     run_gated_rms_norm},
    {"mamba2_step", "--state N --head-dim P --heads H [--groups G] [--width W] [--softplus yes|no]",
     run_mamba2_step},
    {"gated_delta_net_step",
     "--dim S [--dim-v V] --heads H [--key-heads K] [--width W] [--map modulo|blocks]",
     run_gated_delta_net_step},
};

int usage() {
  std::fprintf(
      stderr,
      "usage: tessera-op list | formats | --in FOLDER | KERNEL --FIELD VALUE ...\n"
      "all kernels: [--backend B] [--units A:B | --split N] [--reference] [--check-only]\n"
      "             [--seed N] [--case gaussian|one-hot|extreme] [--out Y.npy] [--json]\n");
  for (const Kernel& k : kernels) std::fprintf(stderr, "%s %s\n", k.name, k.fields);
  return refused;
}

int list() {
  for (const Kernel& k : kernels) std::printf("kernel %s %s\n", k.name, k.fields);
  Backends::for_each([]<class B>(tessera::Type<B>) {
    std::printf("backend %s int8 %s (%s) float %s (%s) vectors (%s) %s\n", B::name,
                B::DotAtom::name, B::dot_via, B::FloatAtom::name, B::float_via, B::vector_via,
                B::check() == tessera::Status::ok ? "runs here" : tessera::message(B::check()));
  });
  std::printf("isa %s\n", TESSERA_ISA_STRING);
  return good;
}

int dispatch(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "list" && argc == 2) return list();
  if (word == "formats" && argc == 2) return print_formats();
  if (word == "--in") return run_replay(argc, argv);
  for (const Kernel& k : kernels)
    if (word == k.name) return k.run(argc, argv);
  if (argc > 1) std::fprintf(stderr, "tessera-op: no kernel called '%s'\n", argv[1]);
  return usage();
}

}  // namespace
}  // namespace op

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::fprintf(stderr, "tessera-op: this CPU has no %s\n", missing);
    return 77;
  }
#if TESSERA_WITH_TRAP
  tessera_trap_install();
#endif
  try {
    return op::dispatch(argc, argv);
  } catch (const op::Refusal& refusal) {
    std::fprintf(stderr, "tessera-op: %s\n", refusal.what());
    std::printf("refused %s\n", refusal.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "tessera-op: not enough memory for the operands\n");
    std::printf("refused not enough memory for the operands\n");
  }
  return op::refused;
}

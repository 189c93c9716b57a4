// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// main.cpp FILE: compares what the C interface gives, called from C99 and natively from C++11 and C++17 too, with the
// digests in FILE, which the C++ interface has written (expected.cpp).
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/backend/core.hpp"
#include "tessera/tessera.h"
#include "tessera/tessera.hpp"
#include "tests/c_interface/calls.h"

namespace {

// Cores by their numbers, and what they are good for.
constexpr bool is_named(std::uint64_t marchid, std::size_t vlenb, std::string_view core,
                        std::string_view backend, std::uint64_t mvendorid = 0x710) {
  tessera::CoreFacts f;
  f.vlenb = vlenb, f.mvendorid = mvendorid, f.marchid = marchid;
  tessera::detail::name_core(f);
  return f.core == core && f.backend == backend;
}
static_assert(is_named(0x8000000041000002, 128, "a100", "ime2"));
static_assert(is_named(0x8000000041000002, 32, "a100", "rvv"));
static_assert(is_named(0x8000000058000002, 32, "x100", "ime1"));
static_assert(is_named(0x8000000041000001, 32, "a60", "ime1"));
static_assert(is_named(0x8000000058000001, 32, "x60", "rvv"));
static_assert(is_named(0x8000000058000002, 32, "rvv", "rvv", 0x711));
static_assert(is_named(0x8000000058000002, 0, "none", "scalar"));

// Where a default is not zero it is that of the C++ interface.
bool defaults_agree() {
  using namespace tessera;
  const AttentionArgs<> attention = {};
  const tsr_attention_args a = tsr_attention_init();
  const RopeTableArgs rope = {};
  const tsr_rope_table_args t = tsr_rope_table_init();
  const SsmScanArgs scan = {};
  const tsr_ssm_scan_args n = tsr_ssm_scan_init();
  const Mamba2StepArgs mamba = {};
  const tsr_mamba2_step_args m = tsr_mamba2_step_init();
  const GatedDeltaNetStepArgs delta = {.head_map = HeadMap::modulo()};
  const tsr_gated_delta_net_step_args d = tsr_gated_delta_net_step_init();
  const tsr_batches batches = tsr_matmul_init().batches;
  return a.scale == attention.scale && a.before == attention.before && a.after == attention.after &&
         a.mask.heads == attention.mask.heads && a.mask.sequences == attention.mask.sequences &&
         a.sequences.count == attention.sequences.count &&
         tsr_scores_init().scale == ScoresArgs<>{}.scale && t.base == rope.base &&
         t.scaling.frequency_scale == rope.scaling.frequency_scale &&
         t.scaling.attention_factor == rope.scaling.attention_factor &&
         t.scaling.beta_fast == rope.scaling.beta_fast &&
         t.scaling.beta_slow == rope.scaling.beta_slow &&
         tsr_softmax_init().scale == SoftmaxArgs{}.scale &&
         tsr_rms_norm_init().eps == RmsNormArgs{}.eps &&
         tsr_l2_norm_init().eps == L2NormArgs{}.eps &&
         tsr_gated_rms_norm_init().eps == GatedRmsNormArgs{}.eps &&
         tsr_ssm_conv_init().states.channel_stride == ConvStates{}.channel_stride &&
         tsr_ssm_conv_init().snapshots.channel_stride == ConvSnapshots{}.channel_stride &&
         (n.softplus != 0) == scan.softplus && n.dt_min == scan.dt_min && n.dt_max == scan.dt_max &&
         m.groups == mamba.groups && (m.softplus != 0) == mamba.softplus &&
         m.dt_max == mamba.dt_max &&
         m.conv_states.channel_stride == mamba.conv_states.channel_stride && d.eps == delta.eps &&
         d.scale == delta.scale &&
         d.conv_states.channel_stride == delta.conv_states.channel_stride &&
         tsr_gated_delta_net_init().scale ==
             GatedDeltaNetArgs{.head_map = HeadMap::modulo()}.scale &&
         tsr_gated_linear_attention_init().scale == GatedLinearAttentionArgs{}.scale &&
         batches.outer == Batches{}.outer && batches.inner == Batches{}.inner &&
         batches.outer_weights == Batches{}.outer_weights &&
         batches.inner_weights == Batches{}.inner_weights;
}

struct Line {
  std::string name;
  std::uint64_t hash;
};
std::vector<Line> lines;

void record(const char* name, std::uint64_t hash) {
  lines.push_back({name, hash});
}

std::vector<Line> read(const char* path) {
  std::vector<Line> all;
  char name[100];
  std::uint64_t hash = 0;
  if (std::FILE* file = std::fopen(path, "r")) {
    while (std::fscanf(file, "%" SCNx64 " %99[^\n]", &hash, name) == 2) all.push_back({name, hash});
    std::fclose(file);
  }
  return all;
}

int compare(const char* who, const std::vector<Line>& want) {
  int differences = want.empty() || lines.size() != want.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < want.size() && lines[i].name == want[i].name && lines[i].hash == want[i].hash) continue;
    if (++differences <= 5)
      std::printf("%s: result %zu, %s, is %016" PRIx64 "\n", who, i, lines[i].name.c_str(),
                  lines[i].hash);
  }
  std::printf("%s: %zu results, %d differ from the file\n", who, lines.size(), differences);
  return differences;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<Line> want = read(argv[1]);
  int failures = defaults_agree() ? 0 : 1;
  if (failures != 0) std::printf("a default differs from the C++ interface's\n");
  struct {
    const char* name;
    int (*calls)(call_record);
  } const languages[] = {
      {"C99", calls_c99},
#ifdef TESSERA_NATIVE
      {"C++11", calls_cxx11},
      {"C++17", calls_cxx17},
#endif
  };
  for (const auto& language : languages) {
    lines.clear();
    const int wrong = language.calls(record);
    failures += wrong + compare(language.name, want);
    if (wrong != 0) std::printf("%s: %d wrong statuses\n", language.name, wrong);
  }
  return failures == 0 ? 0 : 1;
}

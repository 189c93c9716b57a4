// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What all kernels of the program share: inputs, workspaces, splitting, and the judgement.
#ifndef TESSERA_BENCH_OP_RUN_HPP_
#define TESSERA_BENCH_OP_RUN_HPP_

#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "bench/op/npy.hpp"
#include "bench/op/options.hpp"
#include "bench/op/report.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tests/reference/expected.hpp"

namespace op {

/// Memory aligned as workspaces and packed weights must be.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size)
      : size_(size),
        data_(static_cast<std::byte*>(::operator new(size + 1, std::align_val_t{64}))) {}
  ~AlignedBytes() { ::operator delete(data_, std::align_val_t{64}); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  std::span<std::byte> span() { return {data_, size_}; }

 private:
  std::size_t size_;
  std::byte* data_;
};

/// An operand: from the .npy file that `--field` names, else drawn by --case and --seed. A file must
/// have exactly `shape`.
std::vector<float> operand(const Options& options, const std::string& field,
                           const std::vector<std::size_t>& shape, std::uint64_t stream);
/// The size that a file gives to a dimension, or `--name`.
std::size_t dimension(const Options& options, const std::string& name, std::size_t otherwise,
                      const std::string& file_field, std::size_t axis, std::size_t least = 1);
/// Does the field name a file?
bool names_file(const Options& options, const std::string& field);

/// How a caller asks for the work.
struct Cut {
  bool given = false;  ///< --units
  Range units = {0, 0};
  std::size_t split = 1;
};
Cut cut_of(const Options& options);

/// All `count` units in the slices of `cut`, the last first; or only the range asked for. `run(range)`
/// is the kernel.
template <class Run>
tessera::Status run_cut(const Cut& cut, std::size_t count, Run&& run) {
  if (cut.given) return run(tessera::UnitRange{cut.units.begin, cut.units.end});
  for (std::size_t i = cut.split; i-- > 0;)
    if (const auto s = run(tessera::Slice{i, cut.split}.of(count)); s != tessera::Status::ok)
      return s;
  return tessera::Status::ok;
}

/// An output that no kernel has written.
std::vector<float> untouched_values(std::size_t count);

/// One backend's answer.
struct Outcome {
  tessera::Status status = tessera::Status::ok;
  tessera::WorkspaceSize workspace = {};
  std::size_t packed = 0;
  std::vector<float> values = {};
};

/// check, then the phases; a range of units means those of the last one, the others run whole before it. The
/// kernel's functions are found by its arguments.
template <class B, class Args, class Phase>
tessera::Status run_phases(const Args& args, const Cut& asked, bool check_only, Phase&& phase) {
  tessera::Status status = check<B>(args);
  const std::size_t count = phases<B>(args);
  for (std::size_t p = 0; p < count && !check_only && status == tessera::Status::ok; ++p) {
    Cut cut = asked;
    cut.given = cut.given && p + 1 == count;
    status =
        run_cut(cut, units<B>(args, p), [&](tessera::UnitRange range) { return phase(p, range); });
  }
  return status;
}

/// What is asked of a kernel.
struct Question {
  std::string instance;  ///< kernel, backend, format, tile, and how it runs
  std::string shape = {};
  std::string atom;  ///< name of the innermost operation
  std::size_t macs = 0;
  std::string decodes = "n/a";  ///< blocks of a storage format that were decoded
  std::vector<std::size_t> out_shape;
  Outcome outcome;                             ///< on the backend asked for
  std::function<std::vector<float>()> scalar;  ///< the definition, whole
  std::function<reference::Expected()> reference;
};

/// Judges and prints; returns the exit code.
int answer(const Options& options, Question question);

int run_matmul(int argc, char** argv);
int run_matmul_experts(int argc, char** argv);
int run_rms_norm(int argc, char** argv);
int run_softmax(int argc, char** argv);
int run_swiglu(int argc, char** argv);
int run_rope(int argc, char** argv);
int run_attention(int argc, char** argv);
int run_ssm_conv(int argc, char** argv);
int run_ssm_scan(int argc, char** argv);
int run_gated_delta_net(int argc, char** argv);
int run_gated_linear_attention(int argc, char** argv);
int run_rwkv6(int argc, char** argv);
int run_rwkv7(int argc, char** argv);
int run_softplus(int argc, char** argv);
int run_sigmoid(int argc, char** argv);
int run_silu(int argc, char** argv);
int run_l2_norm(int argc, char** argv);
int run_gated_rms_norm(int argc, char** argv);
int run_mamba2_step(int argc, char** argv);
int run_gated_delta_net_step(int argc, char** argv);

}  // namespace op

#endif  // TESSERA_BENCH_OP_RUN_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The arguments of the selective state-space scan.
#ifndef TESSERA_KERNELS_SSM_SCAN_ARGUMENTS_HPP_
#define TESSERA_KERNELS_SSM_SCAN_ARGUMENTS_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/states.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/row_panels.hpp"

TESSERA_NAMESPACE_BEGIN

/// How a scan is computed; the two differ by roundings.
enum class ScanAlgorithm : unsigned char {
  sequential,  ///< token by token
  chunked,  ///< in chunks of scan_chunk tokens from the first of each call on, as matrix products
};

/// Tokens of a chunk; part of the definition of the chunked result.
inline constexpr std::size_t scan_chunk = 48;

/// H heads of P channels, N states per channel, G groups of heads that share b and c: head h belongs to
/// group h / (H / G). Mamba-1 is P = 1, a head per channel, N rows of `a`.
///
/// A state in StateOrder::outputs is N x (H * P): element (n, h * P + p). In StateOrder::reduction it is
/// (H * P) x N. All sequences' tokens lie in the same tensors; tokens of no sequence are left alone.
struct SsmScanArgs {
  HeadView<const float> x;      ///< H x T x P
  ChannelView<const float> dt;  ///< T x H
  ChannelView<const float>
      a;                     ///< 1 x H, or N x H (its `tokens` are the states); negative as a rule
  HeadView<const float> b;   ///< G x T x N
  HeadView<const float> c;   ///< G x T x N
  const float* d = nullptr;  ///< H, or null: y += d * x
  HeadView<const float> z = {};  ///< H x T x P, or no data: y *= silu(z)
  HeadView<float> y;             ///< H x T x P
  bool softplus = true;          ///< is dt still to pass through softplus?
  Parameter<float, internal::parameter_bits(0.0f)> dt_min = {};  ///< the step's limits
  Parameter<float, internal::parameter_bits(__builtin_inff())> dt_max = {};
  ScanAlgorithm algorithm = ScanAlgorithm::sequential;
  std::span<const Sequence> sequences = {};
  States states;
  Snapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

namespace internal {

/// Columns (h * P + p) of a unit.
inline constexpr std::size_t scan_columns = 256;
/// Tokens whose steps, inputs and outputs are kept in scratch at a time.
inline constexpr std::size_t scan_tokens = 32;
/// Tokens of a call up to which a state is left where it lies and walked row by row.
inline constexpr std::size_t scan_row_tokens = 2;

/// Scratch, in floats: a state, the rates `a` and the decays of one token, and the rows of a run of
/// tokens, each `columns` wide.
struct ScanScratch {
  std::size_t states;   ///< N
  std::size_t columns;  ///< at most scan_columns
  bool per_state;       ///< N rows of `a`

  TESSERA_INLINE std::size_t rates() const noexcept { return states * columns; }
  TESSERA_INLINE std::size_t decays() const noexcept {
    return rates() + (per_state ? states * columns : 0);
  }
  TESSERA_INLINE std::size_t steps() const noexcept {
    return decays() + (per_state ? states * columns : 0);
  }
  TESSERA_INLINE std::size_t inputs() const noexcept { return steps() + scan_tokens * columns; }
  TESSERA_INLINE std::size_t outputs() const noexcept { return inputs() + scan_tokens * columns; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return round_up((outputs() + scan_tokens * columns) * sizeof(float), workspace_alignment);
  }
};

[[nodiscard]] TESSERA_INLINE ScanScratch scan_scratch(const SsmScanArgs& args) noexcept {
  const std::size_t columns = args.x.heads * args.x.dim;
  return {args.b.dim, columns < scan_columns ? columns : scan_columns, args.a.tokens > 1};
}

/// Scratch of the chunked form, in floats: keys transposed, their products, weights, both combined, the
/// steps, logarithms and sums of one head, rows of b and c, a chunk's inputs, a row of nothing, a state.
struct ChunkScratch {
  std::size_t state_count;  ///< N
  std::size_t columns;      ///< at most scan_columns

  TESSERA_INLINE std::size_t keys() const noexcept { return 0; }
  TESSERA_INLINE std::size_t products() const noexcept { return state_count * scan_chunk; }
  TESSERA_INLINE std::size_t mixed() const noexcept { return products() + scan_chunk * scan_chunk; }
  TESSERA_INLINE std::size_t steps() const noexcept { return mixed() + scan_chunk * scan_chunk; }
  TESSERA_INLINE std::size_t kept() const noexcept { return steps() + scan_chunk; }
  TESSERA_INLINE std::size_t left() const noexcept { return kept() + scan_chunk; }
  TESSERA_INLINE std::size_t logs() const noexcept { return left() + scan_chunk; }
  TESSERA_INLINE std::size_t sums() const noexcept { return logs() + scan_chunk; }
  TESSERA_INLINE std::size_t b_rows() const noexcept { return sums() + scan_chunk; }
  TESSERA_INLINE std::size_t c_rows() const noexcept {
    return b_rows() + RowPanels{scan_chunk, state_count}.size();
  }
  TESSERA_INLINE std::size_t inputs() const noexcept {
    return c_rows() + RowPanels{scan_chunk, state_count}.size();
  }
  TESSERA_INLINE std::size_t spare() const noexcept { return inputs() + 2 * scan_chunk * columns; }
  TESSERA_INLINE std::size_t states() const noexcept { return spare() + columns; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return round_up((states() + state_count * columns) * sizeof(float), workspace_alignment);
  }
};

[[nodiscard]] TESSERA_INLINE ChunkScratch chunk_scratch(const SsmScanArgs& args) noexcept {
  const ScanScratch s = scan_scratch(args);
  return {s.states, s.columns};
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_SCAN_ARGUMENTS_HPP_

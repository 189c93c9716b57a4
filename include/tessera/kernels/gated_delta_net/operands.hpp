// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What all recurrences with a matrix per head have in common: their operands and the checks of them.
#ifndef TESSERA_KERNELS_GATED_DELTA_NET_OPERANDS_HPP_
#define TESSERA_KERNELS_GATED_DELTA_NET_OPERANDS_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/states.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/row_panels.hpp"

TESSERA_NAMESPACE_BEGIN

/// Tokens of a chunk of the delta rule; part of the definition of the chunked result. A multiple of three,
/// as many rows as products go at once.
inline constexpr std::size_t delta_net_chunk = 24;

namespace internal {

/// How a token changes the state M (keys i x values j) and what it reads from it.
enum class Rule : unsigned char {
  delta,   ///< M = gate M + write (beta (value - look M)); out = read M
  linear,  ///< M = gate M + write value; out = read M
  bonus,   ///< out = read (M + extra value); M = gate M + write value
  pair,    ///< M = gate M + write value + extra (look M); out = read M
};

/// Heads H, tokens T, keys S, values V. `gate` has one element per head or S; the rule says which
/// others there are.
struct Recurrence {
  HeadView<const float> read = {};   ///< key heads x T x S
  HeadView<const float> write = {};  ///< key heads x T x S
  HeadView<const float> value = {};  ///< H x T x V
  HeadView<const float> gate =
      {};  ///< H x T x 1 or S; logarithms for the delta rule, which has none
  HeadView<const float> look = {};     ///< H x T x S: pair
  HeadView<const float> extra = {};    ///< H x T x S: bonus, pair
  ChannelView<const float> beta = {};  ///< T x H: delta
  HeadView<float> out = {};            ///< H x T x V
  bool modulo = false;  ///< key head of head h: h % key heads, or h / (H / key heads)
  std::uint32_t scale_bits = 0x3f800000;
  std::span<const Sequence> sequences = {};
  States states = {};
  Snapshots snapshots = {};
  Workspace workspace = {};
  bool chunked = false;  ///< delta only

  [[nodiscard]] TESSERA_INLINE std::size_t key_head(std::size_t h) const noexcept {
    return modulo ? h % write.heads : h / (value.heads / write.heads);
  }
};

/// Values of a block of a head: a state's columns that are copied at once.
inline constexpr std::size_t recurrence_columns = 256;
/// Tokens whose gates are kept in scratch at a time.
inline constexpr std::size_t recurrence_tokens = 16;

/// Scratch, in floats: a block of a state, and two rows of keys per token.
struct RecurrenceScratch {
  std::size_t keys;
  std::size_t columns;  ///< at most recurrence_columns

  TESSERA_INLINE std::size_t gates() const noexcept { return keys * columns; }
  TESSERA_INLINE std::size_t looks() const noexcept { return gates() + recurrence_tokens * keys; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return round_up((looks() + recurrence_tokens * keys) * sizeof(float), workspace_alignment);
  }
};

[[nodiscard]] TESSERA_INLINE RecurrenceScratch recurrence_scratch(const Recurrence& r) noexcept {
  return {r.write.dim, r.value.dim < recurrence_columns ? r.value.dim : recurrence_columns};
}

/// What the chunked rule keeps of a token.
struct DeltaToken {
  float beta;
  float kept;  ///< of the state before the chunk, with one gate for all keys
  float left;  ///< of the token's delta after the chunk, the same
};

/// Scratch of the chunked delta rule, in floats: what a chunk's tokens have to do with each other, and
/// the deltas of a block of values.
struct DeltaChunkScratch {
  std::size_t keys;
  std::size_t values;
  bool gate_per_key;

  TESSERA_INLINE std::size_t rows() const noexcept {
    return RowPanels{delta_net_chunk, keys}.size();
  }
  TESSERA_INLINE std::size_t transposed() const noexcept { return keys * 2 * delta_net_chunk; }
  TESSERA_INLINE std::size_t products() const noexcept {
    return delta_net_chunk * 2 * delta_net_chunk;
  }
  TESSERA_INLINE std::size_t weights() const noexcept { return 2 * delta_net_chunk; }
  TESSERA_INLINE std::size_t gates() const noexcept {
    return delta_net_chunk * (gate_per_key ? keys : 1);
  }
  TESSERA_INLINE std::size_t decays() const noexcept {  // and what is read beyond
    return gate_per_key ? keys + 2 : 0;
  }
  TESSERA_INLINE std::size_t tokens() const noexcept {
    return delta_net_chunk * (sizeof(DeltaToken) / sizeof(float));
  }
  TESSERA_INLINE std::size_t spare() const noexcept {
    return values < recurrence_columns ? values : recurrence_columns;
  }
  TESSERA_INLINE std::size_t deltas() const noexcept {
    return (gate_per_key ? 1 : 2) * delta_net_chunk * spare();
  }
  TESSERA_INLINE std::size_t state() const noexcept { return keys * values; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    const std::size_t size = (gate_per_key ? 3 : 2) * rows() + transposed() + products() +
                             weights() + tokens() + gates() + 2 * decays() + deltas() + spare() +
                             state();
    return round_up(size * sizeof(float), workspace_alignment);
  }
};

[[nodiscard]] TESSERA_INLINE DeltaChunkScratch delta_chunk_scratch(const Recurrence& r) noexcept {
  return {r.write.dim, r.value.dim, r.gate.data != nullptr && r.gate.dim != 1};
}

[[nodiscard]] TESSERA_INLINE WorkspaceSize recurrence_workspace(const Recurrence& r) noexcept {
  if (r.write.dim > (std::size_t{1} << 40)) return {};
  if (r.chunked) {
    if (r.value.dim > (std::size_t{1} << 60) / (r.write.dim + 1)) return {};
    return {0, delta_chunk_scratch(r).bytes()};
  }
  return {0, recurrence_scratch(r).bytes()};
}

[[nodiscard]] TESSERA_INLINE Status check_recurrence_shapes(const Recurrence& r,
                                                            Rule rule) noexcept {
  const std::size_t heads = r.value.heads, tokens = r.value.tokens, keys = r.write.dim;
  if (heads == 0 || r.value.dim == 0 || r.write.heads == 0 || keys == 0) return Status::empty_shape;
  const auto is = [&](const auto& v, std::size_t h, std::size_t dim)
                      TESSERA_LAMBDA { return v.heads == h && v.tokens == tokens && v.dim == dim; };
  if (!is(r.read, r.write.heads, keys) || !is(r.write, r.write.heads, keys) ||
      !is(r.out, heads, r.value.dim))
    return Status::shape_mismatch;
  const bool gated = rule != Rule::delta || r.gate.data != nullptr;
  if (gated && !is(r.gate, heads, keys) && !(rule == Rule::delta && is(r.gate, heads, 1)))
    return Status::shape_mismatch;
  if (rule == Rule::pair && !is(r.look, heads, keys)) return Status::shape_mismatch;
  if ((rule == Rule::pair || rule == Rule::bonus) && !is(r.extra, heads, keys))
    return Status::shape_mismatch;
  if (rule == Rule::delta && (r.beta.tokens != tokens || r.beta.channels != heads))
    return Status::shape_mismatch;
  if (heads % r.write.heads != 0) return Status::head_ratio;
  std::size_t size = 0;
  if (mul_overflows(heads, r.value.dim, &size) || mul_overflows(size, keys, &size) ||
      size > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(float))
    return Status::shape_too_large;
  return Status::ok;
}

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// All but the backend's and the thread's own checks.
[[nodiscard]] inline Status check_recurrence(const Recurrence& r, Rule rule) noexcept {
  if (const Status s = check_recurrence_shapes(r, rule); s != Status::ok) return s;
  const std::size_t size = r.value.heads * r.value.dim * r.write.dim;
  auto gate = r.gate, look = r.look, extra = r.extra;
  if (rule == Rule::delta && gate.data == nullptr) gate = {};
  if (rule != Rule::pair) look = {};
  if (rule != Rule::pair && rule != Rule::bonus) extra = {};
  const Strided<3> inputs[] = {strided(r.read), strided(r.write), strided(r.value),
                               strided(gate),   strided(look),    strided(extra)};
  const auto beta = rule == Rule::delta ? strided(r.beta) : Strided<2>{0, 4, {{0, 0}, {0, 0}}};
  for (const auto& in : inputs)
    if (const Status s = check_input(in); s != Status::ok) return s;
  if (const Status s = check_input(beta); s != Status::ok) return s;
  const auto out = strided(r.out);
  const auto states = strided(r.states, size);
  const auto kept = strided(r.snapshots, r.sequences.size(), size);
  if (const Status s = check_output(out); s != Status::ok) return s;
  if (const Status s = check_output(states); s != Status::ok) return s;
  if (const Status s = check_output(kept); s != Status::ok) return s;
  if (const Status s = check_sequences(r.sequences, r.value.tokens, r.states.slots);
      s != Status::ok)
    return s;
  if ((r.scale_bits & 0x7f800000u) == 0x7f800000u) return Status::not_finite;
  if (r.chunked && r.snapshots.count != 0) return Status::position_range;
  const auto eo = extent(out), es = extent(states), ek = extent(kept);
  for (const auto& in : inputs)
    if (meets(extent(in), eo, es, ek)) return Status::overlap;
  if (meets(extent(beta), eo, es, ek) || meets(eo, es, ek) || meets(es, ek)) return Status::overlap;
  const WorkspaceSize need = recurrence_workspace(r);
  if (need.scratch == 0) return Status::shape_too_large;
  return check_workspace(r.workspace, need);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_GATED_DELTA_NET_OPERANDS_HPP_

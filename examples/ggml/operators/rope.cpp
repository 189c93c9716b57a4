// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// ROPE: x [dim, heads, T, sequences], positions i32 [T] or four planes of them, frequency factors [pairs].
// Parameters: -, rotated elements, mode, -, original context, then base, frequency scale, ext factor, attention
// factor, fast and slow beta as floats, four sections, offset.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

enum Mode : std::int32_t {
  interleaved = 0,
  half = 2,
  sections = 8,
  vision = 24,
  interleaved_sections = 40
};

struct Parameters {
  std::int32_t rotary, mode, context, offset;

  explicit Parameters(const Tensor& t)
      : rotary(t.op_params[1]),
        mode(t.op_params[2]),
        context(t.op_params[4]),
        offset(t.op_params[15]) {}
  // Of vision models the whole head is rotated, and the number is that of the pairs.
  [[nodiscard]] std::size_t pairs() const {
    return static_cast<std::size_t>(mode == vision ? rotary : rotary / 2);
  }
  [[nodiscard]] bool has_planes() const { return mode >= sections; }
};

bool supports(const Tensor& dst) {
  const Tensor* const x = dst.src[0];
  const Tensor* const positions = dst.src[1];
  const Tensor* const factors = dst.src[2];
  if (!is_float(x) || dst.type != x->type || !has_rows(dst) || !same_shape(*x, dst) ||
      positions == nullptr || positions->type != ggml::i32 || positions->nb[0] != 4)
    return false;
  const Parameters p(dst);
  const bool known = p.mode == interleaved || p.mode == half || p.mode == sections ||
                     p.mode == vision || p.mode == interleaved_sections;
  return known && p.rotary > 0 && p.rotary % 2 == 0 && p.context >= 0 && p.offset >= 0 &&
         static_cast<std::int64_t>(2 * p.pairs()) + p.offset <= x->ne[0] &&
         positions->ne[0] == x->ne[2] * (p.has_planes() ? 4 : 1) &&
         (factors == nullptr ||
          (is_f32(factors) && factors->ne[0] >= static_cast<std::int64_t>(p.pairs())));
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& x = *dst.src[0];
  const Tensor& positions = *dst.src[1];
  const Parameters p(dst);
  const std::size_t tokens = size(x, 2), pairs = p.pairs();
  float* const tables = work.take_array<float>(2 * tokens * pairs);
  if (tables == nullptr) return TSR_WORKSPACE_TOO_SMALL;
  tsr_rope_table_args table = tsr_rope_table_init();
  table.positions = static_cast<const std::int32_t*>(positions.data);
  table.position_count = size(positions, 0);
  table.base = parameter(dst, 5);
  table.cosine = {tables, tokens, pairs, static_cast<std::ptrdiff_t>(pairs)};
  table.sine = {tables + tokens * pairs, tokens, pairs, static_cast<std::ptrdiff_t>(pairs)};
  if (const Tensor* const factors = dst.src[2]; factors != nullptr) {
    table.frequency_factors = floats(*factors);
    table.factor_count = size(*factors, 0);
  }
  table.scaling = {parameter(dst, 6), parameter(dst, 7),  parameter(dst, 8),
                   parameter(dst, 9), parameter(dst, 10), static_cast<std::uint32_t>(p.context)};
  table.planes = p.mode == sections               ? TSR_PLANES_SECTIONS
                 : p.mode == vision               ? TSR_PLANES_VISION
                 : p.mode == interleaved_sections ? TSR_PLANES_INTERLEAVED
                                                  : TSR_PLANES_ONE;
  for (int i = 0; i < 4; ++i) table.section[i] = static_cast<std::uint32_t>(dst.op_params[11 + i]);
  if (const tsr_status s = TESSERA_GGML_RUN(work, rope_table, table); s != TSR_OK) return s;

  tsr_rope_args args = tsr_rope_init();
  args.type = static_cast<tsr_format>(x.type);
  args.cosine = {table.cosine.data, tokens, pairs, table.cosine.row_stride};
  args.sine = {table.sine.data, tokens, pairs, table.sine.row_stride};
  args.pairing = p.mode == interleaved ? TSR_PAIRING_INTERLEAVED : TSR_PAIRING_HALF;
  args.offset = static_cast<std::size_t>(p.offset);
  for (std::size_t i = 0; i < size(x, 3); ++i) {
    args.x = {at(x, 0, i), size(x, 1), tokens, size(x, 0), stride(x, 1), stride(x, 2)};
    args.y = {at(dst, 0, i), size(x, 1), tokens, size(x, 0), stride(dst, 1), stride(dst, 2)};
    if (const tsr_status s = TESSERA_GGML_RUN(work, rope, args); s != TSR_OK) return s;
  }
  return TSR_OK;
}

}  // namespace

const Operator rope = {ggml::Op::rope, "ROPE", supports, compute};

}  // namespace tessera_ggml

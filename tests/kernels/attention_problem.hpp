// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention over caches of any formats with any options: operands between guard pages, the call on a
/// backend, and the float64 answer. One type for all formats, so that tests are tables.
#ifndef TESSERA_TESTS_KERNELS_ATTENTION_PROBLEM_HPP_
#define TESSERA_TESTS_KERNELS_ATTENTION_PROBLEM_HPP_

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "tessera/attention.hpp"
#include "tessera/formats/all.hpp"
#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/activations.hpp"
#include "tests/reference/attention.hpp"

namespace tessera_test {

using tessera::FormatId;

/// The pairs of formats that tests run: each format as keys and as values, and mixed.
template <class K, class V>
struct CachePair {
  using Keys = K;
  using Values = V;
};
using CachePairs = tessera::TypeList<CachePair<tessera::format::f32, tessera::format::f32>,
                                     CachePair<tessera::format::f16, tessera::format::f16>,
                                     CachePair<tessera::format::bf16, tessera::format::bf16>,
                                     CachePair<tessera::format::q8_0, tessera::format::q8_0>,
                                     CachePair<tessera::format::q4_0, tessera::format::q4_0>,
                                     CachePair<tessera::format::q5_0, tessera::format::iq4_nl>,
                                     CachePair<tessera::format::iq4_nl, tessera::format::q5_0>,
                                     CachePair<tessera::format::q4_1, tessera::format::q5_1>,
                                     CachePair<tessera::format::q5_1, tessera::format::q4_1>,
                                     CachePair<tessera::format::q8_0, tessera::format::q4_0>,
                                     CachePair<tessera::format::q4_0, tessera::format::f16>,
                                     CachePair<tessera::format::f16, tessera::format::q8_0>>;

using CacheFormats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16,
                      tessera::format::q8_0, tessera::format::q4_0, tessera::format::q5_0,
                      tessera::format::iq4_nl, tessera::format::q4_1, tessera::format::q5_1>;

/// Calls body(Type<F>) for the format with this number.
template <class Body>
void with_format(FormatId id, Body&& body) {
  CacheFormats::for_each([&]<class F>(tessera::Type<F> type) {
    if (F::id == id) body(type);
  });
}

/// Rows of one format between guard pages: outer (sequences or pages) x heads x tokens.
class CacheMemory {
 public:
  CacheMemory(FormatId format, std::size_t outer, std::size_t heads, std::size_t tokens,
              std::size_t dim, bool token_major = false, std::size_t padding = 0)
      : format_(format), outer_(outer), heads_(heads), tokens_(tokens), dim_(dim) {
    with_format(format, [&]<class F>(tessera::Type<F>) {
      group_ = F::group;
      block_bytes_ = sizeof(typename F::Block);
    });
    const auto pitch = static_cast<std::ptrdiff_t>(dim / group_ + padding);
    const auto h = static_cast<std::ptrdiff_t>(heads);
    const auto t = static_cast<std::ptrdiff_t>(tokens);
    head_stride = token_major ? pitch : pitch * t;
    token_stride = token_major ? pitch * h : pitch;
    outer_stride = pitch * h * t;
    const std::size_t rows = outer * heads * tokens;
    const std::size_t blocks = rows == 0 ? 0 : rows * static_cast<std::size_t>(pitch) - padding;
    bytes_ = std::make_unique<GuardedBuffer<std::byte>>(blocks * block_bytes_);
    values_.assign(rows * dim, 0.0f);
  }

  /// Encodes `dim` floats; what the row then holds is its value.
  void set(std::size_t o, std::size_t h, std::size_t t, const float* x) {
    float* decoded = value(o, h, t);
    std::byte* to = bytes_->data() + offset(o, h, t);
    with_format(format_, [&]<class F>(tessera::Type<F>) {
      using Block = typename F::Block;
      auto* blocks = reinterpret_cast<Block*>(to);
      if constexpr (F::is_float) {
        F::quantize(x, dim_, blocks);
        F::dequantize(blocks, dim_, decoded);
      } else {
        for (std::size_t i = 0; i < dim_ / F::group; ++i) {
          F::quantize_block(x + i * F::group, blocks[i]);
          F::dequantize_block(blocks[i], decoded + i * F::group);
        }
      }
    });
  }
  void fill(std::uint64_t seed, Fill kind = Fill::gaussian) {
    Random random(seed);
    std::vector<float> row(dim_);
    for (std::size_t o = 0; o < outer_; ++o)
      for (std::size_t h = 0; h < heads_; ++h)
        for (std::size_t t = 0; t < tokens_; ++t) {
          tessera_test::fill(std::span<float>(row), kind, random);
          set(o, h, t, row.data());
        }
  }
  /// The row becomes NaN, whatever the format: as float, or as the scale of a block.
  void poison(std::size_t o, std::size_t h, std::size_t t) {
    std::memset(bytes_->data() + offset(o, h, t), 0xff, dim_ / group_ * block_bytes_);
  }
  float* value(std::size_t o, std::size_t h, std::size_t t) {
    return values_.data() + ((o * heads_ + h) * tokens_ + t) * dim_;
  }
  const float* value(std::size_t o, std::size_t h, std::size_t t) const {
    return values_.data() + ((o * heads_ + h) * tokens_ + t) * dim_;
  }
  template <class F>
  tessera::HeadView<const typename F::Block> view(std::size_t tokens) const {
    return {reinterpret_cast<const typename F::Block*>(bytes_->data()),
            heads_,
            tokens,
            dim_ / group_,
            head_stride,
            token_stride};
  }
  FormatId format() const { return format_; }
  std::size_t dim() const { return dim_; }

  std::ptrdiff_t head_stride;
  std::ptrdiff_t token_stride;
  std::ptrdiff_t outer_stride;

 private:
  std::ptrdiff_t offset(std::size_t o, std::size_t h, std::size_t t) const {
    return (static_cast<std::ptrdiff_t>(o) * outer_stride +
            static_cast<std::ptrdiff_t>(h) * head_stride +
            static_cast<std::ptrdiff_t>(t) * token_stride) *
           static_cast<std::ptrdiff_t>(block_bytes_);
  }

  FormatId format_;
  std::size_t outer_;
  std::size_t heads_;
  std::size_t tokens_;
  std::size_t dim_;
  std::size_t group_ = 1;
  std::size_t block_bytes_ = 4;
  std::unique_ptr<GuardedBuffer<std::byte>> bytes_;
  std::vector<float> values_;
};

/// What a case asks for.
struct AttentionCase {
  std::size_t heads = 1;
  std::size_t key_heads = 1;
  std::size_t queries = 1;
  std::size_t keys = 1;
  std::size_t dk = 32;
  std::size_t dv = 32;
  FormatId k = FormatId::f32;
  FormatId v = FormatId::f32;
  tessera::Query query = tessera::Query::quantized;
  std::size_t sequences = 1;
  bool causal = false;
  std::ptrdiff_t offset = 0;
  std::size_t before = tessera::unlimited;
  std::size_t after = tessera::unlimited;
  float scale = 0.3f;
  float soft_cap = 0.0f;
  std::size_t page_tokens = 0;
  bool token_major = false;
  std::size_t padding = 0;
};

/// Operands of a case. Options that are arrays are added by the with_... members.
struct AttentionProblem {
  AttentionCase c;
  Heads q;
  CacheMemory k;
  CacheMemory v;
  Heads out;
  std::vector<float> mask32;
  std::vector<tessera::Float16> mask16;
  tessera::MaskView mask = {};
  std::vector<float> slopes;
  std::vector<float> sinks;
  std::vector<Heads> gate;
  std::vector<float> lse;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> table;
  std::size_t pages_per_sequence = 0;
  std::size_t pages = 0;

  explicit AttentionProblem(const AttentionCase& of)
      : c(of),
        q(of.sequences * of.heads, of.queries, of.dk),
        k(memory(of, of.k, of.dk)),
        v(memory(of, of.v, of.dv)),
        out(of.sequences * of.heads, of.queries, of.dv) {
    q.fill_with(of.keys + 1);
    k.fill(of.keys + 2);
    v.fill(of.keys + 3);
    if (of.page_tokens == 0) return;
    pages_per_sequence = per_sequence(of);
    pages = of.sequences * pages_per_sequence;
    for (std::size_t i = 0; i < pages; ++i)  // no page where one would look for it
      table.push_back(static_cast<std::int32_t>(pages - 1 - i));
  }

  /// Uniform in [-1, 1], `excluded` of 8 entries -inf.
  AttentionProblem& with_mask(bool f16, std::size_t mask_heads = 1, std::size_t mask_sequences = 1,
                              unsigned excluded = 2) {
    Random random(77);
    mask32.resize(mask_sequences * mask_heads * c.queries * c.keys);
    for (float& m : mask32) {
      m = random.uniform(-1.0f, 1.0f);
      m = f16 ? tessera::to_float(tessera::to_float16(m)) : m;
      if (random.below(8) < excluded) m = -inf;
    }
    return set_mask(f16, mask_heads, mask_sequences);
  }
  /// The entries as they are now.
  AttentionProblem& set_mask(bool f16, std::size_t mask_heads = 1, std::size_t mask_sequences = 1) {
    mask16.clear();
    if (f16)
      for (const float m : mask32) mask16.push_back(tessera::to_float16(m));
    const auto keys = static_cast<std::ptrdiff_t>(c.keys);
    const auto head = keys * static_cast<std::ptrdiff_t>(c.queries);
    mask = {f16 ? nullptr : mask32.data(),
            f16 ? mask16.data() : nullptr,
            mask_heads,
            mask_sequences,
            keys,
            head,
            head * static_cast<std::ptrdiff_t>(mask_heads)};
    return *this;
  }
  AttentionProblem& with_slopes() {
    slopes.resize(c.heads);
    tessera::alibi_slopes(8.0f, slopes);
    return *this;
  }
  AttentionProblem& with_sinks() {
    Random random(78);
    for (std::size_t h = 0; h < c.heads; ++h) sinks.push_back(random.uniform(-3.0f, 3.0f));
    return *this;
  }
  AttentionProblem& with_gate() {
    gate.emplace_back(c.sequences * c.heads, c.queries, c.dv);
    gate.back().fill_with(79);
    return *this;
  }
  AttentionProblem& with_lse() {
    lse.assign(c.sequences * c.heads * c.queries, nan);
    return *this;
  }

  template <class K, class V>
  tessera::AttentionArgs<K, V> args() {
    tessera::AttentionArgs<K, V> a;
    const auto batched = [&](auto view) {
      view.heads = c.heads;
      return view;
    };
    a.q = batched(q.input());
    a.out = batched(out.view());
    a.k = k.view<K>(c.keys);
    a.v = v.view<V>(c.keys);
    a.scale = c.scale, a.causal = c.causal, a.causal_offset = c.offset;
    a.query = c.query, a.soft_cap = c.soft_cap, a.before = c.before, a.after = c.after;
    a.mask = mask, a.slopes = slopes, a.sinks = sinks;
    const auto heads = static_cast<std::ptrdiff_t>(c.heads);
    a.sequences = {c.sequences,
                   heads * a.q.head_stride,
                   k.outer_stride,
                   v.outer_stride,
                   heads * a.out.head_stride,
                   0,
                   lengths,
                   offsets};
    if (!gate.empty()) {
      a.gate = batched(gate[0].input());
      a.sequences.gate_stride = heads * a.gate.head_stride;
    }
    if (!lse.empty()) a.log_sum_exp = tessera::matrix(lse.data(), c.sequences * c.heads, c.queries);
    if (c.page_tokens != 0) {
      a.sequences.k_stride = a.sequences.v_stride = 0;
      a.pages = {c.page_tokens, table, pages_per_sequence, pages, k.outer_stride, v.outer_stride};
    }
    return a;
  }

  /// Calls body(args) with the workspace it asks for.
  template <class Body>
  void with_args(Body&& body) {
    bool known = false;
    CachePairs::for_each([&]<class Pair>(tessera::Type<Pair>) {
      using K = typename Pair::Keys;
      using V = typename Pair::Values;
      if (K::id != c.k || V::id != c.v) return;
      known = true;
      auto a = args<K, V>();
      GuardedWorkspace workspace(tessera::workspace_size(a));
      a.workspace = workspace.get();
      body(a);
      EXPECT_TRUE(workspace.untouched_outside());
    });
    ASSERT_TRUE(known) << "add the pair of formats to CachePairs";
  }

  /// The whole call: outputs head by head, then the log-sum-exps.
  template <class B>
  std::vector<float> answer() {
    out.buffer().poison();
    with_args([&](auto& a) { EXPECT_EQ(tessera::attention<B>(a), Status::ok); });
    return answered();
  }
  std::vector<float> answered() const {
    EXPECT_TRUE(out.untouched_outside());
    auto values = out.values();
    values.insert(values.end(), lse.begin(), lse.end());
    return values;
  }

  std::size_t length(std::size_t s) const {
    return lengths.empty() ? c.keys : static_cast<std::size_t>(lengths[s]);
  }
  /// The bias of a key for a query, -inf where it does not count.
  double bias(std::size_t s, std::size_t h, std::size_t i, std::size_t j) const {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const auto position =
        static_cast<double>(i) +
        static_cast<double>(offsets.empty() ? c.offset : static_cast<std::ptrdiff_t>(offsets[s]));
    const double distance = static_cast<double>(j) - position;
    if (j >= length(s) || (c.causal && distance > 0) || distance > static_cast<double>(c.after) ||
        -distance > static_cast<double>(c.before))
      return none;
    const double slope = slopes.empty() ? 1.0 : double{slopes[h]};
    if (mask32.empty()) return slopes.empty() ? 0.0 : -slope * std::fabs(distance);
    const std::size_t at =
        ((s % mask.sequences * mask.heads + h % mask.heads) * c.queries + i) * c.keys + j;
    return mask32[at] == -inf ? none : slope * double{mask32[at]};
  }
  /// In the order of answer().
  reference::Expected expected() const {
    reference::Expected want;
    reference::Expected sums;
    const std::size_t group = c.heads / c.key_heads;
    for (std::size_t s = 0; s < c.sequences; ++s)
      for (std::size_t h = 0; h < c.heads; ++h) {
        const auto keys = rows_of(k, s, h / group);
        const auto values = rows_of(v, s, h / group);
        for (std::size_t i = 0; i < c.queries; ++i) {
          reference::Scoring how;
          how.scale = c.scale, how.soft_cap = c.soft_cap;
          for (std::size_t j = 0; j < c.keys; ++j) how.bias.push_back(bias(s, h, i, j));
          if (!sinks.empty()) how.sink = &sinks[h];
          if (!gate.empty()) how.gate = gate[0].row(s * c.heads + h, i);
          reference::attention(query_row(s * c.heads + h, i).data(),
                               {keys.data(), static_cast<std::ptrdiff_t>(c.dk)},
                               {values.data(), static_cast<std::ptrdiff_t>(c.dv)}, c.dk, c.dv, how,
                               want, lse.empty() ? nullptr : &sums);
        }
      }
    want.value.insert(want.value.end(), sums.value.begin(), sums.value.end());
    want.limit.insert(want.limit.end(), sums.limit.begin(), sums.limit.end());
    return want;
  }
  bool integer() const {
    return c.query == tessera::Query::quantized && c.k != FormatId::f32 && c.k != FormatId::f16 &&
           c.k != FormatId::bf16;
  }

 private:
  /// The query as the keys meet it.
  std::vector<float> query_row(std::size_t h, std::size_t i) const {
    std::vector<float> row(q.row(h, i), q.row(h, i) + c.dk);
    if (!integer()) return row;
    const auto quantized = reference::quantize_row(row.data(), c.dk);
    for (std::size_t d = 0; d < c.dk; ++d) row[d] = static_cast<float>(quantized.value[d]);
    return row;
  }
  static std::size_t per_sequence(const AttentionCase& c) {
    return (c.keys + c.page_tokens - 1) / c.page_tokens;
  }
  static CacheMemory memory(const AttentionCase& c, FormatId format, std::size_t dim) {
    const std::size_t outer = c.sequences * (c.page_tokens == 0 ? 1 : per_sequence(c));
    return {format, outer,         c.key_heads, c.page_tokens == 0 ? c.keys : c.page_tokens,
            dim,    c.token_major, c.padding};
  }
  std::vector<float> rows_of(const CacheMemory& m, std::size_t s, std::size_t h) const {
    std::vector<float> rows;
    for (std::size_t j = 0; j < c.keys; ++j) {
      const float* row =
          c.page_tokens == 0
              ? m.value(s, h, j)
              : m.value(static_cast<std::size_t>(table[s * pages_per_sequence + j / c.page_tokens]),
                        h, j % c.page_tokens);
      rows.insert(rows.end(), row, row + m.dim());
    }
    return rows;
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_ATTENTION_PROBLEM_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The list of identity cases: small problems at every tile edge. Inputs come from the seed by integer
/// arithmetic (tests/support/random.hpp), so they are the same on every platform.
#ifndef TESSERA_TESTS_IDENTITY_CASES_HPP_
#define TESSERA_TESTS_IDENTITY_CASES_HPP_

#include <cstddef>
#include <cstdint>

#include "tests/support/random.hpp"

namespace identity {

using tessera_test::Fill;

/// One product; every format runs all of them.
struct MatmulCase {
  std::size_t m;
  std::size_t n;
  std::size_t k;
  Fill a;
  Fill w;
};
inline constexpr MatmulCase matmul_cases[] = {
    {1, 1, 1, Fill::gaussian, Fill::gaussian},    {1, 64, 32, Fill::gaussian, Fill::gaussian},
    {3, 63, 96, Fill::uniform, Fill::gaussian},   {4, 65, 33, Fill::gaussian, Fill::uniform},
    {5, 16, 288, Fill::gaussian, Fill::gaussian}, {7, 17, 64, Fill::integers, Fill::integers},
    {8, 15, 172, Fill::gaussian, Fill::gaussian}, {9, 131, 31, Fill::gaussian, Fill::gaussian},
    {19, 8, 128, Fill::extreme, Fill::gaussian},  {11, 7, 65, Fill::tiny, Fill::gaussian},
    {2, 35, 160, Fill::one_hot, Fill::gaussian},  {67, 13, 40, Fill::gaussian, Fill::extreme},
    {6, 9, 96, Fill::special, Fill::gaussian},
};

/// For the formats whose blocks are larger than 32 elements, a row that ends within a block: they run the
/// others on stored blocks, 1 to 3 or 1 to 9 of them a row.
inline constexpr MatmulCase large_block_case = {3, 5, 300, Fill::gaussian, Fill::gaussian};

/// Products with experts; the same gated by the next expert's weights.
struct ExpertsCase {
  std::size_t experts;
  std::size_t used;
  std::size_t slots;
  std::size_t tokens;
  std::size_t n;
  std::size_t k;
};
inline constexpr ExpertsCase experts_cases[] = {
    {1, 1, 1, 1, 7, 32}, {4, 2, 1, 1, 35, 96}, {8, 3, 3, 9, 20, 256}, {30, 4, 2, 3, 5, 64}};

/// Rows of one length.
struct RowCase {
  std::size_t rows;
  std::size_t cols;
  Fill fill;
  float scale;  ///< eps of rms_norm, scale of softmax, factor of swiglu's gate
};
inline constexpr RowCase rms_norm_cases[] = {
    {3, 1, Fill::gaussian, 1e-5f},  {3, 2, Fill::gaussian, 1e-5f},  {3, 31, Fill::gaussian, 1e-5f},
    {3, 32, Fill::gaussian, 1e-5f}, {3, 33, Fill::gaussian, 1e-6f}, {3, 63, Fill::uniform, 1e-5f},
    {3, 64, Fill::tiny, 1e-5f},     {3, 65, Fill::tiny, 1e-12f},    {5, 288, Fill::gaussian, 1e-5f},
    {2, 1031, Fill::uniform, 0.5f}, {4, 96, Fill::one_hot, 1e-5f},  {9, 70, Fill::special, 1e-5f},
};
inline constexpr RowCase softmax_cases[] = {
    {3, 1, Fill::gaussian, 1.0f},    {3, 2, Fill::gaussian, 1.0f},   {3, 31, Fill::gaussian, 3.0f},
    {3, 32, Fill::gaussian, -1.0f},  {3, 33, Fill::gaussian, 20.0f}, {3, 63, Fill::uniform, 40.0f},
    {3, 64, Fill::integers, 10.0f},  {3, 65, Fill::tiny, 1.0f},      {5, 288, Fill::gaussian, 8.0f},
    {2, 1031, Fill::uniform, 90.0f}, {4, 96, Fill::one_hot, 5.0f},   {9, 70, Fill::special, 0.5f},
};
inline constexpr RowCase swiglu_cases[] = {
    {3, 1, Fill::gaussian, 1.0f},   {3, 15, Fill::gaussian, 1.0f},   {3, 16, Fill::gaussian, 10.0f},
    {3, 17, Fill::gaussian, 30.0f}, {3, 33, Fill::uniform, 100.0f},  {3, 64, Fill::integers, 7.0f},
    {3, 65, Fill::tiny, 1.0f},      {5, 172, Fill::gaussian, 50.0f}, {9, 70, Fill::special, 1.0f},
};

inline constexpr RowCase activation_cases[] = {
    {3, 1, Fill::gaussian, 1.0f},   {3, 15, Fill::gaussian, 10.0f}, {3, 17, Fill::gaussian, 30.0f},
    {3, 64, Fill::uniform, 100.0f}, {3, 65, Fill::tiny, 1.0f},      {9, 70, Fill::special, 1.0f},
};
/// Two heads or groups of each; `scale` is eps.
inline constexpr RowCase head_norm_cases[] = {
    {3, 1, Fill::gaussian, 1e-6f}, {3, 31, Fill::gaussian, 1e-6f},  {3, 33, Fill::uniform, 1e-5f},
    {3, 64, Fill::tiny, 1e-12f},   {5, 128, Fill::gaussian, 1e-6f}, {2, 300, Fill::gaussian, 1e-5f},
    {9, 70, Fill::special, 1e-6f},
};

/// Heads of one length, positions from a fixed list.
struct RopeCase {
  bool half;
  std::size_t dim;
  std::size_t rotary;
  double base;
};
inline constexpr RopeCase rope_cases[] = {
    {false, 2, 2, 1e4},     {true, 2, 2, 1e4},    {false, 8, 4, 1e4},   {true, 8, 4, 1e4},
    {false, 64, 64, 1e4},   {true, 64, 64, 1e4},  {false, 70, 66, 1e6}, {true, 70, 66, 1e6},
    {false, 128, 128, 5e5}, {true, 128, 64, 1e6},
};
inline constexpr std::int32_t rope_positions[] = {0,      1,      40,      4095, 15962,
                                                  131071, 262143, 1048575, -40};

/// Queries against keys; causal queries are the last tokens of the keys.
struct AttentionCase {
  std::size_t heads;
  std::size_t key_heads;
  std::size_t queries;
  std::size_t keys;
  std::size_t dk;
  std::size_t dv;
  bool causal;
};
inline constexpr AttentionCase attention_cases[] = {
    {1, 1, 1, 0, 4, 4, false},     {1, 1, 1, 1, 1, 1, false},    {1, 1, 1, 63, 8, 8, false},
    {3, 1, 1, 64, 16, 5, false},   {3, 1, 3, 65, 17, 40, true},  {2, 2, 1, 127, 40, 40, true},
    {4, 2, 33, 128, 8, 24, true},  {6, 2, 3, 129, 64, 64, true}, {28, 4, 1, 200, 16, 16, true},
    {48, 2, 1, 65, 12, 12, false}, {3, 3, 33, 33, 7, 9, true},   {8, 8, 3, 200, 33, 31, false},
    {2, 1, 70, 70, 16, 16, true},  {4, 1, 9, 5, 8, 8, true},
};

/// One sequence with a state before it.
struct ConvCase {
  std::size_t channels;
  std::size_t width;
  std::size_t tokens;
  bool silu;
};
inline constexpr ConvCase conv_cases[] = {
    {1, 2, 1, false},   {17, 3, 2, true},   {33, 4, 1, true}, {70, 4, 9, false},
    {300, 4, 37, true}, {65, 5, 20, false}, {31, 9, 6, true},
};

/// Heads of one sequence with a state before it.
struct ScanCase {
  std::size_t heads;
  std::size_t dim;
  std::size_t groups;
  std::size_t states;
  std::size_t tokens;
  bool per_state;
  bool chunked = false;
};
inline constexpr ScanCase scan_cases[] = {
    {1, 1, 1, 1, 1, false},         {4, 64, 2, 16, 20, false},
    {3, 33, 3, 5, 2, false},        {300, 1, 1, 4, 3, true},
    {33, 1, 1, 16, 18, true},       {5, 80, 1, 8, 3, false},
    {2, 64, 1, 128, 1, false},      {4, 64, 2, 16, 49, false, true},
    {3, 33, 3, 5, 97, false, true}, {5, 80, 1, 128, 2, false, true},
};

/// Rules 0 to 3: gated delta net (with gates 0, 1 or one per key), gated linear attention, RWKV-6, RWKV-7.
struct RecurrenceCase {
  std::size_t rule;
  std::size_t heads;
  std::size_t key_heads;
  std::size_t keys;
  std::size_t values;
  std::size_t tokens;
  std::size_t gates;
  bool modulo;
  bool chunked = false;
};
inline constexpr RecurrenceCase recurrence_cases[] = {
    {0, 1, 1, 1, 1, 1, 1, true},           {0, 4, 2, 64, 64, 18, 1, true},
    {0, 4, 2, 7, 33, 3, 1, false},         {0, 2, 1, 33, 70, 5, 33, true},
    {0, 2, 2, 16, 16, 20, 0, true},        {0, 1, 1, 128, 128, 2, 1, true},
    {1, 2, 2, 4, 5, 3, 0, true},           {1, 2, 2, 64, 64, 17, 0, true},
    {2, 2, 2, 7, 8, 3, 0, true},           {2, 2, 2, 64, 64, 17, 0, true},
    {3, 2, 2, 5, 7, 3, 0, true},           {3, 2, 2, 64, 64, 17, 0, true},
    {0, 4, 2, 64, 64, 25, 1, true, true},  {0, 2, 1, 130, 33, 49, 1, false, true},
    {0, 2, 2, 33, 70, 26, 33, true, true}, {0, 1, 1, 128, 128, 2, 0, true, true},
};

/// One token of one sequence through convolution and recurrence; `shared` groups of `size` states, or key
/// heads of `size` keys.
struct StepCase {
  bool delta;
  std::size_t heads;
  std::size_t dim;
  std::size_t shared;
  std::size_t size;
  std::size_t width;
};
inline constexpr StepCase step_cases[] = {
    {false, 1, 1, 1, 1, 2}, {false, 6, 50, 2, 5, 3}, {false, 4, 64, 1, 128, 4},
    {true, 1, 1, 1, 1, 2},  {true, 4, 33, 2, 7, 5},  {true, 4, 128, 2, 128, 4},
};

/// The same with options, over caches of one format after the other.
struct CacheCase {
  std::size_t heads;
  std::size_t key_heads;
  std::size_t queries;
  std::size_t keys;
  std::size_t dk;
  std::size_t dv;
  bool full;      ///< the query is not quantised
  bool biased;    ///< cap, f16 mask, slopes
  bool windowed;  ///< causal, 50 keys back; with sinks and log-sum-exp
};
inline constexpr CacheCase cache_cases[] = {
    {1, 1, 1, 1, 32, 32, false, false, false},   {3, 1, 1, 65, 96, 32, false, false, false},
    {4, 2, 9, 129, 64, 64, false, true, true},   {6, 3, 2, 200, 128, 96, true, false, true},
    {8, 1, 33, 70, 32, 160, false, false, true}, {2, 2, 5, 64, 64, 32, true, true, false},
};

/// Walsh-Hadamard transforms of heads.
struct HadamardCase {
  std::size_t dim;
  std::size_t block;
};
inline constexpr HadamardCase hadamard_cases[] = {{2, 0}, {32, 0}, {96, 32}, {256, 0}};

/// Functions of core/math.hpp over the lanes, in this order.
inline constexpr const char* math_cases[] = {"exp",      "log1p", "sigmoid", "silu",
                                             "softplus", "tanh",  "gelu"};

/// Weight matrices packed for one tile, and for every one by a format of each kind.
struct PackingCase {
  std::size_t n;
  std::size_t k;
};
inline constexpr PackingCase packing_cases[] = {{65, 97}};

}  // namespace identity

#endif  // TESSERA_TESTS_IDENTITY_CASES_HPP_

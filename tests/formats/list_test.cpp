// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The list of formats: every entry complete, every number and name its own, the numbers those of GGUF.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <type_traits>

#include "tessera/formats/all.hpp"

namespace {

using tessera::all_formats;
using tessera::FormatId;

/// Numbers and block sizes of GGUF, by name; a format of the list that is not here fails.
const std::map<std::string, std::array<std::size_t, 3>> published = {
    // name      number elements bytes
    {"f32", {0, 1, 4}},       {"f16", {1, 1, 2}},         {"q4_0", {2, 32, 18}},
    {"q4_1", {3, 32, 20}},    {"q5_0", {6, 32, 22}},      {"q5_1", {7, 32, 24}},
    {"q8_0", {8, 32, 34}},    {"q2_K", {10, 256, 84}},    {"q3_K", {11, 256, 110}},
    {"q4_K", {12, 256, 144}}, {"q5_K", {13, 256, 176}},   {"q6_K", {14, 256, 210}},
    {"iq4_nl", {20, 32, 18}}, {"iq4_xs", {23, 256, 136}}, {"bf16", {30, 1, 2}},
    {"mxfp4", {39, 32, 17}},  {"nvfp4", {40, 64, 36}},    {"q1_0", {41, 128, 18}},
    {"q2_0", {42, 64, 18}},
};

template <class F>
void check_format() {
  SCOPED_TRACE(F::name);
  const auto found = published.find(F::name);
  ASSERT_NE(found, published.end());
  EXPECT_EQ(static_cast<std::size_t>(F::id), found->second[0]);
  EXPECT_EQ(F::group, found->second[1]);
  EXPECT_EQ(F::block_bytes, found->second[2]);
  EXPECT_EQ(sizeof(typename F::Block), F::block_bytes);
  static_assert(std::is_trivially_copyable_v<typename F::Block>);
  static_assert(std::is_standard_layout_v<typename F::Block>);
  if constexpr (F::is_float) {
    static_assert(F::group == 1 && std::is_same_v<typename F::Block, typename F::Element>);
  } else {
    static_assert(F::code_bits >= 1 && F::code_bits <= 8 && F::code_bits != 7);
    static_assert(F::group % 32 == 0 && F::group % F::scale_group == 0);
    static_assert(alignof(typename F::Block) <= 2);
  }
}

TEST(FormatList, EveryFormatIsAsPublished) {
  all_formats::for_each([](auto f) { check_format<typename decltype(f)::type>(); });
}

TEST(FormatList, NumbersAndNamesAreUnique) {
  std::set<std::uint32_t> ids;
  std::set<std::string> names;
  all_formats::for_each([&](auto f) {
    using F = typename decltype(f)::type;
    EXPECT_TRUE(ids.insert(static_cast<std::uint32_t>(F::id)).second) << F::name;
    EXPECT_TRUE(names.insert(F::name).second) << F::name;
  });
  EXPECT_EQ(ids.size(), all_formats::size);
}

TEST(FormatList, EveryNumberOfTheEnumerationIsAFormat) {
  // A switch without default: a new number that this test does not know fails to compile (-Wswitch).
  std::size_t listed = 0;
  all_formats::for_each([&](auto f) {
    switch (decltype(f)::type::id) {
      case FormatId::f32:
      case FormatId::f16:
      case FormatId::q4_0:
      case FormatId::q4_1:
      case FormatId::q5_0:
      case FormatId::q5_1:
      case FormatId::q8_0:
      case FormatId::q2_K:
      case FormatId::q3_K:
      case FormatId::q4_K:
      case FormatId::q5_K:
      case FormatId::q6_K:
      case FormatId::iq4_nl:
      case FormatId::iq4_xs:
      case FormatId::bf16:
      case FormatId::mxfp4:
      case FormatId::nvfp4:
      case FormatId::q1_0:
      case FormatId::q2_0:
        ++listed;
    }
  });
  EXPECT_EQ(listed, published.size());
}

}  // namespace

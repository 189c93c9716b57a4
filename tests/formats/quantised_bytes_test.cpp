// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The bytes that each format's quantiser makes, as one hash per format. The hashes are those of the
// published quantisers: the compiled library (version 0.27) gives the same bytes for all these blocks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/formats/entries.hpp"
#include "tests/formats/rule_blocks.hpp"

namespace {

using namespace tessera_test;

const std::map<std::string, std::uint64_t> published_bytes = {
    {"q8_0", 0xc4b8de44bf09b172u},
    {"q4_0", 0x4240e622b77ef7eeu},
    {"q4_1", 0x001fae9d2df3a8b1u},
    {"q5_0", 0x1e349e5cb4db3f04u},
    {"q5_1", 0x14d1941f3bddcd66u},
    {"q2_K", 0xc3c0888138f89537u},
    {"q3_K", 0x8054ec132ee7583fu},
    {"q4_K", 0x55b2b902a988d52bu},
    {"q5_K", 0xcb514ed184431fceu},
    {"q6_K", 0x08b8213f416006d2u},
    {"iq4_nl", 0x46f8c04d2eae1aebu},
    {"iq4_xs", 0x2db8e28ced519d49u},
    {"mxfp4", 0x652c503082f46cd7u},
    {"nvfp4", 0x260c74adc8bc8a90u},
    {"q1_0", 0xa953b518a3b319a9u},
    {"q2_0", 0xa7b6b95b83bfe91fu},
    // Rules of the library's own (formats/nbits.hpp).
    {"nbits16_f16z", 0x37f8c8164d054c4bu},
    {"nbits128_f32", 0x37128f998494d53fu},
};

TEST(QuantisedBytes, AreThoseOfThePublishedRules) {
  EXPECT_EQ(published_bytes.size(), block_entries().size());
  for (const BlockEntry& f : block_entries()) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    std::vector<std::byte> block(f.block_bytes);
    for (int kind = 0; kind < rule_kinds; ++kind) {
      Random r(static_cast<std::uint64_t>(kind));
      for (int t = 0; t < 8; ++t) {
        f.quantize(rule_block(kind, f.group, r).data(), block.data());
        for (const std::byte b : block)
          hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
      }
    }
    const auto want = published_bytes.find(f.name);
    ASSERT_NE(want, published_bytes.end()) << f.name;
    EXPECT_EQ(hash, want->second) << f.name << ": " << std::hex << hash;
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The trained network's file is read, and no damaged one is, whatever its bytes are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "examples/hybrid/cases.hpp"
#include "examples/hybrid/network.hpp"
#include "examples/shared/files.hpp"

namespace {

std::vector<std::byte> shipped(const char* name) {
  std::string error;
  auto bytes = examples::read_file(std::string(TESSERA_HYBRID_FOLDER "/") + name, &error);
  EXPECT_TRUE(bytes) << error;
  return bytes ? *bytes : std::vector<std::byte>();
}

TEST(Network, ShippedFilesAreRead) {
  std::string error;
  const auto bytes = shipped("weights.safetensors");
  EXPECT_LT(bytes.size(), 1'000'000u);
  const auto network = hybrid::Network::parse(bytes, &error);
  ASSERT_TRUE(network) << error;
  EXPECT_EQ(network->layers().size(), 7u);
  const auto cases = hybrid::parse_cases(shipped("held_out.txt"), &error);
  ASSERT_TRUE(cases) << error;
  for (const hybrid::Case& c : *cases) EXPECT_TRUE(network->encode(c.prompt, &error)) << error;
}

TEST(Network, CutFilesAreRefused) {
  const auto bytes = shipped("weights.safetensors");
  for (std::size_t size = 0; size < bytes.size(); size += size < 4096 ? 61 : 29'989) {
    std::string error;
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(hybrid::Network::parse(cut, &error)) << size;
    EXPECT_FALSE(error.empty()) << size;
  }
}

TEST(Network, DamagedHeadersAreReadOrRefused) {
  const auto bytes = shipped("weights.safetensors");
  for (std::size_t at = 0; at < 6000; at += 37)
    for (const char c : {'9', '"', '{', '\\', '\xff'}) {
      std::vector<std::byte> damaged = bytes;
      damaged[at] = std::byte(c);
      std::string error;
      const bool read = hybrid::Network::parse(damaged, &error).has_value();
      EXPECT_TRUE(read || !error.empty()) << at;
    }
}

}  // namespace

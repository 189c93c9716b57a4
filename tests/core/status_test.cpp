// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every Status has a number and a sentence of its own.
#include "tessera/core/status.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace {

using tessera::Status;

constexpr auto count = static_cast<std::uint32_t>(Status::count_);

TEST(Status, OkIsZero) {
  static_assert(static_cast<std::uint32_t>(Status::ok) == 0);
  static_assert(sizeof(Status) == 4);
  EXPECT_STREQ(message(Status::ok), "ok");
}

TEST(Status, EveryCodeHasItsOwnSentence) {
  const std::string unknown = message(Status::count_);
  std::set<std::string> seen;
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* text = message(static_cast<Status>(i));
    ASSERT_NE(text, nullptr) << i;
    EXPECT_NE(std::string(text), "") << i;
    EXPECT_NE(std::string(text), unknown) << "code " << i << " has no sentence";
    EXPECT_TRUE(seen.insert(text).second) << i << " repeats: " << text;
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(Status, ValuesOutsideTheListHaveASentenceToo) {
  for (const std::uint32_t i : {count, count + 1, 0x7fffffffu, 0xffffffffu}) {
    ASSERT_NE(message(static_cast<Status>(i)), nullptr);
    EXPECT_STREQ(message(static_cast<Status>(i)), "not a status");
  }
}

TEST(Status, SentencesAreConstants) {
  static_assert(message(Status::overlap)[0] != '\0');
  static_assert(message(static_cast<Status>(1000))[0] != '\0');
}

}  // namespace

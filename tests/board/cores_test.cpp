// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/cores.hpp"
#include "bench/check/options.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace {

using namespace board;

TEST(Cores, of_one_chip_are_told_apart) {
  // In the form of a K3: a core of each kind.
  const auto all = read_processors(
      "processor\t: 7\nhart\t\t: 7\nisa\t\t: rv64imafdcv_zvfh\nmmu\t\t: sv39\n"
      "mvendorid\t: 0x710\nmarchid\t\t: 0x8000000058000002\nmimpid\t\t: 0x1000\n\n"
      "processor\t: 8\nisa\t\t: rv64imafdcv\nuarch\t\t: spacemit,a100\n"
      "mvendorid\t: 0x710\nmarchid\t\t: 0x8000000041000002\n\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].number, 7);
  EXPECT_EQ(all[0].mvendorid, 0x710u);
  EXPECT_EQ(all[0].marchid, 0x8000000058000002u);
  EXPECT_EQ(all[0].mimpid, 0x1000u);
  EXPECT_EQ(all[0].isa, "rv64imafdcv_zvfh");
  EXPECT_FALSE(is_a100(all[0]));
  EXPECT_EQ(all[1].number, 8);
  EXPECT_EQ(all[1].mimpid, 0u);
  EXPECT_EQ(all[1].name, "spacemit,a100");
  EXPECT_TRUE(is_a100(all[1]));
}

TEST(Cores, of_other_machines_have_names) {
  const auto all = read_processors("vendor_id : GenuineX\nprocessor : 0\nmodel name : A B: C\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "A B: C");
  EXPECT_EQ(all[0].mvendorid, 0u);
  EXPECT_TRUE(read_processors("").empty());
}

TEST(Cores, exist_for_this_process) {
  ASSERT_FALSE(processors().empty());
  EXPECT_NE(move_to({.number = -1, .isa = "", .name = ""}), "");
  EXPECT_NE(move_to({.number = 8191, .isa = "", .name = ""}), "");
}

TEST(Lists, of_numbers) {
  EXPECT_EQ(numbers_of("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(list_of({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(list_of({}), "");
  for (const char* wrong : {"", "-", "3-", ",1", "1,", "x", "1-2-3", "99999"})
    EXPECT_TRUE(numbers_of(wrong).empty()) << wrong;
}

Options options_of(std::initializer_list<const char*> words) {
  std::vector<char*> all{const_cast<char*>("tessera-check")};
  for (const char* word : words) all.push_back(const_cast<char*>(word));
  return read_options(static_cast<int>(all.size()), all.data());
}

TEST(CommandLine, chooses_parts_and_files) {
  const Options plain = options_of({});
  EXPECT_EQ(plain.error, "");
  EXPECT_TRUE(plain.instructions && plain.questions && plain.kernels && plain.speed);
  EXPECT_EQ(plain.json, "tessera-check.json");
  const Options some =
      options_of({"--only", "questions,speed", "--quick", "--json", "x", "--cores", "4"});
  EXPECT_EQ(some.error, "");
  EXPECT_TRUE(some.questions && some.speed && some.quick);
  EXPECT_FALSE(some.instructions || some.kernels);
  EXPECT_EQ(some.json, "x");
  EXPECT_EQ(some.cores, std::vector<int>{4});
}

TEST(CommandLine, names_what_is_wrong) {
  for (const auto& words : {options_of({"--fast"}), options_of({"--json"}),
                            options_of({"--cores", "a"}), options_of({"--only", "all"})})
    EXPECT_NE(words.error, "");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Text to tokens and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examples/stories/tokenizer.hpp"

namespace {

using stories::Tokenizer;
using Entries = std::vector<std::pair<float, std::string>>;
using Tokens = std::vector<std::int32_t>;

template <class T>
void append(std::vector<std::byte>* bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes->insert(bytes->end(), first, first + sizeof value);
}

Tokenizer tokenizer_of(const Entries& entries) {
  std::size_t longest = 0;
  for (const auto& [score, text] : entries) longest = std::max(longest, text.size());
  std::vector<std::byte> bytes;
  append(&bytes, static_cast<std::int32_t>(longest));
  for (const auto& [score, text] : entries) {
    append(&bytes, score);
    append(&bytes, static_cast<std::int32_t>(text.size()));
    for (const char c : text) append(&bytes, c);
  }
  std::string error;
  auto tokenizer = Tokenizer::parse(bytes, entries.size(), &error);
  EXPECT_TRUE(tokenizer) << error;
  return *std::move(tokenizer);
}

/// <unk>, the two marks and all bytes, then the given texts from token 259 on.
Tokenizer with_bytes(const Entries& more) {
  Entries entries = {{0.0f, "<unk>"}, {0.0f, "\n<s>\n"}, {0.0f, "\n</s>\n"}};
  constexpr char digits[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < 256; ++i)
    entries.emplace_back(0.0f, std::string("<0x") + digits[i / 16] + digits[i % 16] + ">");
  entries.insert(entries.end(), more.begin(), more.end());
  return tokenizer_of(entries);
}

std::optional<Tokens> encoded(const Tokenizer& tokenizer, const std::string& text) {
  std::string error;
  const auto tokens = tokenizer.encode(text, &error);
  EXPECT_EQ(tokens.has_value(), error.empty());
  return tokens;
}

TEST(Encode, NothingIsTheBeginTokenAlone) {
  EXPECT_EQ(encoded(with_bytes({{-1.0f, " "}}), ""), Tokens({1}));
}

TEST(Encode, BestScoreIsUnitedFirst) {
  // " ab": " a" + b would win by place, "ab" wins by score.
  const Tokenizer t =
      with_bytes({{-9.0f, " "}, {-9.0f, "a"}, {-9.0f, "b"}, {-2.0f, " a"}, {-1.0f, "ab"}});
  EXPECT_EQ(encoded(t, "ab"), Tokens({1, 259, 263}));
}

TEST(Encode, EqualScoresAreUnitedFromTheLeft) {
  const Tokenizer t =
      with_bytes({{-9.0f, " "}, {-9.0f, "a"}, {-9.0f, "b"}, {-1.0f, " a"}, {-1.0f, "ab"}});
  EXPECT_EQ(encoded(t, "ab"), Tokens({1, 262, 261}));
}

TEST(Encode, UnionsAreUnitedAgain) {
  const Tokenizer t =
      with_bytes({{-9.0f, " "}, {-9.0f, "a"}, {-9.0f, "b"}, {-1.0f, "ab"}, {-3.0f, " ab"}});
  EXPECT_EQ(encoded(t, "ab"), Tokens({1, 263}));
}

TEST(Encode, BeginTokenIsNeverUnited) {
  const Tokenizer t = with_bytes({{-9.0f, " "}, {-9.0f, "a"}, {-1.0f, "\n<s>\n "}});
  EXPECT_EQ(encoded(t, "a"), Tokens({1, 259, 260}));
}

TEST(Encode, UnknownCharactersBecomeTheirBytes) {
  const Tokenizer t = with_bytes({{-9.0f, " "}});
  EXPECT_EQ(encoded(t, "\xe2\x82\xac"), Tokens({1, 259, 3 + 0xe2, 3 + 0x82, 3 + 0xac}));
}

TEST(Encode, KnownCharactersOfSeveralBytesStayWhole) {
  const Tokenizer t = with_bytes({{-9.0f, " "}, {-9.0f, "\xe2\x82\xac"}});
  EXPECT_EQ(encoded(t, "\xe2\x82\xac"), Tokens({1, 259, 260}));
}

TEST(Encode, StrayContinuationBytesStandAlone) {
  const Tokenizer t = with_bytes({{-9.0f, " "}});
  EXPECT_EQ(encoded(t, "\x82\x82"), Tokens({1, 259, 3 + 0x82, 3 + 0x82}));
}

TEST(Encode, SmallVocabulariesRefuseWhatTheyLack) {
  const Tokenizer t = tokenizer_of({{0.0f, "<unk>"}, {0.0f, "<s>"}, {0.0f, "a"}, {0.0f, "b"}});
  EXPECT_EQ(encoded(t, "ba"), Tokens({1, 3, 2}));
  EXPECT_EQ(encoded(t, "bc"), std::nullopt);
  EXPECT_EQ(encoded(t, std::string("\0", 1)), std::nullopt);  // token 3 is no byte
}

TEST(Piece, FollowsThePublishedPrinter) {
  const Tokenizer t = with_bytes({{-1.0f, " Once"}, {-2.0f, "x"}});
  EXPECT_EQ(t.piece(1, 259), "Once");
  EXPECT_EQ(t.piece(260, 259), " Once");
  EXPECT_EQ(t.piece(5, 3 + 0x0a), "\n");
  EXPECT_EQ(t.piece(5, 3 + 0x07), "");      // a bell
  EXPECT_EQ(t.piece(5, 3 + 0xe2), "\xe2");  // part of a character
}

}  // namespace

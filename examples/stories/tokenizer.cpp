// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/tokenizer.hpp"

#include <algorithm>
#include <cmath>

#include "examples/stories/byte_reader.hpp"

namespace stories {
namespace {

std::string of_token(std::size_t i, const char* what) {
  return "token " + std::to_string(i) + ": " + what;
}

/// The byte that "<0x0A>" names; -1 for other texts.
int named_byte(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const std::size_t digit = std::string_view("0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos) return -1;
    value = value * 16 + static_cast<int>(digit);
  }
  return value;
}

bool printable(unsigned char c) {
  return c >= 0x80 || (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r');
}

/// Bytes of the UTF-8 character that starts at `at`; stray continuation bytes stand alone.
std::size_t character_length(std::string_view text, std::size_t at) {
  constexpr std::size_t longest = 4;
  std::size_t n = 1;
  if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) {
    while (n < longest && at + n < text.size() &&
           (static_cast<unsigned char>(text[at + n]) & 0xc0) == 0x80)
      ++n;
  }
  return n;
}

}  // namespace

std::optional<Tokenizer> Tokenizer::parse(std::span<const std::byte> bytes, std::size_t vocab,
                                          std::string* error) {
  ByteReader reader(bytes);
  std::int32_t promised = 0;
  if (!reader.read(&promised)) {
    *error = "the file ends inside the length of the longest token";
    return std::nullopt;
  }
  Tokenizer result;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < vocab; ++i) {
    Entry entry;
    std::int32_t length = 0;
    if (!reader.read(&entry.score) || !reader.read(&length)) {
      *error = of_token(i, "the file ends before it; the model has ") + std::to_string(vocab);
      return std::nullopt;
    }
    if (!std::isfinite(entry.score)) {
      *error = of_token(i, "its score is not a finite number");
      return std::nullopt;
    }
    if (length < 0 || static_cast<std::size_t>(length) > reader.left()) {
      *error = of_token(i, "its length is ") + std::to_string(length) + ", the file has " +
               std::to_string(reader.left()) + " bytes left";
      return std::nullopt;
    }
    entry.text.resize(static_cast<std::size_t>(length));
    if (!reader.read(std::span<char>(entry.text))) return std::nullopt;
    longest = std::max(longest, entry.text.size());
    // Of equal texts the first one counts.
    result.by_text_.emplace(entry.text, static_cast<std::int32_t>(i));
    result.entries_.push_back(std::move(entry));
  }
  if (reader.left() != 0) {
    *error = "the file goes on behind the " + std::to_string(vocab) + " tokens of the model";
    return std::nullopt;
  }
  if (promised < 0 || static_cast<std::size_t>(promised) != longest) {
    *error = "header: the longest token is said to have " + std::to_string(promised) +
             " bytes, but has " + std::to_string(longest);
    return std::nullopt;
  }
  return result;
}

std::string Tokenizer::piece(std::int32_t previous, std::int32_t token) const {
  std::string text = entries_[static_cast<std::size_t>(token)].text;
  if (previous == begin_token && text.starts_with(' ')) text.erase(0, 1);
  if (const int byte = named_byte(text); byte >= 0) text.assign(1, static_cast<char>(byte));
  if (text.size() == 1 && !printable(static_cast<unsigned char>(text[0]))) text.clear();
  return text;
}

std::int32_t Tokenizer::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? -1 : found->second;
}

bool Tokenizer::append_character(std::string_view character,
                                 std::vector<std::int32_t>* tokens) const {
  if (const std::int32_t token = find(character); token >= 0) {
    tokens->push_back(token);
    return true;
  }
  for (const char c : character) {
    const std::size_t token = static_cast<unsigned char>(c) + std::size_t{first_byte_token};
    if (token >= entries_.size() ||
        named_byte(entries_[token].text) != static_cast<unsigned char>(c))
      return false;
    tokens->push_back(static_cast<std::int32_t>(token));
  }
  return true;
}

bool Tokenizer::unite_best_pair(std::vector<std::int32_t>* tokens) const {
  std::int32_t best = -1;
  std::size_t place = 0;
  for (std::size_t i = 1; i + 1 < tokens->size(); ++i) {  // never the begin token
    const std::int32_t token = find(entries_[static_cast<std::size_t>((*tokens)[i])].text +
                                    entries_[static_cast<std::size_t>((*tokens)[i + 1])].text);
    if (token < 0) continue;
    if (best < 0 || entries_[static_cast<std::size_t>(token)].score >
                        entries_[static_cast<std::size_t>(best)].score) {
      best = token;
      place = i;
    }
  }
  if (best < 0) return false;
  (*tokens)[place] = best;
  tokens->erase(tokens->begin() + static_cast<std::ptrdiff_t>(place) + 1);
  return true;
}

std::optional<std::vector<std::int32_t>> Tokenizer::encode(std::string_view text,
                                                           std::string* error) const {
  std::vector<std::int32_t> tokens = {begin_token};
  if (text.empty()) return tokens;
  // Every text is encoded as if a space stood before it.
  if (const std::int32_t space = find(" "); space >= 0) tokens.push_back(space);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = character_length(text, at);
    if (!append_character(text.substr(at, n), &tokens)) {
      *error = "the tokenizer has no token for the character at byte " + std::to_string(at);
      return std::nullopt;
    }
    at += n;
  }
  while (unite_best_pair(&tokens)) {
  }
  return tokens;
}

}  // namespace stories

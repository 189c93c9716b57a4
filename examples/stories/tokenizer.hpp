// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A llama2.c tokenizer: int32 length of the longest token, then per token f32 score, int32 length,
/// bytes. The model's vocabulary says how many tokens there are.
#ifndef TESSERA_EXAMPLES_STORIES_TOKENIZER_HPP_
#define TESSERA_EXAMPLES_STORIES_TOKENIZER_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stories {

/// The token before every text, and the one that ends it.
inline constexpr std::int32_t begin_token = 1;

/// Token numbers to text and back.
class Tokenizer {
 public:
  /// Reads a file's bytes, which must hold exactly `vocab` tokens. Without a value, `error` says
  /// which token is wrong and why.
  static std::optional<Tokenizer> parse(std::span<const std::byte> bytes, std::size_t vocab,
                                        std::string* error);

  /// The text of a token that follows `previous`: no leading space after the begin token;
  /// "<0x0A>" is the byte it names; single bytes that no terminal should see are left out.
  [[nodiscard]] std::string piece(std::int32_t previous, std::int32_t token) const;

  /// The begin token, then the text as byte-pair encoding with scores makes it: characters first,
  /// unknown ones as their bytes, then the neighbours whose union has the best score are united.
  /// Without a value, `error` names a character that the tokenizer lacks.
  [[nodiscard]] std::optional<std::vector<std::int32_t>> encode(std::string_view text,
                                                                std::string* error) const;

 private:
  static constexpr std::int32_t first_byte_token = 3;

  [[nodiscard]] std::int32_t find(std::string_view text) const;
  bool append_character(std::string_view character, std::vector<std::int32_t>* tokens) const;
  bool unite_best_pair(std::vector<std::int32_t>* tokens) const;

  struct Entry {
    float score = 0;
    std::string text;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::int32_t, std::less<>> by_text_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_TOKENIZER_HPP_

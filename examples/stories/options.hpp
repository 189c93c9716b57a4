// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The command line of the program.
#ifndef TESSERA_EXAMPLES_STORIES_OPTIONS_HPP_
#define TESSERA_EXAMPLES_STORIES_OPTIONS_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stories {

struct Options {
  std::string model;
  std::string tokenizer;  ///< empty: beside the model
  std::string prompt;
  std::string weights = "f32";
  std::string cache = "f32";
  std::string backend;     ///< empty: the default backend
  std::string report;      ///< empty: none
  std::string trace;       ///< empty: none
  std::string synthesize;  ///< empty: generate text
  std::size_t tokens = 256;
  std::size_t prefix = 32;
  bool plant = false;
  bool compare = false;
  bool list = false;
  bool help = false;
};

inline constexpr const char* usage =
    "stories --model FILE [OPTIONS]    continues a text with a llama2.c checkpoint\n"
    "  --model FILE        the checkpoint; default: the environment's TESSERA_MODEL\n"
    "  --tokenizer FILE    default: beside the model, tok<vocab_size>.bin or tokenizer.bin\n"
    "  --prompt TEXT       what the text begins with\n"
    "  --tokens N          at most so many tokens (256); a text also ends at token 1\n"
    "  --weights F         f32, f16, bf16, q8_0 or q4_0\n"
    "  --cache F           keys and values: f32, f16, q8_0 or q4_0 (f32)\n"
    "  --backend NAME      see --list; default: the best that the compiler's flags allow\n"
    "  --report FILE       writes \"key value\" lines: digests of the logits and what ran where\n"
    "  --prefix N          digest and counts of the report cover so many tokens (32)\n"
    "  --trace FILE        writes a digest of every tensor of the prefix\n"
    "                      (the environment's TESSERA_RECORD=FOLDER: every operator with its "
    "tensors)\n"
    "  --plant             flips one bit of the packed weights\n"
    "  --compare           no text: every format on every backend, or on --backend; same bits as\n"
    "                      scalar? Without --model on an untrained one\n"
    "  --list              prints the backends and formats of this program\n"
    "  --synthesize FILE   writes an untrained model and its tokenizer, and ends\n";

/// Without a value, `error` says which option is wrong.
std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_OPTIONS_HPP_

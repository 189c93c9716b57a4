// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The command line of the program.
#ifndef TESSERA_EXAMPLES_HYBRID_OPTIONS_HPP_
#define TESSERA_EXAMPLES_HYBRID_OPTIONS_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace hybrid {

struct Options {
  std::string model = "examples/hybrid/weights.safetensors";
  std::string held_out = "examples/hybrid/held_out.txt";
  std::string prompt;   ///< empty: from the standard input
  std::string weights;  ///< empty: f32; to compare: all
  std::string cache = "f32";
  std::string backend;  ///< empty: the default backend
  std::size_t sequences = 8;
  std::size_t piece = 0;
  std::size_t cases = 0;  ///< of each task; 0: all
  std::size_t floor = 0;  ///< percent
  bool sequential = false;
  bool plant = false;
  bool eval = false;
  bool compare = false;
  bool cut = false;
  bool logits = false;
  bool list = false;
  bool help = false;
};

inline constexpr const char* usage =
    "hybrid [OPTIONS]      answers prompts with the network of this folder, one a line from the "
    "standard input\n"
    "  --prompt TEXT       answers this one\n"
    "  --eval              answers the held-out set: accuracy per task, digest, retired matrix "
    "instructions\n"
    "  --compare           answers it on every backend, or on --backend, in every format, or in "
    "--weights: same bits as "
    "scalar?\n"
    "  --cut               answers it several times with the work cut in other ways: same bits?\n"
    "  --logits            with --prompt: the logits behind it, one a line\n"
    "  --list              prints the backends and formats of this program\n"
    "  --model FILE        a container (examples/hybrid/weights.safetensors)\n"
    "  --held-out FILE     (examples/hybrid/held_out.txt)\n"
    "  --cases N           only the last N cases of each task, the longest\n"
    "  --floor P           with --eval: exit code 1 if a task's accuracy is below P percent\n"
    "  --weights F         f32, q8_0, q4_K or another format that --list prints (f32)\n"
    "  --cache F           keys and values: f32, f16, q8_0 or q4_0 (f32)\n"
    "  --backend NAME      see --list; default: the best that the compiler's flags allow\n"
    "  --sequences N       with --eval: so many prompts at once (8)\n"
    "  --piece N           with --eval or a prompt: in pieces of N tokens\n"
    "  --sequential        prompts token by token instead of in chunks\n"
    "  --plant             flips one bit of the packed weights\n"
    "An option that a run does not read is refused.\n";

/// Without a value, `error` says which option is wrong.
std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error);

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_OPTIONS_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/program.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "examples/shared/choices.hpp"
#include "examples/shared/files.hpp"
#include "examples/stories/compare.hpp"
#include "examples/stories/generate.hpp"
#include "examples/stories/options.hpp"
#include "examples/stories/report.hpp"
#include "examples/stories/synthetic.hpp"
#include "tessera/record.hpp"

namespace stories {
namespace {

constexpr int good = 0;
constexpr int wrong = 1;
constexpr int refused = 2;

int complain(std::FILE* err, const std::string& sentence) {
  std::fprintf(err, "stories: %s\n", sentence.c_str());
  return refused;
}

/// Writes every operator to the folder that TESSERA_RECORD names, if it names one.
class Recording final : public Watcher {
 public:
  void before(const tessera::OperatorCall& call) override { recorder_.before(call); }
  void after(const tessera::OperatorCall& call) override { recorder_.after(call); }
  bool active() const { return recorder_.active(); }
  const char* problem() const { return recorder_.problem(); }

 private:
  tessera::Recorder recorder_;
};

std::string beside(const std::string& path, const std::string& name) {
  const std::size_t slash = path.rfind('/');
  return (slash == std::string::npos ? std::string() : path.substr(0, slash + 1)) + name;
}

std::string tokenizer_name(std::size_t vocab) {
  return "tok" + std::to_string(vocab) + ".bin";
}

/// Both files, read and checked.
struct Files {
  Checkpoint checkpoint;
  Tokenizer tokenizer;
};

std::optional<Files> untrained_files(std::string* error) {
  const std::size_t vocab = synthetic_shape.vocab;
  auto checkpoint = Checkpoint::parse(synthetic_checkpoint(synthetic_shape), error);
  auto tokenizer = Tokenizer::parse(synthetic_tokenizer(vocab), vocab, error);
  if (!checkpoint || !tokenizer) return std::nullopt;
  return Files{*std::move(checkpoint), *std::move(tokenizer)};
}

std::optional<Files> load_files(const Options& options, std::string* error) {
  const auto model_bytes = examples::read_file(options.model, error);
  if (!model_bytes) return std::nullopt;
  auto checkpoint = Checkpoint::parse(*model_bytes, error);
  if (!checkpoint) {
    *error = options.model + ": " + *error;
    return std::nullopt;
  }
  const std::size_t vocab = checkpoint->shape().vocab;
  std::string path = options.tokenizer;
  if (path.empty()) path = beside(options.model, tokenizer_name(vocab));
  if (options.tokenizer.empty() && !examples::file_exists(path))
    path = beside(options.model, "tokenizer.bin");
  const auto tokenizer_bytes = examples::read_file(path, error);
  if (!tokenizer_bytes) return std::nullopt;
  auto tokenizer = Tokenizer::parse(*tokenizer_bytes, vocab, error);
  if (!tokenizer) {
    *error = path + ": " + *error;
    return std::nullopt;
  }
  return Files{*std::move(checkpoint), *std::move(tokenizer)};
}

std::optional<ModelKind> find_kind(const Options& options, std::string* error) {
  const std::string backend =
      options.backend.empty() ? examples::default_backend_name() : options.backend;
  bool known = false;
  for (const ModelKind& kind : model_kinds()) {
    if (backend != kind.backend.name) continue;
    known = true;
    if (options.weights != kind.weights) continue;
    if (kind.backend.usable == tessera::Status::ok) return kind;
    *error = "backend " + backend + ": " + tessera::message(kind.backend.usable);
    return std::nullopt;
  }
  *error = known ? "--weights: there is no format " + options.weights
                 : "--backend: this program has no backend " + backend;
  *error += " (--list prints what there is)";
  return std::nullopt;
}

int synthesize(const Options& options, std::FILE* err) {
  const std::size_t vocab = synthetic_shape.vocab;
  const std::string tokenizer = options.tokenizer.empty()
                                    ? beside(options.synthesize, tokenizer_name(vocab))
                                    : options.tokenizer;
  std::string error;
  if (!examples::write_file(options.synthesize, synthetic_checkpoint(synthetic_shape), &error) ||
      !examples::write_file(tokenizer, synthetic_tokenizer(vocab), &error))
    return complain(err, error);
  return good;
}

int list(std::FILE* out) {
  for (const ModelKind& kind : model_kinds())
    std::fprintf(
        out, "%s %s%s%s\n", kind.backend.name, kind.weights,
        kind.backend.usable == tessera::Status::ok ? "" : ": ",
        kind.backend.usable == tessera::Status::ok ? "" : tessera::message(kind.backend.usable));
  return good;
}

/// The format of --cache; false after a complaint.
bool find_cache(const Options& options, tessera::FormatId* cache, std::string* error) {
  if (examples::find_cache_format(options.cache, cache)) return true;
  *error = "--cache: there is no format " + options.cache + " (f32, f16, q8_0 or q4_0)";
  return false;
}

int compare(const Options& options, std::FILE* out, std::FILE* err) {
  std::string error;
  tessera::FormatId cache;
  if (!find_cache(options, &cache, &error)) return complain(err, error);
  if (!options.backend.empty() && !find_kind(options, &error)) return complain(err, error);
  const auto files = options.model.empty() ? untrained_files(&error) : load_files(options, &error);
  if (!files) return complain(err, error);
  const std::size_t failed = compare_backends(files->checkpoint, files->tokenizer, options.backend,
                                              cache, options.tokens, out);
  return failed == 0 ? good : wrong;
}

int tell(const Options& options, std::FILE* out, std::FILE* err) {
  std::string error;
  const auto kind = find_kind(options, &error);
  if (!kind) return complain(err, error);
  tessera::FormatId cache;
  if (!find_cache(options, &cache, &error)) return complain(err, error);
  const auto files = load_files(options, &error);
  if (!files) return complain(err, error);
  const auto prompt = files->tokenizer.encode(options.prompt, &error);
  if (!prompt) return complain(err, "--prompt: " + error);
  const Shape& shape = files->checkpoint.shape();
  if (prompt->size() > shape.seq_len)
    return complain(err, "--prompt: its " + std::to_string(prompt->size()) +
                             " tokens are more than the model's " + std::to_string(shape.seq_len));

  const std::unique_ptr<Transformer> model = kind->make(files->checkpoint, cache);
  if (const tessera::Status s = model->load(); s != tessera::Status::ok)
    return complain(err, options.model + ": " + tessera::message(s));
  if (options.plant && !model->plant()) return complain(err, "--plant: there is no bit to flip");

  const auto recording = std::make_unique<Recording>();
  if (recording->active()) model->watch(recording.get());
  Trace trace;
  const GenerateOptions what = {options.tokens, options.prefix,
                                options.trace.empty() ? nullptr : &trace};
  const Generated result = generate(*model, shape, files->tokenizer, *prompt, what, out);
  if (result.status != tessera::Status::ok)
    return complain(err, std::string("a kernel refused: ") + tessera::message(result.status));
  if (recording->problem() != nullptr)
    return complain(err, std::string("TESSERA_RECORD: ") + recording->problem());
  const auto write = [&](const std::string& path, const std::string& text) {
    return path.empty() ||
           examples::write_file(path, std::as_bytes(std::span<const char>(text)), &error);
  };
  if (!write(options.trace, trace.text()) || !write(options.report, report(*kind, result)))
    return complain(err, error);
  return good;
}

}  // namespace

int run(std::span<const char* const> arguments, std::FILE* out, std::FILE* err) {
  std::string error;
  auto options = parse_options(arguments, &error);
  if (!options) return complain(err, error + "; --help prints all options");
  if (options->help) {
    std::fputs(usage, out);
    return good;
  }
  if (options->list) return list(out);
  if (!options->synthesize.empty()) return synthesize(*options, err);
  if (options->model.empty() && !options->compare)
    if (const char* path = std::getenv("TESSERA_MODEL")) options->model = path;
  if (options->compare) return compare(*options, out, err);
  if (options->model.empty()) return complain(err, "--model: there is no model; --help prints all");
  return tell(*options, out, err);
}

}  // namespace stories

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Records what operators read and wrote, one folder per call, for tessera-diff and tessera-op --in.
///
/// Not included by tessera.hpp: it writes files through the C library and is for debugging. The folder
/// of call 12 is `000012_layer0.attention`, with an .npy file per tensor and `operator.txt`:
///
///     tessera-record 1
///     operator 12
///     name layer0.attention
///     kind attention
///     argument scale 0.353553
///     input q in0_q.npy consumed HASH produced HASH by 10
///     output out out0_out.npy produced HASH
///
/// An input's line ends after `consumed HASH` where no recorded operator wrote this very buffer, or with
/// `within 10` where operator 10 wrote a larger one around it; with `stale 4` where the buffer has
/// changed since and holds what operator 4 had written there. Constants,
/// as many as are remembered, are written once, to the folder `000000_constants`, and are produced by 0; one that has the name of another is written as
/// `name.12.npy`, the first number from the operator on that is free.
#ifndef TESSERA_RECORD_HPP_
#define TESSERA_RECORD_HPP_

#include <sys/stat.h>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tessera/config.hpp"
#include "tessera/core/buffer_hash.hpp"
#include "tessera/core/npy_header.hpp"
#include "tessera/core/production_log.hpp"
#include "tessera/operator_call.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Calls run(data, bytes) for the contiguous pieces of a tensor, in its order.
template <class Run>
void for_each_run(const CallTensor& t, Run&& run) {
  constexpr std::size_t axes = CallTensor::max_call_axes;
  std::size_t shape[axes] = {1, 1, 1, 1};
  std::ptrdiff_t strides[axes] = {};
  for (std::size_t i = 0; i < t.axes; ++i) {
    shape[axes - t.axes + i] = t.shape[i];
    strides[axes - t.axes + i] = t.strides[i];
  }
  const std::size_t size = size_of(t.type);
  const bool contiguous = shape[3] < 2 || strides[3] == 1;
  const std::size_t length = contiguous ? shape[3] : 1;
  const std::size_t pieces = contiguous ? (shape[3] != 0 ? 1 : 0) : shape[3];
  for (std::size_t i = 0; i < shape[0]; ++i)
    for (std::size_t j = 0; j < shape[1]; ++j)
      for (std::size_t k = 0; k < shape[2]; ++k)
        for (std::size_t l = 0; l < pieces; ++l) {
          const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * strides[0] +
                                    static_cast<std::ptrdiff_t>(j) * strides[1] +
                                    static_cast<std::ptrdiff_t>(k) * strides[2] +
                                    static_cast<std::ptrdiff_t>(l) * strides[3];
          run(static_cast<const unsigned char*>(t.data) + at * static_cast<std::ptrdiff_t>(size),
              length * size);
        }
}

/// In the order of memory: a view with exchanged axes has the hash of what was written there.
[[nodiscard]] inline std::uint64_t hash_of(CallTensor t) noexcept {
  const auto reach = [&](std::size_t i) { return t.strides[i] < 0 ? -t.strides[i] : t.strides[i]; };
  for (std::size_t end = t.axes; end > 1; --end)
    for (std::size_t i = 1; i < end; ++i) {
      if (reach(i - 1) >= reach(i)) continue;
      const std::size_t size = t.shape[i];
      const std::ptrdiff_t stride = t.strides[i];
      t.shape[i] = t.shape[i - 1], t.strides[i] = t.strides[i - 1];
      t.shape[i - 1] = size, t.strides[i - 1] = stride;
    }
  BufferHash hash;
  for_each_run(t, [&](const void* data, std::size_t size) { hash.add(data, size); });
  return hash.value();
}

/// The bytes from the first to the last element; of a copy, where the original begins.
[[nodiscard]] inline internal::Extent place_of(const CallTensor& t) noexcept {
  if (t.copy_of != nullptr) {
    const auto original = reinterpret_cast<std::uintptr_t>(t.copy_of);
    return {original, original + 1};
  }
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
  for (std::size_t i = 0; i < t.axes; ++i) {
    if (t.shape[i] == 0) return {0, 0};
    const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(t.shape[i] - 1) * t.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  const auto size = static_cast<std::ptrdiff_t>(size_of(t.type));
  const auto data = reinterpret_cast<std::uintptr_t>(t.data);
  return {data + static_cast<std::uintptr_t>(low * size),
          data + static_cast<std::uintptr_t>((high + 1) * size)};
}

}  // namespace detail

/// Writes a folder per operator call. About 170 KB, so better not on a small stack; one thread at a
/// time. A failure to write stops the recording and is kept in problem().
class Recorder {
 public:
  /// `folder` must outlive the recorder; null or "" records nothing. It is made if it is not there, and
  /// should be empty.
  explicit Recorder(const char* folder) noexcept
      : folder_(folder != nullptr && *folder != '\0' ? folder : nullptr) {
    if (folder_ != nullptr && !make_folder(folder_)) fail("the folder cannot be made");
  }
  /// Where the environment's TESSERA_RECORD says.
  Recorder() noexcept : Recorder(std::getenv("TESSERA_RECORD")) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { close(); }

  [[nodiscard]] bool active() const noexcept { return folder_ != nullptr; }
  /// What went wrong, in words; null if nothing.
  [[nodiscard]] const char* problem() const noexcept { return problem_; }

  /// To be called before the operator runs: writes its arguments and inputs.
  void before(const OperatorCall& call) noexcept {
    if (!active()) return;
    ++number_;
    char name[max_name];
    tidy(call.name, name);
    if (std::snprintf(call_folder_, sizeof call_folder_, "%s/%06zu_%s", folder_, number_, name) >=
        static_cast<int>(sizeof call_folder_))
      return fail("the folder's name is too long");
    if (!make_folder(call_folder_) || !open("operator.txt"))
      return fail("a folder or file cannot be made");
    char kind[max_name];
    tidy(call.kind, kind);
    std::fprintf(file_, "tessera-record 1\noperator %zu\nname %s\nkind %s\n", number_, name, kind);
    for (const CallArgument& a : call.arguments) write_argument(a);
    for (std::size_t i = 0; i < call.inputs.size() && active(); ++i) write_input(call.inputs[i], i);
  }

  /// To be called after it has run: writes its outputs.
  void after(const OperatorCall& call) noexcept {
    if (!active() || file_ == nullptr) return;
    for (std::size_t i = 0; i < call.outputs.size() && active(); ++i) {
      const CallTensor& t = call.outputs[i];
      char role[max_name];
      char path[max_name + 32];
      tidy(t.role, role);
      std::snprintf(path, sizeof path, "out%zu_%s.npy", i, role);
      const std::uint64_t hash = detail::hash_of(t);
      write_tensor(t, path);
      if (active()) std::fprintf(file_, "output %s %s produced %016" PRIx64 "\n", role, path, hash);
      log_.add(detail::place_of(t), hash, number_);
    }
    if (!close()) fail("a file cannot be written");
  }

  /// A buffer that was freed, or written by something that is not recorded.
  void forget(const CallTensor& t) noexcept { log_.forget_all(detail::place_of(t)); }

 private:
  static constexpr std::size_t max_name = 96;
  static constexpr std::size_t max_path = 1024;

  void fail(const char* what) noexcept {
    close();
    problem_ = what;
    folder_ = nullptr;
  }
  bool close() noexcept {
    const bool good = file_ == nullptr || (std::ferror(file_) == 0 && std::fflush(file_) == 0);
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
    return good;
  }
  bool open(const char* name) noexcept {
    file_ = open_in(call_folder_, name);
    return file_ != nullptr;
  }
  static std::FILE* open_in(const char* folder, const char* name) noexcept {
    char path[max_path + 2 * max_name];
    const int length = std::snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || length >= static_cast<int>(sizeof path)) return nullptr;
    return std::fopen(path, "wb");
  }
  /// Of a file in the call's folder, by its path from there.
  bool exists(const char* name) const noexcept {
    char path[max_path + 3 * max_name];
    struct stat status = {};
    std::snprintf(path, sizeof path, "%s/%s", call_folder_, name);
    return ::stat(path, &status) == 0;
  }
  static bool make_folder(const char* path) noexcept {
    struct stat status = {};
    return ::mkdir(path, 0777) == 0 || (::stat(path, &status) == 0 && S_ISDIR(status.st_mode));
  }
  /// What may stand in a file's name and in a line of words.
  static void tidy(const char* text, char (&out)[max_name]) noexcept {
    std::size_t n = 0;
    for (; text != nullptr && text[n] != '\0' && n + 1 < max_name; ++n) {
      const char c = text[n];
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '-' || c == '_' || (c == '.' && n != 0);
      out[n] = plain ? c : '_';
    }
    if (n == 0) out[n++] = '_';
    out[n] = '\0';
  }

  void write_argument(const CallArgument& a) noexcept {
    char name[max_name];
    char text[max_name];
    tidy(a.name, name);
    if (a.text == nullptr) {
      std::fprintf(file_, "argument %s %.17g\n", name, a.number);
    } else {
      tidy(a.text, text);
      std::fprintf(file_, "argument %s %s\n", name, text);
    }
  }

  void write_input(const CallTensor& t, std::size_t index) noexcept {
    char role[max_name];
    char path[2 * max_name];
    tidy(t.role, role);
    const internal::Extent place = detail::place_of(t);
    const std::uint64_t hash = detail::hash_of(t);
    const detail::Production* produced = log_.find(place);
    if (t.constant != nullptr && (produced != nullptr || log_.has_room())) {
      char constant[max_name];
      tidy(t.constant, constant);
      const auto set_path = [&](std::size_t version) {
        std::snprintf(path, sizeof path, "../000000_constants/%s.npy", constant);
        if (version != 0)
          std::snprintf(path, sizeof path, "../000000_constants/%s.%zu.npy", constant, version);
      };
      std::size_t version = produced != nullptr ? produced->version : 0;
      set_path(version);
      if (produced == nullptr) {
        while (exists(path)) set_path(version = version == 0 ? number_ : version + 1);
        write_constant(t, path);
        produced = log_.add_constant(place, hash, version) ? log_.find(place) : nullptr;
      }
    } else {
      std::snprintf(path, sizeof path, "in%zu_%s.npy", index, role);
      write_tensor(t, path);
    }
    if (!active()) return;
    std::fprintf(file_, "input %s %s consumed %016" PRIx64, role, path, hash);
    if (produced != nullptr) {
      std::fprintf(file_, " produced %016" PRIx64 " by %zu", produced->hash, produced->by);
      if (const auto* earlier = log_.find_earlier(place, hash);
          produced->hash != hash && earlier != nullptr)
        std::fprintf(file_, " stale %zu", earlier->by);
    } else if (const auto* around = log_.find_around(place)) {
      std::fprintf(file_, " within %zu", around->by);
    }
    std::fputc('\n', file_);
  }

  void write_constant(const CallTensor& t, const char* path) noexcept {
    char folder[max_path + max_name];
    std::snprintf(folder, sizeof folder, "%s/000000_constants", folder_);
    if (!make_folder(folder)) return fail("a folder cannot be made");
    write_tensor(t, path);
  }

  void write_tensor(const CallTensor& t, const char* path) noexcept {
    std::FILE* file = open_in(call_folder_, path);
    if (file == nullptr) return fail("a file cannot be made");
    const NpyHeader header = npy_header(t.type, std::span<const std::size_t>(t.shape, t.axes));
    bool good = std::fwrite(header.text, 1, header.size, file) == header.size;
    detail::for_each_run(t, [&](const void* data, std::size_t size) {
      good = good && std::fwrite(data, 1, size, file) == size;
    });
    if (std::fclose(file) != 0 || !good) fail("a file cannot be written");
  }

  const char* folder_;
  const char* problem_ = nullptr;
  std::FILE* file_ = nullptr;
  std::size_t number_ = 0;
  char call_folder_[max_path + max_name] = {};
  detail::ProductionLog log_;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_RECORD_HPP_

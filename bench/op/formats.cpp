// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/formats.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/op/matmul_run.hpp"
#include "tests/support/random.hpp"

namespace op {
namespace {

constexpr std::size_t rows = 384;  // whole panels of every tile
constexpr std::size_t cols = 1024;

/// Random stored blocks: any codes, any scale. Of a format with a scale per row all codes, then the scales and
/// the zero points.
template <class F>
std::vector<std::byte> stored_rows() {
  std::size_t size = rows * cols / F::group * F::block_bytes;
  if constexpr (tessera::RowFormat<F>) size += rows * F::row_header_bytes;
  std::vector<std::byte> bytes(size);
  tessera_test::Random random(1);
  tessera_test::fill_bytes(bytes, random);
  return bytes;
}

/// Packs them and unpacks the image again.
template <class F, class T>
bool pack_and_unpack(const std::vector<std::byte>& stored, std::span<std::byte> image,
                     std::vector<std::byte>& back) {
  using tessera::Status;
  if constexpr (tessera::RowFormat<F>) {
    using Code = typename F::Code;
    const auto* codes = reinterpret_cast<const Code*>(stored.data());
    const auto* scales = reinterpret_cast<const float*>(stored.data() + rows * cols);
    auto* to = reinterpret_cast<Code*>(back.data());
    auto* to_scales = reinterpret_cast<float*>(back.data() + rows * cols);
    constexpr std::size_t zeros_at = rows * (cols + sizeof(float));
    return tessera::pack_weights<F, T>(
               tessera::RowView<F>{codes, scales, codes + zeros_at, rows, cols, cols}, image) ==
               Status::ok &&
           tessera::unpack_weights<F, T>(
               image, rows, cols, tessera::RowOutput<F>{to, to_scales, to + zeros_at, cols}) ==
               Status::ok;
  } else {
    const std::size_t row_bytes = stored.size() / rows;
    const tessera::BlockView<F> view{stored.data(), rows, cols,
                                     static_cast<std::ptrdiff_t>(row_bytes)};
    return tessera::pack_weights<F, T>(view, image) == Status::ok &&
           tessera::unpack_weights<F, T>(image, rows, cols, back.data(), row_bytes) == Status::ok;
  }
}

/// Prints a layout's ratio; true if unpacking gives back every byte.
template <class F, class T>
bool round_trip(const std::vector<std::byte>& stored) {
  AlignedBytes image(tessera::packed_size<F, T>(rows, cols));
  std::vector<std::byte> back(stored.size());
  const bool done = pack_and_unpack<F, T>(stored, image.span(), back);
  std::printf(" %s %.3f", tile_name<T>().c_str(),
              static_cast<double>(image.span().size()) / static_cast<double>(stored.size()));
  return done && back == stored;
}

}  // namespace

int print_formats() {
  bool all_exact = true;
  const auto print = [&]<class F>(tessera::Type<F>) {
    std::printf("%s elements %zu bytes %zu packed", F::name, F::group, F::block_bytes);
    const auto stored = stored_rows<F>();
    bool exact = true;
    tiles_of<F>::for_each(
        [&]<class T>(tessera::Type<T>) { exact = round_trip<F, T>(stored) && exact; });
    std::printf(" %s\n", exact ? "roundtrip exact" : "roundtrip LOST");
    all_exact = all_exact && exact;
  };
  for_each_format(print);
  return all_exact ? good : wrong;
}

}  // namespace op

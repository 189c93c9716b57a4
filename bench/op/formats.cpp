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

/// Random stored blocks: any codes, any scale.
template <class F>
std::vector<std::byte> stored_rows() {
  std::vector<std::byte> bytes(rows * cols / F::group * F::block_bytes);
  tessera_test::Random random(1);
  tessera_test::fill_bytes(bytes, random);
  return bytes;
}

/// Prints a layout's ratio; true if unpacking gives back every byte.
template <class F, class T>
bool round_trip(const std::vector<std::byte>& stored) {
  const std::size_t row_bytes = stored.size() / rows;
  const tessera::BlockView<F> view{stored.data(), rows, cols,
                                   static_cast<std::ptrdiff_t>(row_bytes)};
  AlignedBytes image(tessera::packed_size<F, T>(rows, cols));
  std::vector<std::byte> back(stored.size());
  const bool done = tessera::pack_weights<F, T>(view, image.span()) == tessera::Status::ok &&
                    tessera::unpack_weights<F, T>(image.span(), rows, cols, back.data(),
                                                  row_bytes) == tessera::Status::ok;
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
  tessera::all_formats::for_each(print);
  tessera::nbits_formats::for_each(print);
  return all_exact ? good : wrong;
}

}  // namespace op

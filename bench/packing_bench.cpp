// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Packing stored weights, decoding them for a column block, and quantising floats: bytes are those of
// the stored format.
#include <memory>
#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/packing.hpp"

namespace {

using namespace tessera_bench;

constexpr std::size_t rows = 256;
constexpr std::size_t cols = 4096;

/// Stored blocks of any bits.
template <class F>
Buffer<std::byte> stored_rows() {
  Buffer<std::byte> bytes(rows * cols / F::group * F::block_bytes);
  std::uint32_t seed = 1;
  for (std::byte& b : bytes.span()) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<std::byte>(seed >> 24);
  }
  return bytes;
}

template <class F, class T>
void pack(benchmark::State& state) {
  Buffer<std::byte> stored = stored_rows<F>();
  const std::size_t row_bytes = stored.size() / rows;
  const tessera::BlockView<F> view{stored.data(), rows, cols,
                                   static_cast<std::ptrdiff_t>(row_bytes)};
  Buffer<std::byte> image(tessera::packed_size<F, T>(rows, cols));
  Buffer<std::byte> back(stored.size());
  Limited(state, stored.size(), 2.0 * static_cast<double>(stored.size())).run([&] {
    require(tessera::pack_weights<F, T>(view, image.span()), F::name);
  });
  require(tessera::unpack_weights<F, T>(image.span(), rows, cols, back.data(), row_bytes), F::name);
  require(std::memcmp(back.data(), stored.data(), stored.size()) == 0, F::name,
          "unpacking does not give back what was packed");
  count(state, 0, static_cast<double>(stored.size()));
}

/// One column block of the tile, codes only.
template <class F, class T>
void decode(benchmark::State& state) {
  Buffer<std::byte> stored = stored_rows<F>();
  const std::size_t row_bytes = stored.size() / rows;
  Buffer<std::byte> image(tessera::packed_size<F, T>(rows, cols));
  require(tessera::pack_weights<F, T>(tessera::BlockView<F>{stored.data(), rows, cols,
                                                            static_cast<std::ptrdiff_t>(row_bytes)},
                                      image.span()),
          F::name);
  Buffer<std::int8_t> codes(T::n * cols);
  const auto w =
      tessera::detail::panel_source<F, T>(image.data(), rows, cols, tessera::tile_shape<T>);
  repeat(state, [&] {
    w.codes(w, 0, tessera::tile_shape<T>, codes.data());
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  });
  count(state, static_cast<double>(T::n * cols), static_cast<double>(T::n * row_bytes));
}

template <class F>
void quantize(benchmark::State& state) {
  Buffer<float> x(cols);
  fill(x.span(), 1);
  typename F::Block block = {};
  repeat(state, [&] {
    for (std::size_t k = 0; k < cols; k += F::group) {
      F::quantize_block(x.data() + k, block);
      benchmark::DoNotOptimize(block);
    }
  });
  count(state, static_cast<double>(cols), static_cast<double>(cols / F::group * F::block_bytes));
}

}  // namespace

void register_benches() {
  tessera::all_formats::for_each([]<class F>(tessera::Type<F>) {
    if constexpr (!F::is_float) {
      const std::string name = F::name;
      tessera::all_int8_tiles::for_each([&]<class T>(tessera::Type<T>) {
        const std::string tile =
            "/" + std::to_string(T::m) + "x" + std::to_string(T::n) + "x" + std::to_string(T::k);
        benchmark::RegisterBenchmark(("pack/" + name + tile).c_str(), pack<F, T>);
        benchmark::RegisterBenchmark(("decode/" + name + tile).c_str(), decode<F, T>);
      });
      benchmark::RegisterBenchmark(("quantize/" + name).c_str(), quantize<F>);
    }
  });
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The bytes of packed weights. Packing knows no backend: every run lists the same.
#include <string>
#include <type_traits>
#include <vector>

#include "tests/identity/matmul.hpp"

namespace identity {
namespace {

/// Bytes as floats, for one kind of result.
std::vector<float> as_values(std::span<const std::byte> bytes) {
  std::vector<float> values;
  for (const std::byte b : bytes) values.push_back(static_cast<float>(b));
  return values;
}

template <class F, class T>
std::string name_of(const PackingCase& c) {
  return std::string("pack ") + F::name + " " + std::to_string(T::m) + "x" + std::to_string(T::n) +
         "x" + std::to_string(T::k) + " of " + std::to_string(c.n) + "x" + std::to_string(c.k);
}

template <class F, class T>
void add_image(Run& run, const PackingCase& c, const std::vector<float>& w) {
  const std::string name = name_of<F, T>(c);
  AlignedBytes image(tessera::packed_size<F, T>(c.n, c.k));
  must(tessera::pack_weights<F, T>(tessera::matrix(w.data(), c.n, c.k), image.span()), name);
  run.add(name, as_values(image.span()));
}

/// Formats of each kind for all tiles, and the others for one: tests/tile packs each for each.
template <class F>
void add_images_of(Run& run, const PackingCase& c, const std::vector<float>& w) {
  using Tile = tessera::tile_for<F, tessera::backend::scalar>;
  using Tiles = std::conditional_t<F::is_float, tessera::all_float_tiles, tessera::all_int8_tiles>;
  if constexpr (formats_of_each_kind::has<F>) {
    Tiles::for_each([&]<class T>(tessera::Type<T>) { add_image<F, T>(run, c, w); });
  } else if constexpr (multiplied_here<tessera::default_backend, F>()) {
    add_image<F, Tile>(run, c, w);
  } else {
    run.leave_out(name_of<F, Tile>(c));
  }
}

Run all_images() {
  Run run;
  for (const PackingCase& c : packing_cases) {
    const auto w = draw(c.n * c.k, Fill::gaussian, 8000);
    tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) { add_images_of<F>(run, c, w); });
  }
  return run;
}

}  // namespace

void add_packing(Runs& runs) {
  const Run images = all_images();
  runs.for_each_backend([&]<class B>(tessera::Type<B>, Run& run) {
    run.results.insert(run.results.end(), images.results.begin(), images.results.end());
    run.left_out.insert(run.left_out.end(), images.left_out.begin(), images.left_out.end());
  });
}

}  // namespace identity

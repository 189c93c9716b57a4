// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The bytes of packed weights, and the values they stand for. Packing knows no backend: every run
// lists the same.
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
void add_image(Run& run, const PackingCase& c, const std::vector<float>& w) {
  const std::string name = std::string("pack ") + F::name + " " + std::to_string(T::m) + "x" +
                           std::to_string(T::n) + "x" + std::to_string(T::k) + " of " +
                           std::to_string(c.n) + "x" + std::to_string(c.k);
  AlignedBytes image(tessera::packed_size<F, T>(c.n, c.k));
  must(tessera::pack_weights<F, T>(tessera::matrix(w.data(), c.n, c.k), image.span()), name);
  run.add(name, as_values(image.span()));
}

void add_images(Run& run) {
  for (const PackingCase& c : packing_cases) {
    const auto w = draw(c.n * c.k, Fill::gaussian, 8000);
    tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
      using Tiles =
          std::conditional_t<F::is_float, tessera::all_float_tiles, tessera::all_int8_tiles>;
      Tiles::for_each([&]<class T>(tessera::Type<T>) { add_image<F, T>(run, c, w); });
    });
  }
}

}  // namespace

void add_packing(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) { add_images(run); });
}

}  // namespace identity

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/choices.hpp"

#include "examples/shared/backends/cache_rows.hpp"
#include "tessera/backend/list.hpp"

namespace examples {

bool find_cache_format(std::string_view name, tessera::FormatId* format) {
  bool known = false;
  CacheFormats::for_each([&]<class F>(tessera::Type<F>) {
    if (name == F::name) *format = F::id, known = true;
  });
  return known;
}

const char* default_backend_name() {
  return tessera::default_backend::name;
}

}  // namespace examples

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a program's options name.
#ifndef TESSERA_EXAMPLES_SHARED_CHOICES_HPP_
#define TESSERA_EXAMPLES_SHARED_CHOICES_HPP_

#include <string_view>

#include "tessera/formats/format_id.hpp"

namespace examples {

/// The format of a key/value cache by its name; false if there is none of this name.
bool find_cache_format(std::string_view name, tessera::FormatId* format);

/// The name of the best backend that the compiler's flags alone guarantee.
const char* default_backend_name();

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_CHOICES_HPP_

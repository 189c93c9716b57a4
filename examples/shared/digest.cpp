// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/digest.hpp"

namespace examples {

std::string hexadecimal(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace examples

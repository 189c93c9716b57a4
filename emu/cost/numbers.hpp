// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The numbers of a JSON text, by path.
#ifndef TESSERA_EMU_COST_NUMBERS_HPP_
#define TESSERA_EMU_COST_NUMBERS_HPP_

#include <map>
#include <string>
#include <string_view>

namespace tessera::cost {

/// Numbers and strings of the objects of a JSON text by their dotted path: "total.loads.all.bytes".
/// What is inside arrays is checked and left out.
struct JsonValues {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::string error;  ///< empty, or what is wrong with the text and where
};

JsonValues read_json(std::string_view text);

}  // namespace tessera::cost

#endif  // TESSERA_EMU_COST_NUMBERS_HPP_

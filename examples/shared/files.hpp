// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Whole files as bytes.
#ifndef TESSERA_EXAMPLES_SHARED_FILES_HPP_
#define TESSERA_EXAMPLES_SHARED_FILES_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace examples {

/// The content of a regular file; without a value, `error` says what is wrong.
std::optional<std::vector<std::byte>> read_file(const std::string& path, std::string* error);

/// Writes the file anew; false and `error` if that fails.
bool write_file(const std::string& path, std::span<const std::byte> bytes, std::string* error);

/// Is there a regular file?
bool file_exists(const std::string& path);

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_FILES_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Is this the ggml whose interface we know?
#ifndef TESSERA_EXAMPLES_GGML_VERSION_HPP_
#define TESSERA_EXAMPLES_GGML_VERSION_HPP_

#include <string>

namespace tessera_ggml {

/// Empty, or what is different in the ggml that loads the backend. ggml itself refuses a registration of another
/// version of the interface for backends.
std::string unfit_ggml();

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_VERSION_HPP_

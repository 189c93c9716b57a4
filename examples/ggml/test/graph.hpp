// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A graph of every operator that the backend offers, as a model has them.
#ifndef TESSERA_EXAMPLES_GGML_TEST_GRAPH_HPP_
#define TESSERA_EXAMPLES_GGML_TEST_GRAPH_HPP_

#include <string>

#include "examples/ggml/interface.hpp"

namespace ggml_test {

/// Computes it once; what it computes is for the recorder to keep. What went wrong, or nothing.
std::string compute_every_operator(ggml::Registration& registration);

}  // namespace ggml_test

#endif  // TESSERA_EXAMPLES_GGML_TEST_GRAPH_HPP_

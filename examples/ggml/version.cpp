// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/version.hpp"

#include <cstring>

#include "examples/ggml/interface.hpp"
#include "examples/ggml/operator.hpp"

namespace tessera_ggml {

std::string unfit_ggml() {
  using namespace ggml;
  const std::string written_for = "written for ggml " + std::string(release) + "x";
  if (!ggml_version || !ggml_op_name || !ggml_type_name || !ggml_tensor_overhead || !ggml_nbytes ||
      !ggml_get_type_traits || !ggml_graph_n_nodes || !ggml_graph_node || !ggml_backend_buffer_init)
    return "the program that loads this backend is no ggml, or lacks functions; " + written_for;
  if (std::strncmp(ggml_version(), release, std::strlen(release)) != 0)
    return "this is ggml " + std::string(ggml_version()) + "; " + written_for;
  if (ggml_tensor_overhead() != object_header + sizeof(Tensor))
    return "this ggml's tensors have " + std::to_string(ggml_tensor_overhead() - object_header) +
           " bytes, not " + std::to_string(sizeof(Tensor)) + "; " + written_for;
  for (const Operator* each : operators)
    if (std::strcmp(ggml_op_name(each->op), each->name) != 0)
      return "this ggml's operator " + std::to_string(static_cast<int>(each->op)) + " is " +
             ggml_op_name(each->op) + ", not " + each->name + "; " + written_for;
  if (std::strcmp(ggml_type_name(bf16), "bf16") != 0 ||
      std::strcmp(ggml_type_name(i32), "i32") != 0)
    return "this ggml numbers its types otherwise; " + written_for;
  return {};
}

}  // namespace tessera_ggml

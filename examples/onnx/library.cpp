// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The entry of the library: RegisterCustomOps, which ONNX Runtime calls when a session asks for its operators.
#include "examples/onnx/operator.hpp"

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(
    OrtSessionOptions* options, const OrtApiBase* base) {
  using namespace tessera_onnx;
  api = base->GetApi(ORT_API_VERSION);
  if (api == nullptr)
    return base->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED,
                                         "tessera: this ONNX Runtime is older than the library");
  // One domain, which sessions refer to for as long as they live.
  static OrtCustomOpDomain* domain = nullptr;
  if (domain == nullptr) {
    OrtCustomOpDomain* created = nullptr;
    if (OrtStatus* const s = api->CreateCustomOpDomain("tessera", &created)) return s;
    for (const OrtCustomOp* op : {&mat_mul_nbits(), &rotary_embedding(), &group_query_attention()})
      if (OrtStatus* const s = api->CustomOpDomain_Add(created, op)) return s;
    domain = created;
  }
  return api->AddCustomOpDomain(options, domain);
}

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// loading_test LIBRARY FOLDER: plays ggml, as far as a backend sees it. The library must refuse a ggml that it does not know, name
// its device, say no to what it lacks, and multiply: with weights as they are stored and packed, to the same bits, and
// anew after the weights were written to. What it did is recorded in FOLDER.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "examples/ggml/interface.hpp"
#include "examples/ggml/test/graph.hpp"
#include "examples/ggml/test/placed.hpp"

// ---- the part of ggml ----------------------------------------------------------------------------

namespace {

const char* version = "0.27.0";
std::size_t overhead = ggml::object_header + sizeof(ggml::Tensor);
const char* name_of_mul_mat = "MUL_MAT";

constexpr ggml::TypeTraits f32_traits = {"f32", 1, 0, 4, false, nullptr, nullptr};
// Of blocks whose scale is 0.5.
void q4_0_values(const void* blocks, float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* const codes = static_cast<const std::uint8_t*>(blocks) + i / 32 * 18 + 2;
    const int code = i % 32 < 16 ? codes[i % 16] & 15 : codes[i % 16] >> 4;
    values[i] = 0.5f * static_cast<float>(code - 8);
  }
}
constexpr ggml::TypeTraits f16_traits = {"f16", 1, 0, 2, false, nullptr, nullptr};
constexpr ggml::TypeTraits i32_traits = {"i32", 1, 0, 4, false, nullptr, nullptr};
constexpr ggml::TypeTraits q4_0_traits = {"q4_0", 32, 0, 18, true, q4_0_values, nullptr};

}  // namespace

extern "C" {
const char* ggml_version() {
  return version;
}
const char* ggml_op_name(ggml::Op op) {
  switch (op) {
    case ggml::Op::mul_mat:
      return name_of_mul_mat;
    case ggml::Op::mul_mat_id:
      return "MUL_MAT_ID";
    case ggml::Op::flash_attn_ext:
      return "FLASH_ATTN_EXT";
    case ggml::Op::rope:
      return "ROPE";
    case ggml::Op::ssm_conv:
      return "SSM_CONV";
    case ggml::Op::ssm_scan:
      return "SSM_SCAN";
    case ggml::Op::gated_delta_net:
      return "GATED_DELTA_NET";
    case ggml::Op::gated_linear_attn:
      return "GATED_LINEAR_ATTN";
    case ggml::Op::rwkv_wkv6:
      return "RWKV_WKV6";
    case ggml::Op::rwkv_wkv7:
      return "RWKV_WKV7";
    case ggml::Op::rms_norm:
      return "RMS_NORM";
    case ggml::Op::l2_norm:
      return "L2_NORM";
    case ggml::Op::soft_max:
      return "SOFT_MAX";
    case ggml::Op::glu:
      return "GLU";
    default:
      return "";
  }
}
const char* ggml_type_name(std::int32_t type) {
  if (type == ggml::f32 || type == ggml::f16) return type == ggml::f32 ? "f32" : "f16";
  return type == ggml::bf16 ? "bf16" : type == ggml::i32 ? "i32" : type == 2 ? "q4_0" : "";
}
std::size_t ggml_tensor_overhead() {
  return overhead;
}
const ggml::TypeTraits* ggml_get_type_traits(std::int32_t type) {
  return type == ggml::f32   ? &f32_traits
         : type == ggml::f16 ? &f16_traits
         : type == ggml::i32 ? &i32_traits
         : type == 2         ? &q4_0_traits
                             : nullptr;
}
std::size_t ggml_nbytes(const ggml::Tensor* t) {
  return static_cast<std::size_t>(t->ne[3]) * t->nb[3];
}
int ggml_graph_n_nodes(ggml::Graph* graph) {
  return static_cast<int>(graph->nodes.size());
}
ggml::Tensor* ggml_graph_node(ggml::Graph* graph, int i) {
  return graph->nodes[static_cast<std::size_t>(i)];
}
ggml::Buffer* ggml_backend_buffer_init(ggml::BufferType* type, ggml::BufferFunctions functions,
                                       void* context, std::size_t bytes) {
  return new ggml::Buffer{functions, type, context, bytes, ggml::Usage::any};
}
}

// ---- the test --------------------------------------------------------------------------------------

namespace {

using ggml_test::Placed;
using ggml_test::tensor;

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

bool contains(const std::string& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return all.find(text) != std::string::npos;
}

// Rows of q4_0 with scale 0.5, and their values.
constexpr std::int64_t m = 3, n = 5, k = 64;
struct Weights {
  std::vector<std::uint8_t> blocks;
  std::vector<double> values = std::vector<double>(n * k);

  explicit Weights(unsigned seed) {
    for (std::size_t block = 0; block < n * k / 32; ++block) {
      blocks.insert(blocks.end(), {0x00, 0x38});  // the binary16 of 0.5
      for (std::size_t i = 0; i < 16; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned byte = seed >> 24;
        blocks.push_back(static_cast<std::uint8_t>(byte));
        values[block * 32 + i] = 0.5 * (static_cast<int>(byte & 15) - 8);
        values[block * 32 + 16 + i] = 0.5 * (static_cast<int>(byte >> 4) - 8);
      }
    }
  }
};

struct Product {
  ggml::Device& device;
  ggml::BufferType* type;
  ggml::Backend* backend;
  std::vector<float> x = std::vector<float>(m * k);

  std::vector<float> compute(ggml::Tensor& w) {
    ggml::Tensor a = tensor(ggml::f32, k, m), c = tensor(ggml::f32, n, m);
    const Placed of_a(type, a, ggml::Usage::compute), of_c(type, c, ggml::Usage::compute);
    of_a.set(a, x.data());
    c.op = ggml::Op::mul_mat;
    c.src[0] = &w, c.src[1] = &a;
    expect(device.functions.supports_op(&device, &c), "MUL_MAT is not supported");
    ggml::Graph graph{{&c}};
    expect(backend->functions.graph_compute(backend, &graph) == ggml::Result::success,
           "the graph is not computed");
    std::vector<float> result(m * n);
    of_c.buffer->functions.get_tensor(of_c.buffer, &c, result.data(), 0, ggml_nbytes(&c));
    return result;
  }
  // Activations are multiples of 1/127 of the largest, so their quantisation loses nothing but roundings.
  bool is_right(const std::vector<float>& result, const Weights& w) const {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l)
          sum += static_cast<double>(x[i * k + l]) * w.values[j * k + l];
        if (!(std::abs(static_cast<double>(result[i * n + j]) - sum) < 1e-3)) return false;
      }
    return true;
  }
};

void test_products(ggml::Registration& registration) {
  ggml::Device& device = *registration.functions.get_device(&registration, 0);
  expect(std::string(device.functions.get_name(&device)) == "TESSERA", "the device's name");
  ggml::BufferType* const type = device.functions.get_buffer_type(&device);
  expect(type->functions.is_host(type) && device.functions.supports_buft(&device, type),
         "the buffers are no host memory");

  ggml::Tensor other = tensor(ggml::f32, 8, 1);
  other.op = static_cast<ggml::Op>(2);
  other.src[0] = other.src[1] = &other;
  expect(!device.functions.supports_op(&device, &other), "ADD is supported");

  Product product{device, type, device.functions.init_backend(&device, nullptr)};
  for (std::size_t i = 0; i < product.x.size(); ++i)
    product.x[i] = static_cast<float>(static_cast<int>(i * 37 % 255) - 127) / 127.0f;
  for (std::size_t i = 0; i < product.x.size(); i += 32) product.x[i] = 1.0f;

  const Weights first(1), second(2);
  ggml::Tensor stored = tensor(2, k, n), packed = tensor(2, k, n);
  const Placed of_stored(type, stored, ggml::Usage::any),
      of_packed(type, packed, ggml::Usage::weights);
  of_stored.set(stored, first.blocks.data());
  of_packed.set(packed, first.blocks.data());
  const std::vector<float> result = product.compute(stored);
  expect(product.is_right(result, first), "the product");
  expect(product.compute(packed) == result, "packed weights give other bits");
  expect(product.compute(packed) == result, "weights that are packed already give other bits");
  of_packed.set(packed, second.blocks.data());
  expect(product.is_right(product.compute(packed), second), "new weights are not seen");
  product.backend->functions.free(product.backend);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::filesystem::remove_all(argv[2]);
  setenv("TESSERA_RECORD", argv[2], 1);
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  using Init = ggml::Registration* (*)();
  const auto init = reinterpret_cast<Init>(dlsym(library, "ggml_backend_init"));
  if (init == nullptr) return 1;

  version = "0.28.1";
  expect(init() == nullptr, "another version is taken");
  version = "0.27.3";
  overhead += 8;
  expect(init() == nullptr, "tensors of another size are taken");
  overhead -= 8;
  name_of_mul_mat = "OUT_PROD";
  expect(init() == nullptr, "operators with other numbers are taken");
  name_of_mul_mat = "MUL_MAT";
  ggml::Registration* const registration = init();
  expect(registration != nullptr, "the right version is refused");
  if (registration != nullptr) {
    expect(registration->interface_version == 3, "the interface's version");
    test_products(*registration);
    const std::string wrong = ggml_test::compute_every_operator(*registration);
    expect(wrong.empty(), wrong.c_str());
    const std::string first = std::string(argv[2]) + "/000001_mul_mat/";
    expect(contains(first + "operator.txt",
                    "kind matmul\nargument format q4_0\nargument decoded 1\ninput b "),
           "the first product is not recorded");
    expect(contains(first + "out0_c.npy", "'shape': (3, 5, )"), "its output is not recorded");
  }
  std::printf(failures == 0 ? "good\n" : "%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}

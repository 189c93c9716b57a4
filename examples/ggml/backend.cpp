// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// libggml-tessera.so: what ggml finds by ggml_backend_init(), one registration with one device, whose buffers are
// ordinary memory.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "examples/ggml/interface.hpp"
#include "examples/ggml/operator.hpp"
#include "examples/ggml/recording.hpp"
#include "examples/ggml/tensors.hpp"
#include "examples/ggml/version.hpp"
#include "examples/ggml/weights.hpp"
#include "tessera/tessera.h"

namespace tessera_ggml {
namespace {

using ggml::Backend;
using ggml::Buffer;
using ggml::BufferType;
using ggml::Device;
using ggml::Registration;
using ggml::Tensor;

constexpr char name[] = "TESSERA";

extern Registration registration;
extern Device device;
extern BufferType buffer_type;

// ---- buffers ---------------------------------------------------------------------------------------

struct Memory {
  Bytes bytes;
  PackedImages images;
};
Memory& memory_of(Buffer* buffer) {
  return *static_cast<Memory*>(buffer->context);
}

void written(Buffer* buffer, const void* data, std::size_t bytes) {
  memory_of(buffer).images.forget(data, bytes);
  forget_recorded(data, bytes);
}

void free_buffer(Buffer* buffer) {
  forget_recorded(memory_of(buffer).bytes.get(), buffer->size);
  delete static_cast<Memory*>(buffer->context);
}
void* buffer_base(Buffer* buffer) {
  return memory_of(buffer).bytes.get();
}
void memset_tensor(Buffer* buffer, Tensor* t, std::uint8_t value, std::size_t offset,
                   std::size_t bytes) {
  std::memset(at(*t) + offset, value, bytes);
  written(buffer, at(*t) + offset, bytes);
}
void set_tensor(Buffer* buffer, Tensor* t, const void* data, std::size_t offset,
                std::size_t bytes) {
  std::memcpy(at(*t) + offset, data, bytes);
  written(buffer, at(*t) + offset, bytes);
}
void get_tensor(Buffer*, const Tensor* t, void* data, std::size_t offset, std::size_t bytes) {
  std::memcpy(data, at(*t) + offset, bytes);
}
bool copy_tensor(Buffer* buffer, const Tensor* from, Tensor* to) {
  if (from->buffer == nullptr || !from->buffer->type->functions.is_host ||
      !from->buffer->type->functions.is_host(from->buffer->type))
    return false;
  std::memcpy(to->data, from->data, ggml::ggml_nbytes(from));
  written(buffer, to->data, ggml::ggml_nbytes(to));
  return true;
}
void clear(Buffer* buffer, std::uint8_t value) {
  std::memset(memory_of(buffer).bytes.get(), value, buffer->size);
  written(buffer, memory_of(buffer).bytes.get(), buffer->size);
}

const char* buffer_type_name(BufferType*) {
  return name;
}
Buffer* allocate_buffer(BufferType* type, std::size_t bytes) {
  auto* const memory = new (std::nothrow) Memory{allocate(bytes), {}};
  if (memory == nullptr || memory->bytes == nullptr) {
    delete memory;
    return nullptr;
  }
  const ggml::BufferFunctions functions = {
      .free_buffer = free_buffer,
      .get_base = buffer_base,
      .init_tensor = nullptr,
      .memset_tensor = memset_tensor,
      .set_tensor = set_tensor,
      .get_tensor = get_tensor,
      .set_tensor_2d = nullptr,
      .get_tensor_2d = nullptr,
      .cpy_tensor = copy_tensor,
      .clear = clear,
      .reset = nullptr,
  };
  return ggml::ggml_backend_buffer_init(type, functions, memory, bytes);
}
std::size_t alignment(BufferType*) {
  return 64;
}
bool is_host(BufferType*) {
  return true;
}

// ---- evaluation --------------------------------------------------------------------------------------

bool is_view(ggml::Op op) {
  return op == ggml::Op::none || op == ggml::Op::view || op == ggml::Op::reshape ||
         op == ggml::Op::permute || op == ggml::Op::transpose;
}

bool supports(Device*, const Tensor* t) {
  if (is_view(t->op)) return true;
  const Operator* const found = find_operator(t->op);
  return found != nullptr && found->supports(*t);
}

const char* backend_name(Backend*) {
  return name;
}
void free_backend(Backend* backend) {
  delete static_cast<Work*>(backend->context);
  delete backend;
}
ggml::Result compute_graph(Backend* backend, ggml::Graph* graph) {
  Work& work = *static_cast<Work*>(backend->context);
  const int count = ggml::ggml_graph_n_nodes(graph);
  for (int i = 0; i < count; ++i) {
    const Tensor& t = *ggml::ggml_graph_node(graph, i);
    if (is_view(t.op) || is_empty(t)) continue;
    const Operator* const found = find_operator(t.op);
    if (found == nullptr) return ggml::Result::failed;
    Recording recording(t);
    const tsr_status s = found->compute(t, work);
    recording.end();
    work.end_operator();
    if (s != TSR_OK) {
      const char* text = "";
      static_cast<void>(tsr_message(s, &text));
      std::fprintf(stderr, "tessera: %s of %.64s: %s\n", found->name, t.name, text);
      return ggml::Result::failed;
    }
  }
  return ggml::Result::success;
}
void set_threads(Backend* backend, int count) {
  static_cast<Work*>(backend->context)
      ->set_threads(count < 1 ? 1 : static_cast<std::size_t>(count));
}

// ---- the device --------------------------------------------------------------------------------------

const char* device_name(Device*) {
  return name;
}
const char* device_description(Device*) {
  static const std::string text = [] {
    tsr_build_facts facts = tsr_build_init();
    static_cast<void>(tsr_build(&facts));
    return std::string("tessera, backend ") + facts.backend + ", " + facts.instructions;
  }();
  return text.c_str();
}
void device_memory(Device*, std::size_t* free, std::size_t* total) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  *free = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  *total = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
}
ggml::DeviceType device_type(Device*) {
  return ggml::DeviceType::accelerator;
}
void device_properties(Device* d, ggml::DeviceProperties* to) {
  *to = {};
  to->name = name;
  to->description = device_description(d);
  device_memory(d, &to->memory_free, &to->memory_total);
  to->type = ggml::DeviceType::accelerator;
}
Backend* init_backend(Device* d, const char*) {
  static std::uint8_t guid[16] = {'t', 'e', 's', 's', 'e', 'r', 'a', ' ',
                                  'f', 'o', 'r', ' ', 'g', 'g', 'm', 'l'};
  ggml::BackendFunctions functions = {};
  functions.get_name = backend_name;
  functions.free = free_backend;
  functions.graph_compute = compute_graph;
  return new (std::nothrow) Backend{&guid, functions, d, new Work};
}
BufferType* device_buffer_type(Device*) {
  return &buffer_type;
}
bool supports_buffers(Device*, BufferType* type) {
  return type->functions.is_host != nullptr && type->functions.is_host(type);
}

const char* registration_name(Registration*) {
  return name;
}
std::size_t device_count(Registration*) {
  return 1;
}
Device* device_at(Registration*, std::size_t index) {
  return index == 0 ? &device : nullptr;
}
void* find_function(Registration*, const char* wanted) {
  if (std::strcmp(wanted, "ggml_backend_set_n_threads") == 0)
    return reinterpret_cast<void*>(set_threads);
  return nullptr;
}

Registration registration = {ggml::backend_interface_version,
                             {registration_name, device_count, device_at, find_function},
                             nullptr};
Device device = {{.get_name = device_name,
                  .get_description = device_description,
                  .get_memory = device_memory,
                  .get_type = device_type,
                  .get_props = device_properties,
                  .init_backend = init_backend,
                  .get_buffer_type = device_buffer_type,
                  .get_host_buffer_type = nullptr,
                  .buffer_from_host_ptr = nullptr,
                  .supports_op = supports,
                  .supports_buft = supports_buffers,
                  .offload_op = nullptr,
                  .event_new = nullptr,
                  .event_free = nullptr,
                  .event_synchronize = nullptr},
                 &registration,
                 nullptr};
BufferType buffer_type = {{.get_name = buffer_type_name,
                           .alloc_buffer = allocate_buffer,
                           .alloc_buffer_n = nullptr,
                           .get_alignment = alignment,
                           .get_max_size = nullptr,
                           .get_alloc_size = nullptr,
                           .get_alloc_size_n = nullptr,
                           .is_host = is_host},
                          &device,
                          nullptr};

}  // namespace

PackedImages* images_of(const Tensor& t) {
  Buffer* const buffer = t.view_src != nullptr ? t.view_src->buffer : t.buffer;
  const bool kept =
      buffer != nullptr && buffer->type == &buffer_type && buffer->usage == ggml::Usage::weights;
  return kept ? &memory_of(buffer).images : nullptr;
}

}  // namespace tessera_ggml

/// What ggml looks for in a library that GGML_BACKEND_PATH names. Null: refused, said on stderr.
extern "C" __attribute__((visibility("default"))) ggml::Registration* ggml_backend_init() {
  if (const std::string why = tessera_ggml::unfit_ggml(); !why.empty()) {
    std::fprintf(stderr, "tessera: %s\n", why.c_str());
    return nullptr;
  }
  return &tessera_ggml::registration;
}

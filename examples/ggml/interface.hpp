// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The binary interface between ggml and a backend that it loads, as far as this one needs it.
///
/// Own declarations of what ggml 0.27 expects (version 3 of its interface for backends): the order of
/// members is the contract, the names are ours. Members that this backend leaves empty are `Unused`.
#ifndef TESSERA_EXAMPLES_GGML_INTERFACE_HPP_
#define TESSERA_EXAMPLES_GGML_INTERFACE_HPP_

#include <cstddef>
#include <cstdint>

namespace ggml {

inline constexpr int backend_interface_version = 3;
inline constexpr char release[] = "0.27.";        ///< what ggml_version() begins with
inline constexpr std::size_t object_header = 32;  ///< what a context puts before a tensor

/// Types of elements: tsr_format has the same numbers, and these besides.
inline constexpr std::int32_t f32 = 0, f16 = 1, i32 = 26, bf16 = 30;

enum class Op : std::int32_t {
  none = 0,
  rms_norm = 25,
  l2_norm = 28,
  mul_mat = 29,
  mul_mat_id = 30,
  reshape = 36,
  view = 37,
  permute = 38,
  transpose = 39,
  soft_max = 46,
  rope = 48,
  flash_attn_ext = 74,
  ssm_conv = 76,
  ssm_scan = 77,
  rwkv_wkv6 = 82,
  gated_linear_attn = 83,
  rwkv_wkv7 = 84,
  gated_delta_net = 86,
  glu = 100
};

enum class Result : int { failed = -1, success = 0 };

struct Buffer;
struct BufferType;
struct Backend;
struct Device;
struct Registration;
struct Graph;
using Unused = void (*)();

struct Tensor {
  std::int32_t type;
  Buffer* buffer;
  std::int64_t ne[4];  ///< elements per axis, the contiguous one first
  std::size_t nb[4];   ///< strides in bytes; of blocks along axis 0
  Op op;
  std::int32_t op_params[16];
  std::int32_t flags;
  Tensor* src[10];
  Tensor* view_src;
  std::size_t view_offs;
  void* data;
  char name[64];
  void* extra;
  char padding[8];
};
static_assert(sizeof(Tensor) == 336 && offsetof(Tensor, data) == 248);

struct BufferTypeFunctions {
  const char* (*get_name)(BufferType*);
  Buffer* (*alloc_buffer)(BufferType*, std::size_t);
  Unused alloc_buffer_n;
  std::size_t (*get_alignment)(BufferType*);
  Unused get_max_size;
  Unused get_alloc_size;
  Unused get_alloc_size_n;
  bool (*is_host)(BufferType*);
};
struct BufferType {
  BufferTypeFunctions functions;
  Device* device;
  void* context;
};

struct BufferFunctions {
  void (*free_buffer)(Buffer*);
  void* (*get_base)(Buffer*);
  Unused init_tensor;
  void (*memset_tensor)(Buffer*, Tensor*, std::uint8_t value, std::size_t offset, std::size_t size);
  void (*set_tensor)(Buffer*, Tensor*, const void* data, std::size_t offset, std::size_t size);
  void (*get_tensor)(Buffer*, const Tensor*, void* data, std::size_t offset, std::size_t size);
  Unused set_tensor_2d;
  Unused get_tensor_2d;
  bool (*cpy_tensor)(Buffer*, const Tensor* from, Tensor* to);
  void (*clear)(Buffer*, std::uint8_t value);
  Unused reset;
};
enum class Usage : int { any = 0, weights = 1, compute = 2 };
struct Buffer {
  BufferFunctions functions;
  BufferType* type;
  void* context;
  std::size_t size;
  Usage usage;
};
static_assert(sizeof(Buffer) == 120);

struct BackendFunctions {
  const char* (*get_name)(Backend*);
  void (*free)(Backend*);
  Unused set_tensor_async;
  Unused get_tensor_async;
  Unused set_tensor_2d_async;
  Unused get_tensor_2d_async;
  Unused cpy_tensor_async;
  Unused synchronize;
  Unused graph_plan_create;
  Unused graph_plan_free;
  Unused graph_plan_update;
  Unused graph_plan_compute;
  Result (*graph_compute)(Backend*, Graph*);
  Unused event_record;
  Unused event_wait;
  Unused graph_optimize;
};
struct Backend {
  std::uint8_t (*guid)[16];
  BackendFunctions functions;
  Device* device;
  void* context;
};
static_assert(offsetof(Backend, device) == 136);

/// An accelerator works beside the CPU, on its memory.
enum class DeviceType : int { cpu = 0, gpu = 1, integrated_gpu = 2, accelerator = 3 };
struct DeviceProperties {
  const char* name;
  const char* description;
  std::size_t memory_free;
  std::size_t memory_total;
  DeviceType type;
  const char* device_id;
  bool async;
  bool host_buffer;
  bool buffer_from_host_ptr;
  bool events;
  bool mmap_support;
};
struct DeviceFunctions {
  const char* (*get_name)(Device*);
  const char* (*get_description)(Device*);
  void (*get_memory)(Device*, std::size_t* free, std::size_t* total);
  DeviceType (*get_type)(Device*);
  void (*get_props)(Device*, DeviceProperties*);
  Backend* (*init_backend)(Device*, const char* params);
  BufferType* (*get_buffer_type)(Device*);
  Unused get_host_buffer_type;
  Unused buffer_from_host_ptr;
  bool (*supports_op)(Device*, const Tensor*);
  bool (*supports_buft)(Device*, BufferType*);
  Unused offload_op;
  Unused event_new;
  Unused event_free;
  Unused event_synchronize;
};
struct Device {
  DeviceFunctions functions;
  Registration* registration;
  void* context;
};
static_assert(offsetof(Device, registration) == 120);

struct RegistrationFunctions {
  const char* (*get_name)(Registration*);
  std::size_t (*get_device_count)(Registration*);
  Device* (*get_device)(Registration*, std::size_t index);
  void* (*get_proc_address)(Registration*, const char* name);
};
struct Registration {
  int interface_version;
  RegistrationFunctions functions;
  void* context;
};

struct TypeTraits {
  const char* name;
  std::int64_t block_elements;
  std::int64_t interleaved;
  std::size_t block_bytes;
  bool is_quantized;
  void (*to_float)(const void* blocks, float* values, std::int64_t count);
  Unused from_float;
};

// What a backend calls of ggml. Weak: where one is missing, loading is refused in words (version.cpp).
extern "C" {
#define TESSERA_GGML_FUNCTION(result, name, ...) __attribute__((weak)) result name(__VA_ARGS__)
TESSERA_GGML_FUNCTION(const char*, ggml_version);
TESSERA_GGML_FUNCTION(const char*, ggml_op_name, Op);
TESSERA_GGML_FUNCTION(const char*, ggml_type_name, std::int32_t);
TESSERA_GGML_FUNCTION(std::size_t, ggml_tensor_overhead);
TESSERA_GGML_FUNCTION(std::size_t, ggml_nbytes, const Tensor*);
TESSERA_GGML_FUNCTION(const TypeTraits*, ggml_get_type_traits, std::int32_t);
TESSERA_GGML_FUNCTION(int, ggml_graph_n_nodes, Graph*);
TESSERA_GGML_FUNCTION(Tensor*, ggml_graph_node, Graph*, int);
TESSERA_GGML_FUNCTION(Buffer*, ggml_backend_buffer_init, BufferType*, BufferFunctions, void*,
                      std::size_t);
#undef TESSERA_GGML_FUNCTION
}

}  // namespace ggml

#endif  // TESSERA_EXAMPLES_GGML_INTERFACE_HPP_

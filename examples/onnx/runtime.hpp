// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the kernels take from ONNX Runtime's C API: tensors, attributes, threads; and aligned memory.
#ifndef TESSERA_EXAMPLES_ONNX_RUNTIME_HPP_
#define TESSERA_EXAMPLES_ONNX_RUNTIME_HPP_

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"

namespace tessera_onnx {

/// The functions of the runtime that loaded this library; set before anything else happens.
extern const OrtApi* api;

/// These throw what is wrong.
void check(OrtStatus* status);
void check(tessera::Status status);
void require(bool condition, const char* what);

/// A tensor's contents; the runtime owns them.
struct Tensor {
  void* data = nullptr;
  std::vector<std::int64_t> shape;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data);
  }
  /// Throws where there is no such dimension.
  [[nodiscard]] std::size_t size(std::size_t dimension) const {
    return static_cast<std::size_t>(shape.at(dimension));
  }
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] bool has_shape(std::initializer_list<std::size_t> expected) const;
};

/// A node while its kernel is created.
class Node {
 public:
  explicit Node(const OrtKernelInfo* info) : info_(info) {}
  /// The attribute, or what it is where the node has none.
  [[nodiscard]] std::int64_t integer(const char* name, std::int64_t otherwise) const;
  [[nodiscard]] float number(const char* name, float otherwise) const;
  /// An input that never changes, such as a weight.
  [[nodiscard]] std::optional<Tensor> constant(std::size_t input) const;

 private:
  const OrtKernelInfo* info_;
};

/// A node while it is computed.
class Call {
 public:
  explicit Call(OrtKernelContext* context) : context_(context) {}
  /// Nothing where an optional input is left out.
  [[nodiscard]] std::optional<Tensor> optional_input(std::size_t index) const;
  [[nodiscard]] Tensor input(std::size_t index) const;
  [[nodiscard]] Tensor output(std::size_t index, std::vector<std::int64_t> shape) const;
  /// step(i) for every i below count, on the runtime's threads. A status that is not ok is thrown.
  template <class F>
  void share(std::size_t count, const F& step) const {
    std::vector<tessera::Status> status(count, tessera::Status::ok);
    struct Shared {
      const F* step;
      tessera::Status* status;
    } shared{&step, status.data()};
    check(api->KernelContext_ParallelFor(
        context_,
        [](void* data, std::size_t i) {
          const auto& s = *static_cast<const Shared*>(data);
          s.status[i] = (*s.step)(i);
        },
        count, 0, &shared));
    for (const tessera::Status s : status) check(s);
  }

 private:
  OrtKernelContext* context_;
};

/// Memory as the library wants it of images and workspaces.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t count)
      : data_(static_cast<std::byte*>(::operator new[](count, alignment))), count_(count) {}
  [[nodiscard]] std::span<std::byte> span() const { return {data_.get(), count_}; }

 private:
  static constexpr std::align_val_t alignment{tessera::workspace_alignment};
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, alignment); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t count_;
};

/// How many parts `units` units of work are cut into: as many as there may be threads.
std::size_t parts_of(std::size_t units);

/// A workspace whose scratch is another one for each part.
class PartedWorkspace {
 public:
  PartedWorkspace(tessera::WorkspaceSize size, std::size_t parts);
  [[nodiscard]] tessera::Workspace of(std::size_t part) const;

 private:
  std::size_t scratch_;
  AlignedBytes shared_;
  AlignedBytes all_scratch_;
};

}  // namespace tessera_onnx

#endif  // TESSERA_EXAMPLES_ONNX_RUNTIME_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What all functions of the C interface have in common: arguments in, requests, views.
///
/// The namespace has the copy's suffix: copies may differ in their formats, and no linker may mix them.
#ifndef TESSERA_C_INTERFACE_COMMON_HPP_
#define TESSERA_C_INTERFACE_COMMON_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/c_interface/format_list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/states.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/type_list.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tessera.h"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// What is asked about a call's arguments.
struct Request {
  enum class Kind : unsigned char { check, plan, run, whole };
  Kind kind;
  tsr_plan* plan = nullptr;
  std::size_t phase = 0;
  UnitRange range = {};
};

/// The caller's struct in full: members that it does not have yet keep their defaults.
template <class Args>
[[nodiscard]] inline Status take(const Args* from, Args& defaults) noexcept {
  if (from == nullptr) return Status::null_pointer;
  const tsr_abi abi = from->abi;
  if (abi.version != TSR_ABI || abi.size > sizeof(Args) || abi.size < sizeof(tsr_abi))
    return Status::abi_mismatch;
  __builtin_memcpy(&defaults, from, abi.size);
  return Status::ok;
}

/// The other way: as much of the facts as the caller has room for.
template <class Facts>
[[nodiscard]] inline Status give(Facts& facts, Facts* to) noexcept {
  if (to == nullptr) return Status::null_pointer;
  const tsr_abi abi = to->abi;
  if (abi.version != TSR_ABI || abi.size > sizeof(Facts) || abi.size < sizeof(tsr_abi))
    return Status::abi_mismatch;
  facts.abi = abi;
  __builtin_memcpy(to, &facts, abi.size);
  return Status::ok;
}

// ---- one answer for every kernel -------------------------------------------------------------------

template <class B, class Args>
inline WorkspaceSize workspace_of(const Args& args) noexcept {
  if constexpr (requires { workspace_size<B>(args); }) {
    return workspace_size<B>(args);
  } else if constexpr (requires { workspace_size(args); }) {
    return workspace_size(args);
  } else {
    return {};
  }
}

template <class B, class Args>
inline std::size_t phases_of(const Args& args) noexcept {
  if constexpr (requires { phases(args); }) {
    return phases(args);
  } else {
    return 1;
  }
}

template <class B, class Args>
inline std::size_t units_of(const Args& args, std::size_t phase) noexcept {
  if constexpr (requires { units(args, phase); }) {
    return units(args, phase);
  } else if constexpr (requires { units<B>(args); }) {
    return units<B>(args);
  } else if constexpr (requires { units(args); }) {
    return units(args);
  } else {
    return 1;
  }
}

template <class B, class Args>
inline Status status_of(const Args& args) noexcept {
  if constexpr (requires { check<B>(args); }) {
    return check<B>(args);
  } else {
    return check(args);
  }
}

/// Answers a request about `args` of the C++ interface; `run(args, phase, units)` is the kernel.
template <class B, class Args, class Run>
Status answer(const Args& args, const Request& request, Run run) noexcept {
  const std::size_t count = phases_of<B>(args);
  switch (request.kind) {
    case Request::Kind::check:
      return status_of<B>(args);
    case Request::Kind::plan: {
      const WorkspaceSize size = workspace_of<B>(args);
      *request.plan = {size.shared, size.scratch, count, {}};
      for (std::size_t p = 0; p < count; ++p) request.plan->units[p] = units_of<B>(args, p);
      return Status::ok;
    }
    case Request::Kind::run:
      if (request.phase < count) return run(args, request.phase, request.range);
      if (const Status s = status_of<B>(args); s != Status::ok) return s;
      return Status::bad_phase;
    case Request::Kind::whole:
      break;
  }
  // A refused call may have shapes whose units cannot be counted.
  if (const Status s = status_of<B>(args); s != Status::ok) return s;
  for (std::size_t p = 0; p < count; ++p)
    if (const Status s = run(args, p, {0, units_of<B>(args, p)}); s != Status::ok) return s;
  return Status::ok;
}

// ---- members ---------------------------------------------------------------------------------------

/// Calls body(Type<T>{}) for the element of a type id: float, Float16 or BFloat16.
template <class Body>
[[nodiscard]] TESSERA_INLINE Status with_element(tsr_format type, Body&& body) {
  switch (type) {
    case TSR_F32:
      return body(Type<float>{});
    case TSR_F16:
      return body(Type<Float16>{});
    case TSR_BF16:
      return body(Type<BFloat16>{});
    default:
      return Status::unknown_choice;
  }
}

TESSERA_INLINE MatrixView<const float> view(const tsr_const_matrix& v) noexcept {
  return {v.data, v.rows, v.cols, v.row_stride};
}
TESSERA_INLINE MatrixView<float> view(const tsr_matrix& v) noexcept {
  return {v.data, v.rows, v.cols, v.row_stride};
}
template <class T>
TESSERA_INLINE MatrixView<const T> view_as(const tsr_const_any_matrix& v) noexcept {
  return {static_cast<const T*>(v.data), v.rows, v.cols, v.row_stride};
}
template <class T>
TESSERA_INLINE MatrixView<T> view_as(const tsr_any_matrix& v) noexcept {
  return {static_cast<T*>(v.data), v.rows, v.cols, v.row_stride};
}
TESSERA_INLINE HeadView<const float> view(const tsr_const_heads& v) noexcept {
  return {v.data, v.heads, v.tokens, v.dim, v.head_stride, v.token_stride};
}
TESSERA_INLINE HeadView<float> view(const tsr_heads& v) noexcept {
  return {v.data, v.heads, v.tokens, v.dim, v.head_stride, v.token_stride};
}
template <class T>
TESSERA_INLINE HeadView<const T> view_as(const tsr_const_any_heads& v) noexcept {
  return {static_cast<const T*>(v.data), v.heads, v.tokens, v.dim, v.head_stride, v.token_stride};
}
template <class T>
TESSERA_INLINE HeadView<T> view_as(const tsr_any_heads& v) noexcept {
  return {static_cast<T*>(v.data), v.heads, v.tokens, v.dim, v.head_stride, v.token_stride};
}
TESSERA_INLINE ChannelView<const float> view(const tsr_const_channels& v) noexcept {
  return {v.data, v.tokens, v.channels, v.token_stride, v.channel_stride};
}
TESSERA_INLINE ChannelView<float> view(const tsr_channels& v) noexcept {
  return {v.data, v.tokens, v.channels, v.token_stride, v.channel_stride};
}

TESSERA_INLINE std::span<std::byte> bytes(void* data, std::size_t size) noexcept {
  return {static_cast<std::byte*>(data), size};
}
TESSERA_INLINE std::span<const std::byte> bytes(const void* data, std::size_t size) noexcept {
  return {static_cast<const std::byte*>(data), size};
}
TESSERA_INLINE Workspace view(const tsr_workspace& w) noexcept {
  return {bytes(w.shared, w.shared_bytes), bytes(w.scratch, w.scratch_bytes)};
}

static_assert(sizeof(tsr_sequence) == sizeof(Sequence) &&
              offsetof(tsr_sequence, tokens) == offsetof(Sequence, tokens) &&
              offsetof(tsr_sequence, slot) == offsetof(Sequence, slot));
TESSERA_INLINE std::span<const Sequence> view(const tsr_sequence* s, std::size_t count) noexcept {
  return {reinterpret_cast<const Sequence*>(s), count};
}
TESSERA_INLINE States view(const tsr_states& s) noexcept {
  return {s.data, s.slots, s.slot_stride,
          s.order == TSR_STATE_OUTPUTS ? StateOrder::outputs : StateOrder::reduction};
}
TESSERA_INLINE Snapshots view(const tsr_snapshots& s) noexcept {
  return {s.data, s.count, s.sequence_stride, s.snapshot_stride};
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_COMMON_HPP_

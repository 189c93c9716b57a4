// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a public call answers. Every refusal has its own code; a refused call has written nothing.
#ifndef TESSERA_CORE_STATUS_HPP_
#define TESSERA_CORE_STATUS_HPP_

#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// The outcome of a public call. `ok` is 0; anything else refuses the call as a whole.
enum class [[nodiscard]] Status : std::uint32_t {
  ok = 0,
  null_pointer,          ///< an operand that must be there has no data
  empty_shape,           ///< a dimension that must be at least 1 is 0
  shape_mismatch,        ///< two operands disagree about a dimension
  shape_too_large,       ///< a size in bytes does not fit size_t
  stride_too_small,      ///< rows of a written operand would overlap
  misaligned,            ///< a pointer or stride is not a multiple of the element's alignment
  overlap,               ///< an output overlaps an input in a way the kernel does not define
  workspace_too_small,   ///< fewer bytes than workspace_size() names
  workspace_misaligned,  ///< not aligned to workspace_alignment
  scratch_too_small,     ///< fewer bytes than the scratch part of workspace_size() names
  packed_magic,          ///< the bytes are not a packed operand of this library
  packed_version,        ///< packed by an incompatible version
  packed_format,         ///< packed from another storage format than the kernel was asked for
  packed_tile,           ///< packed for another tile than the kernel was asked for
  packed_shape,          ///< packed from a matrix of another shape
  packed_too_small,      ///< fewer bytes than the header promises
  quantized_magic,       ///< the bytes are not quantised activations of this version
  quantized_tile,        ///< quantised for another backend's tile
  quantized_needs,       ///< quantised for weight formats that ask for less
  quantized_shape,       ///< quantised from a matrix of another shape
  quantized_too_small,   ///< fewer bytes than the header promises
  batch_ratio,           ///< the batches are not a multiple of the weights' batches
  expert_range,          ///< an id names an expert that is not there
  slot_ratio,            ///< the slots of a token are not a multiple of its activation rows
  unknown_format,        ///< a type id that is no storage format of this library
  group_multiple,        ///< a length is not a whole number of the format's blocks
  head_ratio,            ///< the query heads are not a multiple of the key heads
  head_size,             ///< a head size the kernel does not take (e.g. odd for rotation)
  position_range,        ///< a position, offset or length out of its documented range
  key_split,             ///< a range of keys is not cut at multiples of attention_block
  page_table,            ///< a table of pages is too short or names a page that is not there
  cache_too_small,       ///< fewer bytes than kv_cache_size() names
  not_finite,            ///< a scalar parameter is NaN or infinite
  not_positive,          ///< a scalar parameter must be greater than zero
  bad_unit_range,        ///< units beyond units(args), or begin > end
  bad_phase,             ///< a phase beyond phases(args)
  bad_slice,             ///< Slice::index >= Slice::count
  wrong_vlen,            ///< the vector registers are not those the backend's tile needs
  control_register,      ///< rounding mode is not nearest-even, or subnormals are flushed
  abi_mismatch,          ///< C interface: arguments of another ABI, or longer than those known here
  unknown_choice,        ///< C interface: a number that is no enumerator
  count_                 ///< number of codes; never returned
};

/// A sentence for people; never null, also for values outside the list.
[[nodiscard]] TESSERA_INLINE constexpr const char* message(Status s) noexcept {
  switch (s) {
    case Status::ok:
      return "ok";
    case Status::null_pointer:
      return "an operand has no data";
    case Status::empty_shape:
      return "a dimension is zero";
    case Status::shape_mismatch:
      return "two operands disagree about a dimension";
    case Status::shape_too_large:
      return "a size in bytes does not fit size_t";
    case Status::stride_too_small:
      return "rows of an output overlap: its row stride is smaller than a row";
    case Status::misaligned:
      return "a pointer is not aligned to its element";
    case Status::overlap:
      return "an output overlaps an input";
    case Status::workspace_too_small:
      return "the workspace is smaller than workspace_size() names";
    case Status::workspace_misaligned:
      return "the workspace or scratch is not aligned to workspace_alignment";
    case Status::scratch_too_small:
      return "the scratch is smaller than workspace_size() names";
    case Status::packed_magic:
      return "the bytes are not packed weights";
    case Status::packed_version:
      return "the weights were packed by an incompatible version";
    case Status::packed_format:
      return "the weights were packed from another storage format";
    case Status::packed_tile:
      return "the weights were packed for another tile";
    case Status::packed_shape:
      return "the weights were packed from a matrix of another shape";
    case Status::packed_too_small:
      return "the packed weights are truncated";
    case Status::quantized_magic:
      return "the bytes are not quantised activations";
    case Status::quantized_tile:
      return "the activations were quantised for another backend's tile";
    case Status::quantized_needs:
      return "the activations were quantised for formats that ask for less";
    case Status::quantized_shape:
      return "the activations were quantised from a matrix of another shape";
    case Status::quantized_too_small:
      return "the quantised activations are truncated";
    case Status::batch_ratio:
      return "the batches are not a multiple of the batches of the weights";
    case Status::expert_range:
      return "an id names an expert that does not exist";
    case Status::slot_ratio:
      return "the slots of a token are not a multiple of its rows of activations";
    case Status::unknown_format:
      return "the type id is no storage format of this library";
    case Status::group_multiple:
      return "a length is not a whole number of the format's blocks";
    case Status::head_ratio:
      return "the query heads are not a multiple of the key heads";
    case Status::head_size:
      return "the head size is not one the kernel takes";
    case Status::position_range:
      return "a position, offset or length is out of range";
    case Status::key_split:
      return "a range of keys is not cut at multiples of attention_block";
    case Status::page_table:
      return "the page table is too short or names a page that does not exist";
    case Status::cache_too_small:
      return "the cache is smaller than kv_cache_size() names";
    case Status::not_finite:
      return "a parameter is not finite";
    case Status::not_positive:
      return "a parameter is not greater than zero";
    case Status::bad_unit_range:
      return "the range of units lies outside units(args)";
    case Status::bad_phase:
      return "the phase lies outside phases(args)";
    case Status::bad_slice:
      return "the slice's index is not below its count";
    case Status::wrong_vlen:
      return "the vector registers do not have the length the backend's tile needs";
    case Status::control_register:
      return "the thread does not round to nearest or flushes subnormals";
    case Status::abi_mismatch:
      return "the caller was compiled with another header than the library";
    case Status::unknown_choice:
      return "a number in the arguments stands for nothing";
    case Status::count_:
      break;
  }
  return "not a status";
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_STATUS_HPP_

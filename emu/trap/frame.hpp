// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Where the vector state of an interrupted thread is. Linux (6.5 and later) saves it in the signal
// frame and restores it from there; qemu-riscv64 so far leaves it in the live registers.
#ifndef TESSERA_EMU_TRAP_FRAME_HPP_
#define TESSERA_EMU_TRAP_FRAME_HPP_

#include <cstddef>
#include <cstdint>

namespace tessera::trap {

/// Linux's `struct __riscv_v_ext_state`. The assembly entry builds the same from live registers.
struct VectorFrame {
  std::uint64_t vstart;
  std::uint64_t vl;
  std::uint64_t vtype;
  std::uint64_t vcsr;
  std::uint64_t vlenb;
  std::uint8_t* registers;  ///< 32 * vlenb bytes, v0 first
};
static_assert(sizeof(VectorFrame) == 48, "the assembly entry and Linux agree on 48 bytes");

inline constexpr std::uint32_t vector_magic = 0x53465457;
inline constexpr std::uint32_t end_magic = 0;

/// Linux puts the first extension header this far behind the start of the machine context:
/// 32 registers, then the last 8 bytes of the 528 that floating point has.
inline constexpr int extension_offset = 32 * 8 + 520;

/// The vector state among the extension headers in [begin, end), or null. `end` bounds the signal
/// frame: an emulator without extension headers has the interrupted program's own data at `begin`,
/// or nothing mapped at all, but then `begin` is not below `end` and nothing is read.
inline VectorFrame* find_vector_frame(std::uint8_t* begin, std::uint8_t* end) {
  constexpr std::uint32_t header_size = 8;
  while (end - begin >= std::ptrdiff_t{header_size}) {
    std::uint32_t header[2];
    __builtin_memcpy(header, begin, sizeof header);
    const auto [magic, size] = header;
    if (magic == end_magic || size < header_size || size > end - begin) return nullptr;
    if (magic == vector_magic) {
      if (size < header_size + sizeof(VectorFrame)) return nullptr;
      auto* frame = reinterpret_cast<VectorFrame*>(begin + header_size);
      // The bytes follow somewhere inside this frame; anything else is not the kernel's work.
      if (frame->vlenb < 16 || frame->vlenb > 8192) return nullptr;
      if (frame->registers < begin || frame->registers > end) return nullptr;
      if (static_cast<std::uint64_t>(end - frame->registers) < 32 * frame->vlenb) return nullptr;
      return frame;
    }
    begin += size;
  }
  return nullptr;
}

/// The end of the signal frame whose machine context is at `context`: the frame lies below the
/// interrupted stack pointer, or at the top of the alternate stack [low, high).
inline std::uint8_t* frame_end(std::uint8_t* context, std::uint8_t* sp, std::uint8_t* low,
                               std::uint8_t* high) {
  const bool here = context >= low && context < high;
  const bool came_from_here = sp > low && sp <= high;
  return here && !came_from_here ? high : sp;
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_FRAME_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One row of activations times panels of weights at VLEN 256, four panels to a tile, three of whose rows would be
/// idle otherwise. The row stands in one row of a register pair that is 0 elsewhere; the sliding
/// products move it, so that each panel's products come out in a row of their own.
#ifndef TESSERA_BACKEND_IME_ROW_SUMS_HPP_
#define TESSERA_BACKEND_IME_ROW_SUMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/row_loops_ime.h"
#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/isa/ime/insns/vmadot1.hpp"
#include "tessera/isa/ime/insns/vmadot2.hpp"
#include "tessera/isa/ime/insns/vmadot3.hpp"
#include "tessera/tile/row_operands.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// tile/row_operands.hpp says what it does.
class ImeRowSums {
  static constexpr std::size_t columns = 4;       // of a panel
  static constexpr std::size_t scale_lanes = 32;  // of a row tile

 public:
  static constexpr std::size_t panels = 12;
  /// The register before a row's first one is read with it.
  static constexpr std::size_t zeros_before = 64;

  [[nodiscard]] TESSERA_INLINE static bool reads(const detail::PanelSource& w) noexcept {
    const internal::LinearCodes& l = w.linear;
    return w.half_scales && (w.in_place || (l.hold && l.low_bits == 4 && l.high_bits == 0 &&
                                            l.gain == 1 && l.offset == 8));
  }

  [[nodiscard]] TESSERA_INLINE static bool sum(const RowOperands& in, float* out) noexcept {
    if (!scales_are_finite(in)) return false;
    FourPanels four = {in.panel, 4, in.panel_bytes, 2 * in.panel_bytes, 3 * in.panel_bytes};
    for (std::size_t left = in.panels; left != 0; left -= four.have) {
      if (left < 4) {
        // A panel that is not there repeats the last one: computed, never stored.
        four.have = left;
        if (left < 2) four.second = 0;
        if (left < 3) four.third = four.second;
        four.fourth = four.third;
      }
      sum_tile(in, four, out);
      four.first += 4 * in.panel_bytes;
      out += 4 * columns;
    }
    return true;
  }

 private:
  TESSERA_INLINE static bool scales_are_finite(const RowOperands& in) noexcept {
    const auto* first = reinterpret_cast<const std::uint16_t*>(in.panel);
    std::size_t vl = 0;
    for (std::size_t left = in.groups * columns; left != 0; left -= vl, first += vl) {
      vl = __riscv_vsetvl_e16m8(left);
      auto largest = __riscv_vmv_v_x_u16m8(0, vl);
      const std::uint16_t* halves = first;
      for (std::size_t p = in.panels; p != 0; --p, halves += in.panel_bytes / sizeof *halves) {
        const auto bits = __riscv_vle16_v_u16m8(halves, vl);
        largest = __riscv_vmaxu(largest, __riscv_vadd(bits, bits, vl), vl);
      }
      if (__riscv_vcpop(__riscv_vmsgtu(largest, 0xf7ff, vl), vl) != 0) return false;
    }
    return true;
  }

  struct FourPanels {
    const std::byte* first;
    std::size_t have;
    std::size_t second, third, fourth;  ///< bytes from the first panel to the others
  };
  TESSERA_INLINE static void sum_tile(const RowOperands& in, const FourPanels& four,
                                      float* out) noexcept {
    const std::int8_t* a = in.codes - zeros_before / 2;
    const float* sa = in.scales;
    const float* const pairs = sa + in.groups / 2 * (2 * scale_lanes);
    const std::byte* sb = four.first;
    const std::byte* b = four.first + in.codes_at;
    constexpr long second_register = 1 << 15;
    constexpr long word0 = detail::ime_word<ime::Vmadot<ime::Element::int8>> | second_register;
    constexpr long word1 = detail::ime_word<ime::Vmadot3>;
    constexpr long word2 = detail::ime_word<ime::Vmadot2>;
    constexpr long word3 = detail::ime_word<ime::Vmadot1>;
    constexpr auto sign_and_magnitude = static_cast<std::int32_t>(0x8fffe000);
    if (in.bytes) {
      TSR_SMT_ROW_STATEMENT(TSR_SMT_ROW_BYTES_TWO, TSR_SMT_ROW_BYTES_ONE, "");
    } else {
      TSR_SMT_ROW_STATEMENT(TSR_SMT_ROW_NIBBLES_TWO, TSR_SMT_ROW_NIBBLES_ONE,
                            TSR_SMT_ROW_NIBBLES_LEVELS);
    }
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_ROW_SUMS_HPP_

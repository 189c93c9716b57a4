// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector length of the core this thread runs on.
#ifndef TESSERA_BACKEND_IME_VLEN_HPP_
#define TESSERA_BACKEND_IME_VLEN_HPP_

#include <riscv_vector.h>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/isa/ime/geometry.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Status::wrong_vlen unless the registers are those of profile P. Cores of one chip differ, so this
/// is asked in every call. It cannot tell a core with the instructions from one without.
[[nodiscard]] TESSERA_INLINE Status check_vlen(const ime::Profile& profile) noexcept {
  const std::size_t bytes = __riscv_vsetvlmax_e8m1();
  return bytes == static_cast<std::size_t>(profile.vlen_bytes()) ? Status::ok : Status::wrong_vlen;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_VLEN_HPP_

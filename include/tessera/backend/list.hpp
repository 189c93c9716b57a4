// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends this translation unit can use, and the default among them.
#ifndef TESSERA_BACKEND_LIST_HPP_
#define TESSERA_BACKEND_LIST_HPP_

#include "tessera/backend/emu/backend.hpp"
#include "tessera/backend/scalar/backend.hpp"
#include "tessera/config.hpp"
#include "tessera/core/type_list.hpp"
#if TESSERA_HAS_RVV
#include "tessera/backend/ime1/backend.hpp"
#include "tessera/backend/ime2/backend.hpp"
#include "tessera/backend/rvv/backend.hpp"
#endif
#if TESSERA_ENABLE_HWY
#include "tessera/backend/hwy/backend.hpp"
#endif
#if TESSERA_ENABLE_XSIMD
#include "tessera/backend/xsimd/backend.hpp"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

using portable_backends = TypeList<backend::scalar, backend::emu<ime::k1>, backend::emu<ime::k3>>;
#if TESSERA_HAS_RVV
using with_rvv = portable_backends::append<backend::rvv, backend::ime1, backend::ime2>;
#else
using with_rvv = portable_backends;
#endif
#if TESSERA_ENABLE_HWY
using with_hwy = with_rvv::append<backend::hwy>;
#else
using with_hwy = with_rvv;
#endif
#if TESSERA_ENABLE_XSIMD
using with_xsimd = with_hwy::append<backend::xsimd>;
#else
using with_xsimd = with_hwy;
#endif

}  // namespace detail

/// Every backend the compiler's flags and the user's switches allow here. ime1 and ime2 are listed
/// wherever RVV is: whether a core can run them is a question for `B::check()`.
using available_backends = detail::with_xsimd;

/// The best backend that the flags alone guarantee: never ime1 or ime2, which need the right core.
#if TESSERA_HAS_RVV
using default_backend = backend::rvv;
#elif TESSERA_ENABLE_HWY
using default_backend = backend::hwy;
#elif TESSERA_ENABLE_XSIMD
using default_backend = backend::xsimd;
#else
using default_backend = backend::scalar;
#endif

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_LIST_HPP_

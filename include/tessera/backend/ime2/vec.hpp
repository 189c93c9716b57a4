// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the ime2 backend: that of rvv, which these cores run unchanged.
#ifndef TESSERA_BACKEND_IME2_VEC_HPP_
#define TESSERA_BACKEND_IME2_VEC_HPP_

#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

using Ime2Vectors = RvvVectors;

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME2_VEC_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The whole library. A program that uses one kernel may include its header alone.
#ifndef TESSERA_TESSERA_HPP_
#define TESSERA_TESSERA_HPP_

#include "tessera/activation.hpp"
#include "tessera/attention.hpp"
#include "tessera/hadamard.hpp"
#include "tessera/kv_cache.hpp"
#include "tessera/matmul.hpp"
#include "tessera/matmul_experts.hpp"
#include "tessera/norm.hpp"
#include "tessera/quantize_rows.hpp"
#include "tessera/rope.hpp"
#include "tessera/scores.hpp"
#include "tessera/softmax.hpp"
#include "tessera/ssm.hpp"

#endif  // TESSERA_TESSERA_HPP_

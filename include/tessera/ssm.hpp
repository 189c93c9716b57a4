// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// All kernels of state-space and linear-attention layers.
#ifndef TESSERA_SSM_HPP_
#define TESSERA_SSM_HPP_

#include "tessera/gated_delta_net.hpp"
#include "tessera/head_norm.hpp"
#include "tessera/linear_attention.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_scan.hpp"
#include "tessera/ssm_step.hpp"

#endif  // TESSERA_SSM_HPP_

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// flags: -std=c++20 -ffast-math
// expect: error: .*tessera needs infinities and NaNs
#include "tessera/config.hpp"

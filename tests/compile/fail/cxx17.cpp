// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// flags: -std=c++17
// expect: error: .*tessera needs C\+\+20
#include "tessera/config.hpp"

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What C99 compiles, as C++.
#include "tests/c_interface/calls.c"

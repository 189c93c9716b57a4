#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# The least gigabytes of stored weights packed per second on this core, over all block formats and tiles.
set -eu
build="$TESSERA_BUILD_ROOT/host-clang"
cmake --build "$build" --target packing_bench_base >/dev/null
"$build/bench/packing_bench_base" --benchmark_filter='^pack/' --benchmark_min_time=0.05 --benchmark_format=csv 2>/dev/null |
  awk -F, '$1 == "name" { for (i = 1; i <= NF; ++i) if ($i == "\"bytes\"" || $i == "bytes") column = i; next }
    column { name = $1; if (!least || $column < least) { least = $column; slowest = name } }
    END { print slowest, least / 1e9 }'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# emu_tile.sh TILE: GMAC/s of the slowest instruction of the emu backend with this tile (4x4x8, 8x8x16 or 8x8x32), compiled at
# -O2 by g++ and by clang for the least x86-64; each the best of five runs. Prints the number last.
set -euo pipefail
tile=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder="${TESSERA_BUILD_ROOT:-$root/build}/emu-tile"
mkdir -p "$folder"
for compiler in g++ clang++-19; do
  program="$folder/$compiler"
  if [ -z "$(find "$program" -newer "$root/include/tessera/backend/emu/product.hpp" -newer "$root/bench/emu_tile_bench.cpp" 2>/dev/null)" ]; then
    "$compiler" -std=c++20 -O2 -DNDEBUG -DTESSERA_FLAVOUR='"base"' -DTESSERA_BENCH_FLAGS='"-O2"' \
      -I"$root/include" -I"$root" "$root/bench/emu_tile_bench.cpp" \
      "$root"/bench/support/*.cpp -lbenchmark -o "$program"
  fi
  for _ in 1 2 3 4 5; do
    "$program" --benchmark_filter="/$tile\$" --benchmark_min_time=0.05 --benchmark_format=csv 2>/dev/null |
      awk -F, -v compiler="$compiler" '/^"emu_tile/ { print compiler, $1, $NF }'
  done
done | awk '{ key = $1 " " $2; if ($3 > best[key]) best[key] = $3 }
  END { for (key in best) { print key, best[key] / 1e9; if (least == "" || best[key] < least) least = best[key] }
        if (least != "") printf "least %.2f\n", least / 1e9 }'

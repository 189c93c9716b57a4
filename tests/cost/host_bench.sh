#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# host_bench.sh BENCH CASE [OVER]: microseconds of processor time of the case of BENCH (built for AVX-512) whose name holds
# CASE, the median of repetitions; with OVER that case's time over CASE's, from the same run and interleaved with it. Prints the
# number last; exit status 77: this CPU lacks the instructions.
set -euo pipefail
bench=$1 wanted=$2 over=${3:-}
build="$TESSERA_BUILD_ROOT/host-clang"
cmake --build "$build" --target "${bench}_bench_avx512" >/dev/null
status=0
table=$("$build/bench/${bench}_bench_avx512" --benchmark_filter="$wanted|${over:-$wanted}" --benchmark_repetitions=9 \
  --benchmark_min_time=0.05 --benchmark_enable_random_interleaving --benchmark_report_aggregates_only --benchmark_format=csv 2>/dev/null) || status=$?
if [ "$status" -ne 0 ]; then exit "$status"; fi
awk -F, -v wanted="$wanted" -v over="$over" '
  !/_median"/ { next }
  $1 ~ wanted { time = $4 }
  over != "" && $1 ~ over { other = $4 }
  END { if (over == "") print "us", time; else print time, other, (time > 0 ? other / time : "none") }' <<<"$table"

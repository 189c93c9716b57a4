#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# run_fuzzer.sh FUZZER SEEDS [SECONDS]: fuzzes for so long (TESSERA_FUZZ_SECONDS wins; default 60) from the seeds, into a
# scratch folder. Prints the number of executions; what was found lies in the working folder as crash-*.
set -eu
fuzzer=$1 seeds=$2 seconds=${TESSERA_FUZZ_SECONDS:-${3:-60}}
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
"$fuzzer" -max_total_time="$seconds" -max_len=1024 -timeout=20 -print_final_stats=1 "$corpus" "$seeds" >"$corpus.log" 2>&1 || {
  tail -40 "$corpus.log" >&2
  rm -f "$corpus.log"
  exit 1
}
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log")
coverage=$(sed -n 's/.* \(cov: [0-9]*\) .*/\1/p' "$corpus.log" | tail -1)
rm -f "$corpus.log"
echo "executions $executions"
echo "coverage ${coverage#cov: } edges"
[ "$executions" -gt 100 ]

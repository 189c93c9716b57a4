#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# run_count.sh TESSERA_RUN EXACT: tessera-run --count on functions whose counts are known (exact.S).
set -euo pipefail
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/../run/check.sh"
run=$1
exact=$2

if ! "$run" --count "$exact" exact_leaf 1 >/dev/null 2>"$folder/err" </dev/null &&
  grep -q 'was built without plugins\|no qemu-riscv64 fits' "$folder/err"; then
  cat "$folder/err"
  exit 77
fi

check 0 "$run" --json "$folder/json" --count --symbol exact_rows -- "$exact" exact_rows 100
holds err 'instructions 802'
holds err 'ime_dot 600'
holds err 'entered 1'
holds json '    "instructions": 802,'
check 0 "$run" --count --symbol act_bou "$exact" exact_bound 1
holds err 'gathered_at_most 32'
check 0 "$run" --profile k3 --count --symbol exact_bound "$exact" exact_bound 1
holds err 'gathered_at_most 128'
# It ends as the program ends.
check 2 "$run" --count "$exact" no_such_function 1
holds err 'vector_arithmetic 0'
check 2 "$run" --count --symbol no_such_function "$exact" exact_rows 1
holds err 'tessera: no function no_such_function among the program.s [0-9]+ symbols'
holds err 'tessera-run: the program left no counts'
check 2 "$run" --count --symbol a,b "$exact" exact_rows 1
holds err '.*--symbol: .*'
if [ -x "$prefix_qemu" ]; then
  check 2 env TESSERA_QEMU="$prefix_qemu" "$run" --count "$exact" exact_rows 1
  holds err ".*$(basename "$prefix_qemu") was built without plugins"
fi
finish "tessera-run --count"

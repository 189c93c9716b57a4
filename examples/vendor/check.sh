#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check.sh TESSERA_RUN VENDOR VENDOR_STATIC: the program on each core, unmodified: its results, how often each instruction was
# executed, and a trace of them all.
set -euo pipefail
run=$1 vendor=$2 static=$3
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/../../tests/run/check.sh"

# What the kernels execute: 12 steps of a product, one of each tap of a filter.
expected_counts() {
  local signs
  for signs in '' u us su; do
    echo "smt.vmadot$signs 13"
    echo "smt.vmadot1$signs 1"
    echo "smt.vmadot2$signs 1"
    echo "smt.vmadot3$signs 1"
  done
  if [ "$1" = k3 ]; then
    echo "smt.vmadot:i4 12"
    printf 'smt.%s 1\n' vmadot.sp vmadot.hp vfwmadot vfwmadot1 vfwmadot2 vfwmadot3 vpack.vv vupack.vv vnpack.vv vnspack.vv \
      vnpack4.vv vnspack4.vv
  fi
}

for profile in k1 x100 k3; do
  check 0 "$run" --profile $profile --stats --trace "$vendor"
  cat "$folder/out" "$folder/err"
  holds out 'vendor right'
  expected_counts $profile | sort >"$folder/wanted"
  sed -n 's/^retired \(smt.*\)/\1/p' "$folder/err" | sort | diff "$folder/wanted" - || fault "other counts"
  # The trace is every one of them, by the names of the statistics.
  sed -n 's/^trace 0x[0-9a-f]* 0x[0-9a-f]\{8\} \([^ ]*\) .*/\1/p' "$folder/err" | sed 's/:i4//' | sort | uniq -c |
    awk '{ print $2, $1 }' >"$folder/traced"
  awk '{ sub(/:i4/, "", $1); sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' "$folder/wanted" | sort |
    diff - "$folder/traced" || fault "another trace"
done

# Statically linked it would only die: that is said beforehand.
check 2 "$run" "$static"
holds err 'tessera-run: .* is statically linked without the runtime, and has a matrix instruction at 0x[0-9a-f]+ \(vendor_.*\): .*'
finish vendor

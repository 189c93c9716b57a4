#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Seconds until a second demo shows its first row (the first one builds). Prints the number last.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bash "$root/toolchains/dev.sh" demo --tokens 1 >/dev/null
start=$(date +%s.%N)
# The row of the scalar backend is the first one; the rest is not waited for.
grep -m 1 -q '^ *scalar' < <(bash "$root/toolchains/dev.sh" demo 2>/dev/null)
awk -v start="$start" -v end="$(date +%s.%N)" 'BEGIN { printf "seconds %.1f\n", end - start }'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# emulation_cost.sh                 a table: microseconds of a vmadot under emulation, per emulator and core
# emulation_cost.sh KEY QEMU CORE   one number of it, last: QEMU 7 or 10, CORE k1 or k3
# Of several runs the one counts whose empty handler was quickest: it was disturbed the least.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program="${TESSERA_BUILD_ROOT:-$root/build}/riscv64-clang/tests/trap/tessera_trap_cost"
test -x "$program" || exit 77
runs=${TESSERA_COST_RUNS:-3}

# measured QEMU CORE: the lines of the least disturbed run
measured() {
  local vlen=256 command best="" least="" text empty
  [ "$2" = k1 ] || vlen=1024
  command=$(cmake -D VLEN="$vlen" -D QEMU="$1" -P "$root/toolchains/qemu.cmake") || return 77
  for _ in $(seq "$runs"); do
    # shellcheck disable=SC2086 # a command of several words
    text=$($command "$program")
    empty=$(awk '$1 == "empty_handler" { print $2 }' <<<"$text")
    if [ -z "$least" ] || awk "BEGIN { exit !($empty < $least) }"; then
      least=$empty
      best=$text
    fi
  done
  printf '%s\n' "$best"
}

if [ $# -eq 3 ]; then
  measured "$2" "$3" | awk -v key="$1" '$1 == key { print; found = 1 } END { exit !found }'
  exit
fi
for qemu in 7 10; do
  for core in k1 k3; do
    measured "$qemu" "$core" | awk -v where="qemu $qemu $core" '{ print where, $1, $2 }'
  done
done | awk '{ at = $1 " " $2 " " $3; if (!(at in seen)) { seen[at] = 1; columns[++n] = at }
              if (!($4 in known)) { known[$4] = 1; keys[++m] = $4 } value[$4, at] = $5 }
  END { printf "%-26s", "us"; for (i = 1; i <= n; i++) printf "%13s", columns[i]; print ""
        for (k = 1; k <= m; k++) { printf "%-26s", keys[k]; for (i = 1; i <= n; i++) printf "%13s", value[keys[k], columns[i]]; print "" } }'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check_faults.sh TESSERA_RUN PLANTED PLANTED_IME: tessera-run --check finds what is planted, and nothing in the same done right.
set -euo pipefail
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/../run/check.sh"
run=$1
planted=$2
planted_ime=$3
pc='pc 0x[0-9a-f]+'

if ! "$run" --check "$planted" undisturbed_accumulator >/dev/null 2>"$folder/err" </dev/null &&
  grep -q 'was built without plugins\|no qemu-riscv64 fits' "$folder/err"; then
  cat "$folder/err"
  exit 77
fi
halving=$([ -x "$prefix_qemu" ] && echo yes || echo no)

# wrong PROGRAM NAME PATTERN...: status 1, these lines and no verdict but "faults".
wrong() {
  check 1 "$run" --check "$1" "$2"
  holds out 'faults [1-9][0-9]*'
  shift 2
  for pattern in "$@"; do holds out "$pattern"; done
}
right() {
  check 0 "$run" --check "$1" "$2"
  holds out clean
  if grep -q '^fault' "$folder/out"; then fault "an alarm"; fi
}

# A1: the accumulator's tail is lost in a short last pass.
wrong "$planted" agnostic_accumulator \
  "fault stores differ: $pc in agnostic_accumulator: 4 bytes 0x9 to 0x[0-9a-f]+ with elements kept, .* with elements all ones" \
  'fault prints differently with elements kept and with elements all ones'
right "$planted" undisturbed_accumulator

# A2: a matrix instruction whose statement does not say what it changes, or what it needs.
wrong "$planted_ime" clobbers_missing "fault stores differ: $pc in clobbers_missing: .*"
wrong "$planted_ime" vtype_of_compiler 'fault ended by signal 4 .*'
holds err 'tessera: rule broken: LMUL must be 1'
right "$planted_ime" clobbers_named

# A4: the register's length taken for the data's; a step by VLMAX where vl may be less.
wrong "$planted" width_is_vlen 'fault prints differently with elements kept and with VLEN 512' \
  "fault stores differ: $pc in width_is_vlen: 4 bytes 0x8 to 0x[0-9a-f]+ with elements kept, 4 bytes 0x10 to 0x[0-9a-f]+ with VLEN 512"
right "$planted" width_is_block
if [ "$halving" = yes ]; then
  wrong "$planted" steps_by_vlmax 'fault prints differently with vl as long as can be and with vl halved'
fi
right "$planted" steps_by_vl

# A22: elements wider than their alignment.
wrong "$planted" words_of_blocks "fault misaligned load of 4 bytes at 0x[0-9a-f]*[1235679abdef]: $pc in words_of_blocks"
right "$planted" bytes_of_blocks

# What cannot be judged is refused.
check 2 "$run" --check "$planted" cycle_counter
holds err 'tessera-run: --check: the program is not repeatable.* in cycle_counter'
if grep -q '^fault' "$folder/out"; then fault "an alarm"; fi
if [ "$halving" = yes ]; then
  check 2 env TESSERA_QEMU="$prefix_qemu" "$run" --check "$planted" steps_by_vl
  holds err ".*$(basename "$prefix_qemu") was built without plugins"
fi
check 2 env TESSERA_PLUGIN_FOLDER=/nonexistent "$run" --check "$planted" steps_by_vl
holds err '.*no libtessera_check.so here.*'

# The same in a file.
check 1 "$run" --json "$folder/json" --check "$planted" words_of_blocks
holds json ' *"misaligned load of 4 bytes.* in words_of_blocks"'
finish "tessera-run --check"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# options.sh TESSERA_RUN DYNAMIC STATIC ENDLESS: each option on a dynamic program and on one that links the runtime; a signal to
# tessera-run goes on to a program that would run for hours.
set -euo pipefail
run=$1 dynamic=$2 static=$3 endless=$4
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/check.sh"

for guest in "$dynamic" "$static"; do
  for profile_and_length in k1:256 x100:256 k3:1024 k3-bf16:1024; do
    profile=${profile_and_length%:*}
    check 0 "$run" --profile "$profile" --stats --json "$folder/json" -- "$guest" compute
    holds out 'guest right'
    holds err "profile $profile"
    holds err "vlen ${profile_and_length#*:}"
    holds err 'retired smt\.vmadot 100'
    holds err 'retired total 100'
    [ "$(tail -n 1 "$folder/err")" = "ended exit 0" ] || fault "the verdict is not last"
    holds json '    "smt.vmadot": 100'
    holds json "  \"profile\": \"$profile\","
    holds json '  "exit_status": 0,'
    python3 -m json.tool "$folder/json" >/dev/null || fault "no JSON"
  done
  check 0 "$run" --trace "$guest" compute
  [ "$(grep -cE '^trace 0x[0-9a-f]+ 0xe210312b smt.vmadot v2, v0, v1$' "$folder/err")" = 100 ] || fault "not 100 lines"
  # Nothing is printed that was not asked for.
  check 0 "$run" "$guest" compute
  [ ! -s "$folder/err" ] || fault "unexpected messages"
  # The core's rules are those of the profile that was asked for.
  check 132 "$run" --stats --json "$folder/json" "$guest" illegal
  holds err 'tessera: rule broken: LMUL must be 1'
  holds err 'ended signal 4 .*'
  holds json '  "signal": 4'
  # Not an IME instruction: the program's own death, without a word.
  check 132 "$run" "$guest" other
done
check 0 env TESSERA_PROFILE=k3 "$run" --stats "$dynamic" idle
holds err 'profile k3'
holds err 'retired total 0'
check 0 "$run" --help
holds out 'usage: tessera-run .*'

# Each emulator that is here, by name.
for qemu in "$prefix_qemu" "$(command -v qemu-riscv64 || true)"; do
  if [ -x "$qemu" ]; then
    check 0 env TESSERA_QEMU="$qemu" "$run" --profile=k3 --stats "$dynamic" compute
    holds err "emulator $qemu"
    holds err 'retired total 100'
  fi
done

ran="SIGTERM"
"$run" --stats "$endless" 10000000000 >"$folder/out" 2>"$folder/err" &
runner=$!
for _ in $(seq 100); do # until the program is there: the first child, since the probes have ended
  program=$(cat "/proc/$runner/task/$runner/children" 2>/dev/null | tr -d ' ' || true)
  if [ -n "$program" ] && grep -qs "$(basename "$endless")" "/proc/$program/cmdline"; then break; fi
  sleep 0.1
done
kill -TERM "$runner"
status=0
wait "$runner" || status=$?
[ "$status" -eq 143 ] || fault "exit status $status, not 143"
[ ! -e "/proc/$program" ] || fault "the program still runs"
holds err 'statistics incomplete .*'
holds err 'ended signal 15 .*'
finish options

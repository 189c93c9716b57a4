#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check_symbols.sh NM OBJDUMP READELF ARCHIVE PRELOAD: the parts of the runtime that run in the handler call nothing outside
# it, no function in it could be replaced by another translation unit's, only entry.S has vector instructions, and the preload
# library needs libc alone.
set -eu
nm=$1 objdump=$2 readelf=$3 archive=$4 preload=$5
failures=0
fail() { echo "$1" >&2; failures=$((failures + 1)); }

handler_part=':(actions|arrive|destination|execute|gear|memory_map|report|row|site|stub|trace|entry)\.[^:]*:'
outside=$("$nm" --undefined-only --print-file-name "$archive" | grep -E "$handler_part" |
  grep -v -E ' (tessera_trap_|_ZNK?7tessera4trap)' || true)
[ -z "$outside" ] || fail "called from the handler: $outside"
"$nm" --undefined-only --print-file-name "$archive" | grep -q -E ':arrive\.[^:]*:.*tessera_trap_execute' ||
  fail "the check of undefined symbols saw no arrive.cpp"

weak=$("$nm" --defined-only "$archive" | grep -E ' W ' || true)
[ -z "$weak" ] || fail "weak functions: $weak"

vector=$("$objdump" -d --mattr=+v "$archive" | awk '
  /file format/ { file = $1 }
  $0 ~ /\t(v[a-z0-9.]+)[ \t]/ && file !~ /(entry|stub)\.S/ { print file, $0 }' || true)
[ -z "$vector" ] || fail "vector instructions: $vector"
moves=$("$objdump" -d --mattr=+v "$archive" | grep -c -E 'vl1re64|vse64' || true)
[ "$moves" -eq 64 ] || fail "expected the 32 loads and 32 stores of entry.S, saw $moves"

needed=$("$readelf" -d "$preload" | grep NEEDED | grep -v -E 'libc\.so|ld-linux' || true)
[ -z "$needed" ] || fail "the preload library needs: $needed"

[ "$failures" -eq 0 ] && echo "symbols right"
exit "$failures"

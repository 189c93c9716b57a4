#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# mnemonics.sh ROOT OBJCOPY COMPILER...: every published line, with and without "smt.", through the macros of
# examples/vendor/mnemonics.inc and this assembler: the published word.
set -euo pipefail
root=$1 objcopy=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -n 's/^    {"\(.*\)", 0x\([0-9a-f]*\), .*/\2 \1/p' "$root/tests/isa/golden_words.hpp" >"$folder/golden"
{
  echo ".include \"$root/examples/vendor/mnemonics.inc\""
  cut -d' ' -f2- "$folder/golden"
  cut -d' ' -f2- "$folder/golden" | sed 's/^smt\.//'
} >"$folder/lines.s"
"$@" -c "$folder/lines.s" -o "$folder/lines.o"
"$objcopy" -O binary -j .text "$folder/lines.o" "$folder/lines.bin"
od -An -v -tx4 -w4 "$folder/lines.bin" | tr -d ' ' >"$folder/words"
cut -d' ' -f1 "$folder/golden" | cat - <(cut -d' ' -f1 "$folder/golden") | diff - "$folder/words"
count=$(wc -l <"$folder/words")
echo "$count lines right"
[ "$count" -ge 274 ]

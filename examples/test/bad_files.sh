#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# bad_files.sh PROGRAM FOLDER: unusable files and options end the program with exit code 2 and one line that says why.
set -euo pipefail
program=$1
work=$2
mkdir -p "$work"
unset TESSERA_MODEL
cases=0
wrong=0

refused() { # NAME ARGUMENTS...
  local name=$1 code=0
  shift
  cases=$((cases + 1))
  "$program" "$@" >"$work/out" 2>"$work/err" || code=$?
  if [ "$code" -ne 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q '^stories: ' "$work/err"; then
    wrong=$((wrong + 1))
    echo "$name: exit code $code, $(wc -c <"$work/out") bytes of text, said: $(head -c 300 "$work/err")"
  fi
}

# word FILE INDEX VALUE: sets an int32
word() {
  local v=$(($3 & 0xffffffff))
  # shellcheck disable=SC2059 # the format is made here
  printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((v & 255)) $((v >> 8 & 255)) $((v >> 16 & 255)) $((v >> 24)))" |
    dd of="$1" bs=4 seek="$2" conv=notrunc status=none
}

model=$work/model.bin
tokenizer=$work/tok512.bin
"$program" --synthesize "$model"
"$program" --model "$model" --tokens 2 >/dev/null # good files are taken

bad=$work/bad.bin
for value in -1 0 1 2147483647; do
  for index in 0 1 2 3 4 5 6; do
    cp "$model" "$bad"
    word "$bad" "$index" "$value"
    refused "model word $index = $value" --model "$bad" --tokenizer "$tokenizer"
  done
  cp "$tokenizer" "$bad"
  word "$bad" 0 "$value"
  refused "tokenizer word 0 = $value" --model "$model" --tokenizer "$bad"
done
for file in "$model" "$tokenizer"; do
  size=$(wc -c <"$file")
  # The loaders' own test cuts at every 997th byte; here it is about the exit code.
  for bytes in 0 1 27 28 997 1994 $((size / 2)) $((size - 1)); do
    head -c "$bytes" "$file" >"$bad"
    if [ "$file" = "$model" ]; then
      refused "model of $bytes bytes" --model "$bad" --tokenizer "$tokenizer"
    else
      refused "tokenizer of $bytes bytes" --model "$model" --tokenizer "$bad"
    fi
  done
done
refused "no model"
refused "absent model" --model "$work/absent"
refused "folder as model" --model "$work"
refused "absent tokenizer" --model "$model" --tokenizer "$work/absent"
refused "tokenizer as model" --model "$tokenizer"
refused "unknown option" --model "$model" --speed
refused "missing value" --model
refused "unknown backend" --model "$model" --backend fpga
refused "unknown format" --model "$model" --weights q3
refused "no tokens" --model "$model" --tokens 0
refused "words for tokens" --model "$model" --tokens 3x
refused "too many tokens" --model "$model" --tokens 99999999999999999999
refused "long prompt" --model "$model" --prompt "$(printf 'q%.0s' $(seq 600))"

echo "$cases cases, $wrong wrong"
[ "$wrong" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# bad_files.sh PROGRAM FOLDER MODEL_FOLDER: unusable files and options end the program with exit code 2 and one line that
# says why; good ones are taken.
set -euo pipefail
program=$1
work=$2
model=$3/weights.safetensors
held_out=$3/held_out.txt
mkdir -p "$work"
cases=0
wrong=0

refused() { # NAME ARGUMENTS...
  local name=$1 code=0
  shift
  cases=$((cases + 1))
  "$program" "$@" >"$work/out" 2>"$work/err" || code=$?
  if [ "$code" -ne 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q '^hybrid: ' "$work/err"; then
    wrong=$((wrong + 1))
    echo "$name: exit code $code, $(wc -c <"$work/out") bytes of text, said: $(head -c 300 "$work/err")"
  fi
}

[ "$(printf 'c:abc=\nr:abc=' | "$program" --model "$model")" = $'abc\ncba' ] || {
  echo "the good files do not answer"
  exit 1
}

bad=$work/bad.safetensors
size=$(wc -c <"$model")
for bytes in 0 7 8 100 5000 $((size / 2)) $((size - 1)); do
  head -c "$bytes" "$model" >"$bad"
  refused "model of $bytes bytes" --model "$bad" --prompt c:a=
done
edited() { # NAME WHAT WITH: the header's text changed, its length kept
  LC_ALL=C sed "1s/$2/$3/" "$model" >"$bad"
  cmp -s "$model" "$bad" && { echo "$1: nothing was changed"; wrong=$((wrong + 1)); }
  refused "$1" --model "$bad" --prompt c:a=
}
edited "no JSON" '__metadata__":{' '__metadata__":['
edited "another size" '"dim":"128"' '"dim":"129"'
edited "no number" '"dim":"128"' '"dim":"12x"'
edited "sizes that do not fit" '"rotary":"16"' '"rotary":"17"'
edited "unknown layer" 'delta attention' 'dexta attention'
edited "characters that repeat" '0123456789' '0123456788'
edited "missing tensor" '"final_norm"' '"final_nomr"'
edited "unknown dtype" '"dtype":"F16"' '"dtype":"F61"'
edited "another shape" '"shape":\[61,128\]' '"shape":[61,127]'
edited "place outside" '"data_offsets":\[0,' '"data_offsets":[9,'
edited "a tensor over another" '"data_offsets":\[15616,' '"data_offsets":[15614,'
{ cat "$model"; echo; } >"$bad"
refused "bytes behind the tensors" --model "$bad" --prompt c:a=
{ head -c -4 "$model"; printf '\377\377\377\377'; } >"$bad"
refused "a value that is not a number" --model "$bad" --prompt c:a=
code=0
"$program" --model "$model" --prompt c:abc= >/dev/full 2>/dev/null || code=$?
[ "$code" -eq 2 ] || { echo "output that cannot be written: exit code $code"; wrong=$((wrong + 1)); }
ignored() { # OPTION and its value, MODE...: a run that would not read the option names it
  local option=$1
  refused "$*" "$@"
  grep -q "^hybrid: $option: goes with " "$work/err" || {
    wrong=$((wrong + 1))
    echo "$*: does not name $option"
  }
}
for mode in "--prompt c:a=" "--prompt c:a= --logits" --compare --cut --list; do
  # shellcheck disable=SC2086 # the mode is made of words
  ignored --floor 9 $mode
  # shellcheck disable=SC2086
  ignored --sequences 2 $mode
done
for mode in --compare --cut --list; do
  ignored --piece 48 "$mode"
  ignored --sequential "$mode"
  ignored --plant "$mode"
done
for mode in "--prompt c:a=" --list; do
  # shellcheck disable=SC2086
  ignored --cases 2 $mode
  # shellcheck disable=SC2086
  ignored --held-out "$held_out" $mode
done
for option in "--weights q8_0" "--cache q8_0" "--backend scalar" "--model $model" --eval --compare --cut; do
  # shellcheck disable=SC2086 # an option and its value
  ignored $option --list
done
ignored --prompt c:a= --eval
ignored --compare --eval
ignored --cut --eval
ignored --piece 4 --prompt c:a= --logits
ignored --logits --eval
refused "logits of no prompt" --model "$model" --logits
printf 'add\t1+1=\n' >"$work/bad.txt"
refused "a line of two columns" --model "$model" --eval --held-out "$work/bad.txt"
printf 'add\t1%%1=\t2\n' >"$work/bad.txt"
refused "an unknown character" --model "$model" --eval --held-out "$work/bad.txt"
: >"$work/bad.txt"
refused "no cases" --model "$model" --eval --held-out "$work/bad.txt"
refused "absent model" --model "$work/absent" --prompt c:a=
refused "folder as model" --model "$work" --prompt c:a=
refused "cases as model" --model "$held_out" --prompt c:a=
refused "unknown option" --model "$model" --speed
refused "missing value" --model
refused "unknown backend" --model "$model" --backend fpga
refused "unknown weights" --model "$model" --weights q3
for format in f32 bf16 q8_0 q2_K iq4_xs nvfp4 q1_0 i8_row; do
  grep -q " $format\b" "$work/err" || {
    wrong=$((wrong + 1))
    echo "unknown weights: the refusal does not name $format"
  }
done
refused "unknown cache" --model "$model" --cache q6_K
refused "no sequences" --model "$model" --sequences 0
refused "too many sequences" --model "$model" --sequences 257
refused "unknown character" --model "$model" --prompt 'C:a='
refused "long prompt" --model "$model" --prompt "$(printf 'q%.0s' $(seq 600))"

echo "$cases cases, $wrong wrong"
[ "$wrong" -eq 0 ]

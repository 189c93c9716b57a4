#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Records the story teller, compares the records, and replays operators: with and without a planted bit.
# usage: record.sh STORIES TESSERA-DIFF TESSERA-OP
set -u
stories=$1 diff=$2 op=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# record NAME ARGS...: two tokens, recorded in the folder NAME
record() {
  local name=$1
  shift
  TESSERA_RECORD="$folder/$name" "$stories" --model "$folder/model.bin" --tokens 2 "$@" >/dev/null || {
    echo "FAILED: recording $name"
    exit 1
  }
}

# expect CODE LAST-LINE-PATTERN COMMAND...
expect() {
  local code=$1 pattern=$2 output status
  shift 2
  output=$("$@" 2>&1)
  status=$?
  if [ "$status" -ne "$code" ] || ! [[ $(tail -n 1 <<<"$output") =~ $pattern ]]; then
    echo "FAILED: ${*:2} -> exit $status, not $code and '$pattern':"
    tail -n 5 <<<"$output"
    failures=$((failures + 1))
  fi
}

"$stories" --synthesize "$folder/model.bin"
record scalar --backend scalar
record emulated --backend emu_k3
record planted --backend scalar --plant
record q8_0 --backend scalar --weights q8_0
record cache --backend scalar --cache q8_0

expect 0 '^first divergence none$' "$diff" "$folder/emulated" "$folder/scalar"
expect 1 '^first divergence [0-9]+_layer2.ffn_gate/out0_c wrong' "$diff" "$folder/planted" "$folder/scalar"
expect 1 '^first divergence [0-9]+_layer0.k_append/out0_cache wrong' "$diff" "$folder/cache" "$folder/scalar"

wrong=$(basename "$(echo "$folder"/planted/*_layer2.ffn_gate | cut -d ' ' -f 1)")
last=$(ls "$folder/planted" | grep _logits | head -n 1)
expect 1 '^verdict this operator is wrong: ' "$op" --in "$folder/planted/$wrong"
expect 1 '^verdict its input was already wrong: operator [0-9]+ layer2.ffn_gate' "$op" --in "$folder/planted/$last"
expect 0 '^verdict (only rounding|equal)$' "$op" --in "$folder/scalar/$last"
expect 1 '^verdict its input was already wrong: input a' "$op" --in "$folder/cache/$last" --against "$folder/scalar/$last"
for run in q8_0 cache; do
  for call in "$folder/$run"/*_layer1.*; do
    expect 0 '^verdict (only rounding|equal)$' "$op" --in "$call"
  done
done

# A buffer that was written over between two operators: the record says so by its hashes.
norm=$(ls -d "$folder"/scalar/*_layer1.ffn_gate | head -n 1)
sed -i 's/^\(input a .* produced \)[0-9a-f]*/\10123456789abcdef/' "$norm/operator.txt"
expect 1 '^verdict a buffer changed in between: changed_buffer: input a' "$op" --in "$norm"
expect 1 '^first divergence [0-9]+_layer1.ffn_gate/in0_a changed' "$diff" "$folder/scalar" "$folder/emulated"

expect 2 'cannot be replayed' "$op" --in "$(ls -d "$folder"/scalar/*_embedding | head -n 1)"
expect 2 'operator.txt: cannot be read' "$op" --in "$folder/none"
expect 2 'usage' "$op" --in
TESSERA_RECORD="$folder/none/deep" "$stories" --model "$folder/model.bin" --tokens 1 >/dev/null 2>"$folder/errors"
if [ $? -ne 2 ] || ! grep -q '^stories: TESSERA_RECORD: ' "$folder/errors"; then
  echo "FAILED: a folder that cannot be made"
  failures=$((failures + 1))
fi

if [ "$failures" -ne 0 ]; then
  echo "$failures failures"
  exit 1
fi
echo "records: all as expected"

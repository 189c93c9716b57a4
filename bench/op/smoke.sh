#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# tessera-op end to end: every kernel, every way to ask for it, and input it must refuse.
# usage: smoke.sh PROGRAM
set -u
op=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE LAST-LINE-PATTERN ARGS...
expect() {
  local code=$1 pattern=$2 output status last
  shift 2
  output=$("$op" "$@" 2>"$folder/errors")
  status=$?
  last=$(tail -n 1 <<<"$output")
  if [ "$status" -ne "$code" ] || ! [[ $last =~ $pattern ]]; then
    echo "FAILED: $* -> exit $status, last line '$last', not exit $code and '$pattern'"
    cat "$folder/errors"
    failures=$((failures + 1))
  fi
}

# field KEY ARGS...: the value of one line
field() {
  local key=$1
  shift
  "$op" "$@" | sed -n "s/^$key //p"
}

same() {
  if [ "$2" != "$3" ] || [ -z "$2" ]; then
    echo "FAILED: $1: '$2' against '$3'"
    failures=$((failures + 1))
  fi
}

identical='^identical scalar$'
expect 0 '^isa ' list
expect 0 'roundtrip exact$' formats
for backend in scalar emu_k1 emu_k3; do
  for format in f32 f16 bf16 q8_0 q4_0; do
    expect 0 "$identical" matmul --format "$format" --m 5 --n 21 --k 70 --backend "$backend" --reference
  done
done
for format in q4_1 q5_0 q5_1 q2_K q3_K q4_K q5_K q6_K iq4_nl iq4_xs mxfp4 nvfp4 q1_0 q2_0 nbits16_f16z nbits128_f32 \
  i8_row u8_row; do
  expect 0 "$identical" matmul --format "$format" --m 5 --n 21 --k 300 --backend emu_k3 --reference
done
expect 2 '^refused ' matmul --format q8_K
for layout in 1x1x1 4x4x8 8x8x16 1x16x4 1x128x1; do
  expect 0 "$identical" matmul --format q4_0 --layout "$layout" --backend emu_k1 --case extreme
done
for kernel in rms_norm softmax swiglu softplus sigmoid silu; do
  expect 0 "$identical" "$kernel" --rows 3 --cols 37 --reference
  expect 0 "$identical" "$kernel" --rows 3 --cols 37 --units 1:2 --case one-hot
done
expect 0 "$identical" rope --pairing half --dim 128 --rotary 64 --base 1e6 --position 1048575 --reference
expect 0 "$identical" attention --dim 40 --dim-v 8 --heads 6 --kv-heads 2 --queries 3 --keys 130 --causal yes --reference
expect 0 "$identical" attention --queries 0 --keys 0
expect 0 "$identical" ssm_conv --width 4 --channels 70 --tokens 9 --silu yes --reference
expect 0 "$identical" ssm_conv --channels 300 --tokens 2 --units 1:2 --reference
expect 0 "$identical" ssm_scan --state 8 --head-dim 5 --heads 6 --groups 2 --tokens 9 --reference
expect 0 "$identical" gated_delta_net --algorithm chunked --key-heads 2 --tokens 100 --reference
expect 0 "$identical" gated_delta_net --algorithm chunked --gates key --tokens 30 --reference --split 3
expect 0 "$identical" ssm_scan --algorithm chunked --groups 2 --tokens 100 --reference
expect 2 '^refused a position' ssm_scan --algorithm chunked --rates state
expect 0 "$identical" ssm_scan --state 4 --head-dim 1 --heads 300 --rates state --split 2 --reference
for map in modulo blocks; do
  expect 0 "$identical" gated_delta_net --dim 12 --heads 4 --key-heads 2 --map $map --tokens 20 --reference
done
expect 0 "$identical" gated_delta_net --gates key --split 3 --reference
for kernel in gated_linear_attention rwkv6 rwkv7; do
  expect 0 "$identical" $kernel --dim 12 --dim-v 20 --heads 3 --tokens 9 --split 2 --reference
done
expect 0 "$identical" l2_norm --dim 37 --heads 3 --tokens 5 --split 2 --reference
for order in after before; do
  expect 0 "$identical" gated_rms_norm --dim 37 --heads 3 --tokens 5 --order $order --units 2:9 --reference
done
expect 0 "$identical" mamba2_step --state 8 --head-dim 70 --heads 6 --groups 2 --split 2 --reference
expect 0 "$identical" gated_delta_net_step --dim 12 --heads 4 --key-heads 2 --width 3 --map blocks --reference
expect 2 '^refused the query heads are not a multiple' gated_delta_net_step --heads 3 --key-heads 2
expect 2 '^refused --units: a step has phases' mamba2_step --units 0:1
for k in f32 f16 bf16 q8_0 q4_0 q5_0 iq4_nl scaled_int8 scaled_int4; do
  expect 0 "$identical" attention --k "$k" --v "$k" --dim 64 --heads 4 --kv-heads 2 --queries 3 --keys 70 --backend emu_k1 --reference
  expect 0 "$identical" attention --k "$k" --v "$k" --dim 64 --keys 70 --backend emu_k3 --query full --reference
done
expect 0 "$identical" attention --k q8_0 --v f16 --soft-cap 5 --before 20 --after 3 --alibi 8 --sinks yes --queries 9 --reference
expect 0 "$identical" attention --cache tiles --dim 64 --dim-v 96 --heads 4 --kv-heads 2 --queries 3 --keys 70 --backend emu_k1
expect 0 "$identical" attention --cache tiles --dim 64 --keys 70 --backend emu_k3 --query full --reference
# 8 queries of 8 heads are one tile: each of 256 x (128 + 128) / 32 blocks once.
same "decoded blocks" "$(field decodes attention --k q8_0 --v q8_0 --dim 128 --heads 8 --kv-heads 1 --queries 8 --keys 256 --backend emu_k1)" 2048
for format in q4_0 q8_0 q4_K f16; do
  expect 0 "$identical" matmul_experts --format $format --backend emu_k1 --k 256 --tokens 9 --reference
done
expect 0 "$identical" matmul_experts --slots 2 --used 4 --split 3 --reference
expect 2 '^refused an id names an expert that does not exist' matmul_experts --id 8
expect 2 '^refused an id names an expert that does not exist' matmul_experts --id -1
expect 2 '^refused the slots of a token are not' matmul_experts --slots 2 --used 3
expect 0 '"verdict": "identical scalar"}$' softmax --json
expect 0 '^not run$' matmul --check-only

# An emulated tile is 4 x 4 x 8 or 8 x 8 x 16 products: 4 row tiles, 12 panels, 8 steps; 2, 6 and 4.
same "vmadots of k1" "$(field atoms matmul --format q8_0 --m 16 --n 48 --k 64 --backend emu_k1)" smt.vmadot=384
same "vmadots of k3" "$(field atoms matmul --format q8_0 --m 16 --n 48 --k 64 --backend emu_k3)" smt.vmadot=48
same "split" "$(field digest matmul --m 70 --n 100 --split 7)" "$(field digest matmul --m 70 --n 100)"
same "layout" "$(field digest matmul --format q8_0 --layout 1x128x1)" "$(field digest matmul --format q8_0)"

# Files: what is written can be read, and gives the same.
expect 0 "$identical" swiglu --rows 3 --cols 20 --seed 5 --out "$folder/x.npy"
expect 0 "$identical" softmax --x "$folder/x.npy" --reference --out "$folder/y.npy"
same "file's shape" "$(field shape softmax --x "$folder/x.npy")" 3x20
expect 0 "$identical" matmul --a "$folder/x.npy" --b "$folder/y.npy" --reference
head -c 100 "$folder/x.npy" >"$folder/short.npy"
expect 2 '^refused .*short.npy: ' softmax --x "$folder/short.npy"
head -c 200 "$folder/x.npy" >"$folder/short.npy"
expect 2 '^refused .*short.npy: the data' softmax --x "$folder/short.npy"
echo text >"$folder/text.npy"
expect 2 '^refused .*text.npy: not an .npy' softmax --x "$folder/text.npy"
expect 2 '^refused .*none.npy: cannot be read' softmax --x "$folder/none.npy"
expect 2 '^refused .*: cannot be written' softmax --out "$folder/none/y.npy"
expect 2 '^refused --x: the array is 3x20 and must be 4x20' softmax --x "$folder/x.npy" --rows 4

# Input it must refuse, by the field's name.
expect 2 '^$' nonsense
expect 2 '^$'
expect 2 '^refused --q: softmax has no such field' softmax --q 1
expect 2 '^refused --rows: a value must follow' softmax --rows
expect 2 "^refused 'rows': a field begins" softmax rows 3
expect 2 '^refused --rows: given twice' softmax --rows 3 --rows 4
expect 2 '^refused --rows 0: must be at least 1' softmax --rows 0
expect 2 '^refused --rows -1: must be at least 1' softmax --rows -1
expect 2 '^refused --rows 3x: not a whole number' softmax --rows 3x
expect 2 '^refused --rows 99999999999999999999: not a whole' softmax --rows 99999999999999999999
expect 2 '^refused --cols: an operand of more than' softmax --rows 2000000000 --cols 2000000000
expect 2 '^refused --scale x: not a number' softmax --scale x
expect 2 '^refused a parameter is not finite' softmax --scale nan
expect 2 '^refused --backend none: not built in; there are scalar' softmax --backend none
expect 2 '^refused --format q9: must be one of f32' matmul --format q9
expect 2 '^refused --layout 3x3x3: on [a-z0-9]* q8_0 weights' matmul --format q8_0 --layout 3x3x3
expect 2 '^refused --case odd: must be one of' softmax --case odd
expect 2 '^refused --units 3: write A:B' softmax --units 3
expect 2 '^refused the range of units lies outside' softmax --units 3:99
expect 2 '^refused --split: all units or the range' softmax --units 0:1 --split 2
expect 2 '^refused --split 0: must be at least 1' softmax --split 0
expect 2 '^refused --rotary 3: pairs need' rope --rotary 3
expect 2 '^refused the head size' rope --dim 4 --rotary 8
expect 2 '^refused --position 1048577: must be within' rope --position 1048577
expect 2 '^refused a parameter is not greater' rope --base 0
expect 2 '^refused a position, offset or length' ssm_conv --width 10
expect 2 '^refused the query heads are not a multiple' ssm_scan --heads 3 --groups 2
expect 2 '^refused --algorithm odd: must be one of' gated_delta_net --algorithm odd
expect 2 '^refused --k q9: must be one of f32' attention --k q9
expect 2 '^refused --k f32 --v q4_0: no such pair' attention --v q4_0
expect 2 '^refused --k f16: a cache in tiles is of q8_0' attention --cache tiles --k f16
expect 2 '^refused --v q8_0: the head size is not a multiple of 32' attention --v q8_0 --dim-v 40
expect 2 '^refused a parameter is not greater than zero' attention --soft-cap -1
expect 2 '^refused the query heads are not a multiple' attention --heads 3 --kv-heads 2

if [ "$failures" -ne 0 ]; then
  echo "$failures failures"
  exit 1
fi
echo "tessera-op: all as expected"

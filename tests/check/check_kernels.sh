#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check_kernels.sh TESSERA_RUN TESSERA_OP: no alarm on our kernels, at sizes that leave tails everywhere.
set -euo pipefail
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/../run/check.sh"
run=$1
op=$2

clean() {
  local profile=$1
  shift
  check 0 "$run" --profile "$profile" --check "$op" "$@"
  if [ "$(tail -n 1 "$folder/out")" != clean ]; then fault "an alarm"; fi
}

if ! "$run" --check "$op" list >/dev/null 2>"$folder/err" </dev/null &&
  grep -q 'was built without plugins\|no qemu-riscv64 fits' "$folder/err"; then
  cat "$folder/err"
  exit 77
fi
for profile_and_backend in k1:ime1 k3:ime2 k1:rvv k3:rvv; do
  profile=${profile_and_backend%:*}
  backend=${profile_and_backend#*:}
  for format in q8_0 q4_0 f16; do
    clean "$profile" matmul --format "$format" --m 9 --n 70 --k 96 --backend "$backend"
  done
done
for format in q8_0 q4_0; do # one row has its own products there
  clean k1 matmul --format "$format" --m 1 --n 70 --k 96 --backend ime1
done
for profile in k1 k3; do
  clean "$profile" attention --dim 40 --heads 4 --kv-heads 2 --queries 3 --keys 70 --backend rvv
  clean "$profile" rope --pairing half --dim 40 --rotary 24 --tokens 3 --backend rvv
  clean "$profile" rope --pairing interleaved --dim 40 --tokens 3 --backend rvv
  clean "$profile" softmax --rows 3 --cols 77 --backend rvv
  clean "$profile" rms_norm --rows 3 --cols 77 --backend rvv
  clean "$profile" swiglu --rows 3 --cols 77 --backend rvv
  clean "$profile" gated_rms_norm --dim 40 --heads 3 --tokens 3 --backend rvv
  clean "$profile" ssm_conv --width 4 --channels 77 --tokens 5 --backend rvv
  clean "$profile" ssm_scan --state 16 --head-dim 40 --heads 2 --tokens 5 --backend rvv
  clean "$profile" ssm_scan --state 16 --head-dim 1 --heads 77 --tokens 5 --rates state --backend rvv
  clean "$profile" ssm_scan --state 24 --head-dim 40 --heads 2 --tokens 70 --algorithm chunked --backend rvv
  for gates in head key; do
    clean "$profile" gated_delta_net --dim 40 --heads 2 --tokens 5 --gates $gates --backend rvv
    clean "$profile" gated_delta_net --dim 40 --dim-v 77 --heads 2 --tokens 30 --gates $gates --algorithm chunked --backend rvv
  done
  clean "$profile" gated_delta_net_step --dim 40 --heads 2 --backend rvv
done
finish "tessera-run --check on kernels"

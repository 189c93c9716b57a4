#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# published_text.sh PROGRAM FOLDER: f32 weights print the published text on every backend that this CPU can run, with caches
# of f32 and f16. (Keys of q8_0 change its 119th token, a near tie; a cache of q4_0 changes the 20th.) Exit code 77 without
# the real model.
set -euo pipefail
program=$1
work=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=examples/published.sh
. "$root/examples/published.sh"
mkdir -p "$work"

model=$(find_model "$root")
if [ -z "$model" ] || ! is_known_model "$model"; then
  echo "skipped: the real model is not here"
  exit 77
fi
code=0
"$program" --list >"$work/list" 2>"$work/err" || code=$?
if [ "$code" -ne 0 ]; then
  cat "$work/err"
  exit "$code"
fi
wrong=0
sed -n 's/ f32$//p' "$work/list" >"$work/backends" # those that cannot run name a reason behind the format
while read -r backend; do
  for cache in f32 f16; do
    "$program" --model "$model" --backend "$backend" --cache "$cache" --tokens "$published_tokens" >"$work/text"
    if begins_with_published_text "$work/text"; then
      echo "$backend $cache: published text"
    else
      echo "$backend $cache: another text:"
      cat "$work/text"
      wrong=1
    fi
  done
done <"$work/backends"
exit "$wrong"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# demo.sh BUILD_ROOT FOLDER: what the trained network answers, with weights and caches in every format and on every backend that is
# built. Exit code: 0 all identical, 1 a backend differs or failed.
set -euo pipefail
build_root=$1
work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$work"
files=(--model "$here/weights.safetensors" --held-out "$here/held_out.txt")
program() { # BUILD FLAVOUR
  echo "$build_root/$1/examples/hybrid_$2"
}
[ -x "$(program host-clang base)" ] || exit 0

field() { # KEY [REPORT]
  sed -n "s/^$1 //p" "${2:-$work/report}"
}
share() { # TASK REPORT
  field "accuracy $1" "$2" | sed 's/ .*//'
}

# A flavour that this CPU can run, the widest first.
for flavour in avx2 base; do
  widest=$(program host-clang $flavour)
  if [ -x "$widest" ] && "$widest" --list >/dev/null 2>&1; then
    break
  fi
done

echo
echo "exact answers of the trained network to its held-out questions (all tasks), per format of the weights and of the cache:"
caches=(f32 f16 q8_0 q4_0)
mapfile -t formats < <("$widest" --list | sed -n 's/^scalar //p' | sort -V)
evaluate() { # WEIGHTS CACHE
  "$widest" "${files[@]}" --eval --weights "$1" --cache "$2" >"$work/accuracy.$1.$2"
}
idle=$(nproc)
for weights in "${formats[@]}"; do
  for cache in "${caches[@]}"; do
    if [ "$idle" -eq 0 ]; then
      wait -n || { wait; exit 1; }
    else
      idle=$((idle - 1))
    fi
    evaluate "$weights" "$cache" &
  done
done
for job in $(jobs -p); do
  wait "$job" || { wait; exit 1; }
done
printf '%-13s' weights
printf ' %7s' "${caches[@]}"
printf '  %s\n' "per task, cache q8_0"
for weights in "${formats[@]}"; do
  printf '%-13s' "$weights"
  for cache in "${caches[@]}"; do
    printf ' %7s' "$(share all "$work/accuracy.$weights.$cache")"
  done
  printf ' '
  for task in add sub copy reverse bracket lookup recall; do
    printf ' %s %s' $task "$(share $task "$work/accuracy.$weights.q8_0")"
  done
  echo
done

echo
# Under an emulator its longest lists take a minute.
grep -v '^recall' "$here/held_out.txt" >"$work/without_recall.txt"
files=(--model "$here/weights.safetensors" --held-out "$work/without_recall.txt")
echo "its digest, the longest question of each task but recall, weights and cache q8_0; retired: matrix instructions:"
differs=0
reference=
while read -r name build flavour vlen; do
  executable=$(program "$build" "$flavour")
  run=()
  if [ "$vlen" != native ]; then
    # shellcheck disable=SC2207 # the command is made of words
    run=($(cmake -D VLEN="$vlen" -P "$here/../../toolchains/qemu.cmake" 2>/dev/null || true))
    [ ${#run[@]} -gt 0 ] || continue
  fi
  [ -x "$executable" ] || continue
  code=0
  "${run[@]}" "$executable" "${files[@]}" --eval --cases 1 --weights q8_0 --cache q8_0 --backend "$name" >"$work/report" 2>"$work/err" ||
    code=$?
  verdict=identical
  if [ "$code" -eq 77 ]; then
    verdict="not run: $(sed 's/^hybrid: //;q' "$work/err")"
  elif [ "$code" -ne 0 ]; then
    verdict="failed: $(sed 's/^hybrid: //;q' "$work/err")"
    differs=1
  elif [ "$(field digest)" != "${reference:=$(field digest)}" ]; then
    verdict=differs
    differs=1
  fi
  retired=$(field retired | paste -s -d ,)
  printf '%-8s %-8s %-16s  %-24s  %s\n' "$name" "$vlen" "$(field digest)" "${retired:--}" "$verdict"
done <<'ROWS'
scalar host-clang base native
emu_k1 host-clang base native
emu_k3 host-clang base native
hwy host-clang avx2 native
xsimd host-clang avx2 native
rvv riscv64-clang rvv 128
rvv riscv64-clang rvv 1024
ime1 riscv64-clang rvv 256
ime2 riscv64-clang rvv 1024
ROWS
exit $differs

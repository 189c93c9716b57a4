#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Runs the story teller on every backend, natively and under QEMU, and prints one table: same model, same bits?
# Call it as: bash toolchains/dev.sh demo [OPTIONS], which builds the programs first.
set -euo pipefail

usage() {
  cat <<'TEXT'
toolchains/dev.sh demo [OPTIONS]
  --tokens N     compare the logits of N tokens (32); rows under QEMU end there, native ones after at least 256
  --weights F    one format instead of f32, q8_0 and q4_0
  --backend B    only this backend, beside scalar
  --plant        flip one bit in the packed weights of one backend (--backend B, or emu_k3): the table must tell
Without --backend and --plant also what the trained network of examples/hybrid answers, in every format and on every backend.
The model is $TESSERA_MODEL, or ../shared/models/stories260K.bin beside the repository, or else an untrained one.
Exit code: 0 all identical, 1 something differs or failed, 2 unusable input.
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${TESSERA_BUILD_ROOT:-$root/build}
# shellcheck source=examples/published.sh
. "$root/examples/published.sh"
native_tokens=$published_tokens

# backend, build, flavour, runner (native, or a vector length under QEMU), the target a third-party library must report
rows=(
  "scalar host-clang base native -"
  "emu_k1 host-clang base native -"
  "emu_k3 host-clang base native -"
  "hwy host-clang avx2 native AVX2"
  "hwy host-clang avx512 native AVX3_DL"
  "xsimd host-clang avx2 native fma3+avx2"
  "xsimd host-clang avx512 native avx512vnni+avx512vbmi"
  "rvv riscv64-clang rvv 128 -"
  "rvv riscv64-clang rvv 256 -"
  "rvv riscv64-clang rvv 512 -"
  "rvv riscv64-clang rvv 1024 -"
  "ime1 riscv64-clang rvv 256 -"
  "ime2 riscv64-clang rvv 1024 -"
  "hwy riscv64-clang rvv_hwy 256 RVV"
  "xsimd riscv64-clang rvv_xsimd 256 riscv+rvv"
)

die() {
  echo "demo: $1" >&2
  exit 2
}

# ---- options -------------------------------------------------------------------------------------

tokens=32
formats=(f32 q8_0 q4_0)
backend=
plant=
while [ $# -gt 0 ]; do
  case $1 in
    --plant) plant=emu_k3 ;;
    --tokens | --weights | --backend)
      [ $# -gt 1 ] || die "$1: a value is missing"
      case $1 in
        --tokens) tokens=$2 ;;
        --weights) formats=("$2") ;;
        --backend) backend=$2 ;;
      esac
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "there is no option $1 (--help prints all)" ;;
  esac
  shift
done
[[ $tokens =~ ^[1-9][0-9]{0,5}$ ]] || die "--tokens: $tokens is not a number from 1 to 999999"
[[ ${formats[0]} =~ ^(f32|f16|bf16|q8_0|q4_0)$ ]] ||
  die "--weights: there is no format ${formats[0]}; there are: f32 f16 bf16 q8_0 q4_0"
if [ -n "$backend" ]; then
  printf '%s\n' "${rows[@]}" | grep -q "^$backend " || die "--backend: there is no backend $backend"
  if [ -n "$plant" ]; then
    plant=$backend
  fi
fi
[ "$plant" != scalar ] || die "--plant: scalar is what the others are compared with; name another backend"
if [ "$tokens" -gt "$native_tokens" ]; then
  native_tokens=$tokens
fi

# ---- model ---------------------------------------------------------------------------------------

program() { # BUILD FLAVOUR
  echo "$build_root/$1/examples/stories_$2"
}

base=$(program host-clang base)
[ -x "$base" ] || die "$base is not built"
work=$build_root/demo
rm -rf "$work"
mkdir -p "$work"

model=$(find_model "$root")
known=
if [ -z "$model" ]; then
  model=$work/synthetic.bin
  "$base" --synthesize "$model"
  echo "model: an untrained one (set TESSERA_MODEL to the path of a llama2.c checkpoint for a real one)"
else
  [ -f "$model" ] || die "TESSERA_MODEL: there is no file $model"
  if is_known_model "$model"; then
    known=1
  fi
  echo "model: $model"
fi

# ---- running -------------------------------------------------------------------------------------

declare -A qemu_command qemu_name
find_qemu() { # VLEN
  if [ -n "${qemu_command[$1]+known}" ]; then
    return 0
  fi
  qemu_command[$1]=$(cmake -D VLEN="$1" -P "$root/toolchains/qemu.cmake" 2>/dev/null || true)
  if [ -n "${qemu_command[$1]}" ]; then
    local version
    version=$(${qemu_command[$1]%% *} --version | sed -n 's/.*version \([0-9]*\.[0-9]*\).*/\1/p;q')
    qemu_name[$1]="QEMU $version VLEN $1"
  fi
}

# One line per job: number of the row's description, format.
jobs=()
for i in "${!rows[@]}"; do
  read -r name _ _ runner _ <<<"${rows[i]}"
  if [ -n "$backend" ] && [ "$name" != "$backend" ] && [ "$name" != scalar ]; then
    continue
  fi
  if [ "$runner" != native ]; then
    find_qemu "$runner"
  fi
  for format in "${formats[@]}"; do
    jobs+=("$i $format")
  done
done

run_job() { # JOB: writes $work/JOB.{text,err,report,trace,code}
  local i format name build flavour runner out=$work/$1 code=0
  read -r i format <<<"${jobs[$1]}"
  read -r name build flavour runner _ <<<"${rows[i]}"
  local executable
  executable=$(program "$build" "$flavour")
  local words=("$executable" --model "$model" --backend "$name" --weights "$format" --prefix "$tokens"
    --report "$out.report" --trace "$out.trace")
  if [ "$runner" = native ]; then
    words+=(--tokens "$native_tokens")
  else
    # shellcheck disable=SC2206 # the command is made of words
    words=(${qemu_command[$runner]} "${words[@]}" --tokens "$tokens")
  fi
  if [ "$name" = "$plant" ]; then
    words+=(--plant)
  fi
  if [ ! -x "$executable" ]; then
    echo "not built here" >"$out.err"
    code=77
  elif [ "$runner" != native ] && [ -z "${qemu_command[$runner]}" ]; then
    echo "there is no qemu-riscv64" >"$out.err"
    code=77
  else
    "${words[@]}" >"$out.text" 2>"$out.err" || code=$?
  fi
  echo "$code" >"$out.code"
}

# ---- judging -------------------------------------------------------------------------------------

field() { # JOB KEY
  sed -n "s/^$2 //p" "$work/$1.report"
}

# What a failed program said, or how it died.  complaint JOB CODE
complaint() {
  if [ -s "$work/$1.err" ]; then
    sed 's/^stories: //;q' "$work/$1.err"
  elif [ "$2" -gt 128 ]; then
    echo "SIG$(kill -l "$2")"
  else
    echo "exit code $2"
  fi
}

# The text without the line break at its end, or its first bytes.
text() { # JOB [BYTES]
  head -c "${2:--1}" "$work/$1.text"
}

# The first tensor whose digest is another one.
first_difference() { # JOB REFERENCE
  paste -d '\n' "$work/$2.trace" "$work/$1.trace" |
    awk 'NR % 2 { line = $0; next } !found && $0 != line { found = 1; NF--; print }'
}

differs=0 failed=0 absent=0 whole_texts=0 begun_texts=0
declare -A reference

# Sets verdict; counts what is not identical.
judge() { # JOB
  local i format name runner want code
  read -r i format <<<"${jobs[$1]}"
  read -r name _ _ runner want <<<"${rows[i]}"
  code=$(cat "$work/$1.code")
  if [ "$name" = scalar ]; then
    [ "$code" -eq 0 ] || die "scalar, which the others are compared with, failed: $(complaint "$1" "$code")"
    reference[$format]=$1
  fi
  local ref=${reference[$format]}
  if [ "$code" -eq 77 ]; then
    verdict="not run: $(sed 's/^stories: //;q' "$work/$1.err")"
    absent=$((absent + 1))
  elif [ "$code" -ne 0 ]; then
    verdict="failed: $(complaint "$1" "$code")"
    failed=$((failed + 1))
  elif [ "$want" != - ] && [ "$(field "$1" target)" != "$want" ]; then
    verdict="failed: compiled for $(field "$1" target), not $want"
    failed=$((failed + 1))
  elif [[ $name$format =~ ^(emu|ime).*q[0-9]_ ]] && [ -z "$(field "$1" retired)" ]; then
    verdict="failed: no vmadot was executed"
    failed=$((failed + 1))
  elif [ "$(field "$1" digest)" != "$(field "$ref" digest)" ] ||
    [ "$(field "$1" prefix)" != "$(field "$ref" prefix)" ]; then
    verdict="differs: $(first_difference "$1" "$ref")"
    differs=$((differs + 1))
  elif [ "$runner" = native ] && [ "$(field "$1" whole)" != "$(field "$ref" whole)" ]; then
    verdict="differs behind token $tokens"
    differs=$((differs + 1))
  elif ! judge_text "$1" "$ref" "$format"; then
    verdict="differs: the text"
    differs=$((differs + 1))
  else
    verdict=identical
  fi
}

judge_text() { # JOB REFERENCE FORMAT
  local size
  size=$(text "$1" | wc -c)
  cmp -s <(text "$1") <(text "$2" "$size") || return 1
  if [ -z "$known" ] || [ "$3" != f32 ]; then
    return 0
  fi
  # The reference is held against the published text, the others against the reference.
  begins_with_published_text "$work/$2.text" || return 1
  if [ "$size" -ge "$published_bytes" ]; then
    whole_texts=$((whole_texts + 1))
  else
    begun_texts=$((begun_texts + 1))
  fi
}

line() {
  printf '%-28s %-18s %-7s %-16s  %6s  %-17s  %-18s  %s\n' "$@"
}

print_job() { # JOB
  local i format name flavour runner want target place=native
  read -r i format <<<"${jobs[$1]}"
  read -r name _ flavour runner want <<<"${rows[i]}"
  if [ "$runner" != native ]; then
    place=${qemu_name[$runner]:-QEMU VLEN $runner}
  fi
  judge "$1"
  if [ ! -s "$work/$1.report" ]; then
    if [ "$want" != - ]; then
      name="$name ($flavour)"
    fi
    line "$name" "$place" "$format" - - - - "$verdict"
    return 0
  fi
  target=$(field "$1" target)
  if [ "$target" != - ]; then
    name="$name $target"
  fi
  local retired
  retired=$(field "$1" retired | paste -s -d ,)
  line "$name" "$place" "$format" "$(field "$1" digest)" "$(field "$1" tokens)" "${retired:--}" \
    "$(field "$1" fallback)" "$verdict"
}

echo "digest: of all logits of the first $tokens tokens; retired: matrix instructions in these; fallback: what another backend ran"
line backend runner weights digest tokens retired fallback verdict
pids=()
next=0
parallel=$(nproc)
for job in "${!jobs[@]}"; do
  while [ "$next" -lt ${#jobs[@]} ] && [ "$next" -lt $((job + parallel)) ]; do
    run_job "$next" 2>/dev/null & # without the shell's own words about killed programs
    pids[next]=$!
    next=$((next + 1))
  done
  wait "${pids[job]}"
  print_job "$job"
done

# ---- summary -------------------------------------------------------------------------------------

echo
echo "the text of scalar, ${formats[0]}:"
text "${reference[${formats[0]}]}"
printf '\n\n'
if [ $((whole_texts + begun_texts)) -gt 0 ]; then
  echo "published text: $whole_texts rows print all of it, $begun_texts its first $tokens tokens"
fi
trained_differs=0
if [ -z "$backend$plant" ]; then
  bash "$root/examples/hybrid/demo.sh" "$build_root" "$work/hybrid" || trained_differs=1
  echo
fi
ran=$((${#jobs[@]} - absent))
summary="${#jobs[@]} rows, ${#formats[@]} format"
if [ ${#formats[@]} -ne 1 ]; then
  summary+=s
fi
summary+=": "
if [ "$differs" -eq 0 ] && [ "$failed" -eq 0 ]; then
  summary+="$ran identical"
else
  summary+="not identical: $differs differ, $failed failed, $((ran - differs - failed)) identical"
fi
if [ "$absent" -gt 0 ]; then
  summary+=", $absent not run"
fi
if [ "$trained_differs" -ne 0 ]; then
  summary+="; the trained network's answers differ"
fi
echo "$summary"
[ "$differs" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$trained_differs" -eq 0 ]

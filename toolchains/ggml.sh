# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh ggml`: Debian testing's ggml 0.27 loads libggml-tessera.so (examples/ggml) and compares each of
# its operators with its own CPU backend, by its own test-backend-ops. Natively all cases; under QEMU a subset with the matrix
# instructions of ime1 (profile k1) and ime2 (profile k3), of which the number retired is printed.
#
# ggml and the libc it wants are unpacked into build/prefix/ggml-ARCHITECTURE and run by their own loader; nothing on the system
# changes.

# libggml0 has the libraries and test-backend-ops, llama.cpp-tools the programs that use them.
ggml_packages=(libggml0 llama.cpp-tools)

# Backends of ggml's own are searched for in the current folder too. GGML_BACKEND_PATH, set by the caller, names ours.
ggml_tests_natively() {
  local root=$1
  shift
  (cd "$root/usr/lib/x86_64-linux-gnu/ggml/backends0" &&
    "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
      "$root/usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops" test -b TESSERA "$@")
}

ggml_tests_emulated() {
  local root=$1 profile=$2
  shift 2
  "$build_root/riscv64-clang/emu/tessera-run" --profile "$profile" --stats --sysroot "$root" -- \
    "$root/usr/libexec/riscv64-linux-gnu/ggml/test-backend-ops" test -b TESSERA "$@"
}

# Operators; where a share of supported cases is promised, that. ggml tests the functions of GLU by their own names.
ggml_operators='MUL_MAT 95
MUL_MAT_ID 95
FLASH_ATTN_EXT 95
ROPE 95
SSM_CONV 95
SSM_SCAN 95
GATED_DELTA_NET 95
GATED_LINEAR_ATTN 95
RWKV_WKV6 0
RWKV_WKV7 0
RMS_NORM 0
L2_NORM 0
SOFT_MAX 0
REGLU,GEGLU,SWIGLU,SWIGLU_OAI,GEGLU_ERF,GEGLU_QUICK,SWIGLU_CLAMP 0'

# The subset under QEMU: an operator and an expression for the parameters of its cases.
ggml_emulated='MUL_MAT type_a=(q4_0|q8_0|q4_K|q6_K|iq4_nl|mxfp4|f16),type_b=f32,m=16,n=(1|4|9),k=256,bs=.1,1.,nr=.1,1.,per=.0,1,2,3.,k_v=0
MUL_MAT_ID type_a=(q4_0|q8_0|f16),type_b=f32,n_mats=4,n_used=2,b=0,m=512,n=(1|17),k=256
FLASH_ATTN_EXT hsk=64,hsv=64,nh=4,nr23=.(1|4),1.,kv=(113|512),nb=3,mask=1,sinks=1,max_bias=8.*type_K=(q8_0|q4_0|f16),type_V=(q8_0|q4_0|f16),permute=.0,1,2,3.
ROPE ne_a=.(128,32,2,1|64,128,2,1).,n_dims=(128|64),mode=(0|2|40),.*fs=1.000000,ef=0.746500,af=1.000000,ff=1,v=0
SSM_CONV ne_a=.(4|7),1024
SSM_SCAN d_state=128,head_dim=64,n_head=16,.*n_seq_tokens=(4|8),
GATED_DELTA_NET head_count=4,head_size=(16|32|64),n_seq_tokens=(2|4),
GATED_LINEAR_ATTN n_seq_tokens=1,
RWKV_WKV6 n_seq_tokens=1,
RWKV_WKV7 n_seq_tokens=1,
RMS_NORM ne=.(33|64),5,4,3.
L2_NORM ne=.64,5,4,3.
SOFT_MAX ne=.16,16,1,1.
SWIGLU type=f32'

# ggml_row BACKEND OPERATOR LEAST LOG SECONDS: a line of the table from what the tests said; 1 if a case failed, none ran or too
# few are supported. Unchecked are cases that ggml's CPU backend, which is compared with, does not compute.
ggml_row() {
  local name=${2%%,*}
  [ "$name" = "$2" ] || name=GLU
  sed 's/\x1b\[[0-9;]*m//g' "$4" | awk -v backend="$1" -v operator="$name" -v least="$3" -v seconds="$5" '
    /^  [A-Z0-9_]+\(.*\): / {
      if (/: OK *$/) good++; else if (/: not supported.*\[TESSERA\]/) none++; else if (/: not supported/) unchecked++; else bad++ }
    /^retired smt\.[a-z]*vmadot/ { retired += $3 }
    END {
      cases = good + none + bad
      share = cases ? 100 * (cases - none) / cases : 0
      verdict = bad || !good ? "failed" : share < least ? "too few supported" : "ok"
      printf "%-8s %-18s %6d %6d %6d %6d %9d %8.1f%% %10s %6d  %s\n", backend, operator, cases + unchecked, good, none, bad,
        unchecked, share, backend ~ /^ime/ ? retired + 0 : "-", seconds, verdict
      exit verdict != "ok" }'
}

# ggml [OPERATOR...]: all, or those named, by ggml's names.
ggml() {
  local amd64="$build_root/prefix/ggml-amd64" riscv64="$build_root/prefix/ggml-riscv64" logs="$build_root/ggml"
  local native=avx2 operator least pattern backend profile status=0 start log wanted=" $* "
  grep -qw fma /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo || native=scalar
  ensure_apt_root "$amd64" testing amd64 "${ggml_packages[@]}"
  ensure_apt_root "$riscv64" testing riscv64 "${ggml_packages[@]}"
  build host-clang "ggml_tessera_$native"
  build riscv64-clang ggml_tessera_ime1 ggml_tessera_ime2 tessera_run tessera_trap_preload
  rm -rf "$logs"
  mkdir -p "$logs"
  printf '%-8s %-18s %6s %6s %6s %6s %9s %9s %10s %6s\n' backend operator cases ok none failed unchecked supported vmadots seconds
  while read -r operator least; do
    if [ $# -gt 0 ] && [[ $wanted != *" ${operator%%,*} "* ]]; then continue; fi
    log="$logs/$native.${operator%%,*}.txt" start=$SECONDS
    GGML_BACKEND_PATH="$build_root/host-clang/examples/ggml/$native/libggml-tessera.so" \
      ggml_tests_natively "$amd64" -o "$operator" >"$log" 2>&1 </dev/null || true # the table judges
    ggml_row "$native" "$operator" "$least" "$log" $((SECONDS - start)) || status=1
  done <<<"$ggml_operators"
  for backend in ime1 ime2; do
    profile=k1
    [ "$backend" = ime1 ] || profile=k3
    while read -r operator pattern; do
      if [ $# -gt 0 ] && [[ $wanted != *" $operator "* ]]; then continue; fi
      log="$logs/$backend.$operator.txt" start=$SECONDS
      GGML_BACKEND_PATH="$build_root/riscv64-clang/examples/ggml/$backend/libggml-tessera.so" \
        ggml_tests_emulated "$riscv64" "$profile" -o "$operator" -p "$pattern" >"$log" 2>&1 </dev/null || true
      ggml_row "$backend" "$operator" 0 "$log" $((SECONDS - start)) || status=1
    done <<<"$ggml_emulated"
  done
  echo "logs in $logs"
  if [ "$status" -eq 0 ]; then echo "ggml agrees"; else echo "ggml differs"; fi
  return "$status"
}

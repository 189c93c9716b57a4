# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh onnx`: Debian 13's ONNX Runtime loads libonnx-tessera.so (examples/onnx), and a program runs
# each of its operators beside the runtime's own in one session and compares them. Natively only.
#
# The runtime and the libc it wants are unpacked into build/prefix/onnx and run by their own loader; nothing on the system
# changes.

# onnx [OPERATOR]: all, or the one named.
onnx() {
  local runtime="$build_root/prefix/onnx" build="$build_root/onnx" native="-march=haswell -maes"
  local libraries="$runtime/usr/lib/x86_64-linux-gnu"
  grep -qw fma /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo || native=""
  ensure_apt_root "$runtime" trixie "" libonnxruntime-dev
  cmake -S "$root/examples/onnx" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 \
    "-DCMAKE_CXX_FLAGS=$native" "-DTESSERA_HWY_INCLUDE_DIR=$build_root/prefix/trixie/usr/include" \
    "-DONNXRUNTIME_INCLUDE_DIR=$runtime/usr/include/onnxruntime" \
    "-DONNXRUNTIME_LIBRARY=$libraries/libonnxruntime.so" >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    return 1
  }
  cmake --build "$build" --parallel "$jobs"
  # Debian's library says of every operator's schema that it has it twice.
  "$runtime/usr/lib64/ld-linux-x86-64.so.2" --library-path "$libraries" \
    "$build/tessera-onnx-compare" "$build/libonnx-tessera.so" "$@" 2> >(grep -v '^Schema error: \|^$' >&2)
}

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh. Makes build/prefix/benchmark, the sources of Google Benchmark as this Debian release has them (200 kB), from
# which the builds for riscv64 make their own: bench/CMakeLists.txt.

# ensure_benchmark ROOT CODENAME
ensure_benchmark() {
  local root=$1 codename=$2
  if [ -f "$root/.complete" ]; then
    return 0
  fi
  echo "== setting up $root"
  local state="$root.apt"
  new_private_apt "$state" "$codename" deb-src
  rm -rf "$root"
  mkdir -p "$root"
  if ! private_apt "$state" update || ! (cd "$state" && private_apt "$state" source --download-only benchmark) ||
    ! tar -x -f "$state"/benchmark_*.orig.tar.* -C "$root" --strip-components=1; then
    echo "dev.sh: no sources of Google Benchmark here: no benches for riscv64" >&2
    rm -rf "$state" "$root"
    return 0
  fi
  rm -rf "$state"
  touch "$root/.complete"
}

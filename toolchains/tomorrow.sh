# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for the builds tomorrow-gcc and tomorrow-clang and for `dev.sh tomorrow`, which is both: the vectors' tests
# and the digests of every kernel with what Debian testing has.
#
#   tomorrow-gcc     GCC 15 (the K3 board's compiler), Highway 1.3, QEMU 11: rvv, ime1 and ime2, hwy
#   tomorrow-clang   xsimd 14, QEMU 11, with clang 19: xsimd
#
# All of it is unpacked into build/prefix/tomorrow; nothing on the system changes.

tomorrow_options=("-DTESSERA_SYSTEM_QEMU=$build_root/prefix/tomorrow/usr/bin/qemu-riscv64" -DTESSERA_BUILD_EXAMPLES=OFF
  -DTESSERA_BUILD_BENCH=OFF -DTESSERA_INSTALL=OFF)
tomorrow_packages=(g++-15-riscv64-linux-gnu qemu-user libhwy-dev libxsimd-dev)

# ensure_tomorrow ROOT: a stamp with the folder's own path, since the repointed programs spell it.
ensure_tomorrow() {
  local root=$1
  local stamp="$root/.repointed"
  if [ "$(cat "$stamp" 2>/dev/null)" != "$root" ]; then
    ensure_packages patchelf
    rm -f "$root/.complete"
    ensure_apt_root "$root" testing amd64 "${tomorrow_packages[@]}"
    repoint_programs "$root" "$root"
    echo "$root" >"$stamp"
  fi
  echo "== Debian testing: $("$root/usr/bin/riscv64-linux-gnu-g++-15" --version | head -1)," \
    "$("$root/usr/bin/qemu-riscv64" --version | head -1)," \
    "Highway $(version_in "$root/usr/include/hwy/base.h" HWY_MAJOR HWY_MINOR HWY_PATCH)," \
    "xsimd $(version_in "$root/usr/include/xsimd/config/xsimd_config.hpp" XSIMD_VERSION_{MAJOR,MINOR,PATCH})"
}

# version_in HEADER MACRO...: the numbers these macros are defined as, with dots.
version_in() {
  local header=$1 macro text=""
  shift
  for macro in "$@"; do
    text+=.$(sed -n "s/^#define $macro  *\([0-9]*\).*/\1/p" "$header")
  done
  echo "${text#.}"
}

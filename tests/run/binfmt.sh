#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# binfmt.sh TESSERA_RUN PROGRAM...: programs that a shell of this machine starts keep the core and the runtime where
# binfmt_misc runs riscv64 programs: where it is registered, else in a name space of our own (Linux 6.7), else skipped.
set -euo pipefail
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/check.sh"

registered() {
  grep -qs '^enabled' /proc/sys/fs/binfmt_misc/qemu-riscv64
}

# The registration, as Debian's qemu-user-binfmt makes it.
register() {
  local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null &&
    echo ":qemu-riscv64:M::$magic:$mask:$1:" >/proc/sys/fs/binfmt_misc/register
}

qemu=$prefix_qemu
[ -x "$qemu" ] || qemu=$(command -v qemu-riscv64 || true)
if ! registered; then
  if [ "${TESSERA_IN_NAMESPACE:-}" = "" ] && unshare --user --map-root-user --mount true 2>/dev/null; then
    export TESSERA_IN_NAMESPACE=1
    exec unshare --user --map-root-user --mount bash "$0" "$@"
  fi
  if [ "${TESSERA_IN_NAMESPACE:-}" = "" ] || ! register "$(readlink -f "$qemu")"; then
    echo "not run: binfmt_misc does not know riscv64 here, and cannot be told in a name space"
    exit 77
  fi
fi

run=$1
shift
for program in "$@"; do
  for profile in k1 k3; do
    check 0 "$run" --profile $profile --stats "$program" shell
    holds out 'exec right'
    holds err "profile $profile"
    holds err 'retired total 220'
    holds err 'processes 2'
    [ "$(wc -l <"$folder/out")" -eq 1 ] || fault "unexpected output"
  done
done
finish binfmt

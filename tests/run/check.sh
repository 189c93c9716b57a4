# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by the tests of this folder: runs a command and compares what came of it.
unset TESSERA_PROFILE TESSERA_QEMU TESSERA_SYSROOT TESSERA_TRAP_LIBRARY TESSERA_TRAP_STATS TESSERA_TRAP_TRACE
ulimit -c 0
# shellcheck disable=SC2034 # for those who source this
prefix_qemu="${TESSERA_PREFIX:-$(dirname "$0")/../../build/prefix/trixie}/usr/bin/qemu-riscv64"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# check STATUS COMMAND...: its output is in $folder/out and $folder/err afterwards.
check() {
  local wanted=$1 status=0
  shift
  "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
  ran=$*
  if [ "$status" -ne "$wanted" ]; then
    fault "exit status $status, not $wanted"
  fi
}

# holds FILE PATTERN: a line of the file matches the whole pattern.
holds() {
  grep -qxE -- "$2" "$folder/$1" || fault "no line '$2' in $1"
}

fault() {
  echo "$ran: $1" >&2
  sed 's/^/  out: /' "$folder/out" >&2
  sed 's/^/  err: /' "$folder/err" >&2
  failures=$((failures + 1))
}

finish() {
  if [ "$failures" -eq 0 ]; then echo "$1 right"; fi
  exit "$((failures > 0))"
}

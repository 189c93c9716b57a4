#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# boot.sh FOLDER VLEN CPU INIT PROGRAM[:WORD]...: boots the machine of `dev.sh setup --system` (FOLDER) on a -cpu string, with
# the programs. Each must end with status 0, and the vector state must have been where only a kernel puts it.
set -euo pipefail
here=$(dirname "$0")
machine=$1 vlen=$2 cpu=$3
shift 3
if [ ! -f "$machine/.complete" ]; then
  echo "not run: no machine in $machine (toolchains/dev.sh setup --system)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/initramfs.py" "$folder/initramfs" "$@"
SECONDS=0
timeout 240 "$machine/qemu-system-riscv64" -machine virt -cpu "$cpu" -smp 2 -m 512M -nographic -no-reboot \
  -bios "$machine/boot/fw_dynamic.bin" -kernel "$machine/boot/vmlinux" -initrd "$folder/initramfs" \
  -append "console=ttyS0 loglevel=3 panic=-1" </dev/null >"$folder/raw" 2>&1 || true
tr -d '\r' <"$folder/raw" >"$folder/console"
sed -n '/init begins/,$p' "$folder/console"
echo "booted and switched off in $SECONDS s"

failures=0
demand() {
  grep -qxE -- "$1" "$folder/console" || {
    echo "missing: $1" >&2
    failures=$((failures + 1))
  }
}
demand 'init begins'
demand "vector state in the signal frame, vlen $vlen"
shift # the first is /init
for program in "$@"; do
  demand "ended /bin/$(basename "${program%%:*}") 0"
done
demand 'init ends'
if [ "$failures" -ne 0 ]; then
  tail -n 40 "$folder/console" >&2
  exit 1
fi
echo "system right"

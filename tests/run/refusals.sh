#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# refusals.sh TESSERA_RUN DYNAMIC: what cannot be run is refused with status 2 and a message that names the reason.
set -euo pipefail
run=$1 dynamic=$2
# shellcheck source=tests/run/check.sh
. "$(dirname "$0")/check.sh"

refuses() {
  local pattern=$1
  shift
  check 2 "$@"
  holds err "tessera-run: $pattern"
  [ ! -s "$folder/out" ] || fault "something ran"
}

refuses 'unknown profile k2; there are k1, x100, k3, k3-bf16' "$run" --profile k2 "$dynamic"
refuses 'unknown profile k2; .*' env TESSERA_PROFILE=k2 "$run" "$dynamic"
refuses 'unknown option --wrong' "$run" --wrong "$dynamic"
refuses '--json needs a value' "$run" --json
refuses '--stats takes no value' "$run" --stats=1 "$dynamic"
refuses 'which program\?' "$run" --stats
refuses 'none cannot be read' "$run" none
refuses '.*/run is not a program for riscv64 \(ELF machine [0-9]+\)' bash -c "ln -s '$run' '$folder/run'; '$run' '$folder/run'"
echo '#!/bin/sh' >"$folder/script"
refuses '.*/script is not an ELF file .*' "$run" "$folder/script"
head -c 40 "$dynamic" >"$folder/cut"
refuses '.*/cut is cut off' "$run" "$folder/cut"

refuses 'no qemu-riscv64 fits:' env TESSERA_QEMU="$folder/none" "$run" "$dynamic"
holds err "  $folder/none is not an executable file"
refuses 'no qemu-riscv64 fits:' env TESSERA_PREFIX="$folder" PATH="$folder" "$run" "$dynamic"
holds err '  neither TESSERA_QEMU nor the PATH names one .*'
# An emulator that takes the options but has no vectors.
cat >"$folder/without" <<TEXT
#!/bin/sh
exec $(command -v qemu-riscv64 || echo "$prefix_qemu") -cpu rv64,v=false "\$3"
TEXT
chmod +x "$folder/without"
refuses 'no qemu-riscv64 fits:' env TESSERA_QEMU="$folder/without" "$run" "$dynamic"
holds err "  $folder/without cannot be this core: vectors of 256 bits are missing .*"

refuses 'the program needs the dynamic loader .*, and none of these has it: .*' "$run" --sysroot "$folder" "$dynamic"
cp "$run" "$folder/lone" # a copy elsewhere finds no runtime beside it
refuses 'no libtessera_trap\.so here; .*' "$folder/lone" "$dynamic"
refuses 'no libtessera_trap\.so here; .*' env TESSERA_TRAP_LIBRARY="$folder/none" "$run" "$dynamic"
refuses '.* is not a program for riscv64 .*' env TESSERA_TRAP_LIBRARY="$run" "$run" "$dynamic"
cp "$(dirname "$run")/libtessera_trap.so" "$folder/a,b.so"
refuses 'the path of the runtime may hold no comma, colon or blank: .*' env TESSERA_TRAP_LIBRARY="$folder/a,b.so" "$run" "$dynamic"
finish refusals

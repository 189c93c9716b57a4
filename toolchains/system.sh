# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh setup --system`: a whole riscv64 machine to run the tests of tests/system on. Into
# build/prefix/system, with an apt state of its own; nothing on the system changes:
#
#   boot/vmlinux            the kernel of Debian 13's linux-image-riscv64 (112 MB to fetch)
#   boot/fw_dynamic.bin     its firmware (package opensbi)
#   qemu-system-riscv64     a script that runs Debian 13's qemu-system-riscv by the loader and the libraries beside it (34 MB)

# The package that the kernel's metapackage depends on.
kernel_package() {
  local state=$1
  private_apt_run apt-cache "$state" depends linux-image-riscv64:riscv64 |
    sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1
}

ensure_system() {
  local root=$1
  if [ -f "$root/.complete" ]; then
    return 0
  fi
  echo "== setting up $root"
  local state="$root.apt" kernel
  new_private_apt "$state" trixie
  rm -rf "$root"
  mkdir -p "$root/boot"
  echo 'APT::Architectures { "amd64"; "riscv64"; };' >"$state/apt.conf"
  private_apt "$state" update
  kernel=$(kernel_package "$state")
  (cd "$root" && private_apt "$state" download "$kernel")
  dpkg-deb --fsys-tarfile "$root"/linux-image-*.deb | tar -x -C "$root/boot" --no-same-owner --strip-components=2 --wildcards './boot/vmlinu*'
  mv "$root"/boot/vmlinu[xz]-* "$root/boot/vmlinux"
  private_apt "$state" install --download-only qemu-system-riscv
  local package
  for package in "$state"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
      tar -x -C "$root" --no-same-owner --exclude './usr/share/doc*' --exclude './usr/share/locale*' --exclude './etc/*' --exclude './var/*'
  done
  cp -L "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" "$root/boot/"
  cat >"$root/qemu-system-riscv64" <<'TEXT'
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
  "$root/usr/bin/qemu-system-riscv64" -L "$root/usr/share/qemu" "$@"
TEXT
  chmod +x "$root/qemu-system-riscv64"
  rm -rf "$state" "$root"/linux-image-*.deb
  touch "$root/.complete"
}

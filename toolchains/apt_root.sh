# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh: packages of another Debian release, unpacked into a folder of their own whose programs run by their own
# loader. What apt needs for it lies beside the folder and goes when it is done; nothing on the system changes.

# ensure_apt_root ROOT SUITE ARCHITECTURE PACKAGE...: the packages and what they need, unless ROOT has them. ARCHITECTURE may
# be empty, for the machine's own.
ensure_apt_root() {
  local root=$1 suite=$2 architecture=$3
  shift 3
  if [ -f "$root/.complete" ]; then
    return 0
  fi
  echo "== setting up $root"
  local state="$root.apt"
  new_private_apt "$state" "$suite"
  rm -rf "$root"
  mkdir -p "$root/usr/lib"
  if [ -n "$architecture" ]; then
    echo "APT::Architecture \"$architecture\"; APT::Architectures { \"$architecture\"; };" >"$state/apt.conf"
  fi
  private_apt "$state" update
  private_apt "$state" install --download-only "$@"
  local package
  for package in "$state"/cache/archives/*.deb; do
    unpack_package "$package" "$root"
  done
  [ -e "$root/lib" ] || ln -s usr/lib "$root/lib" # where programs look for their loader
  rm -rf "$state"
  touch "$root/.complete"
}

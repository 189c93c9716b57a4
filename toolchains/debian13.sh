# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh debian13`: the tests in a tree of Debian 13, with its compilers and libraries and nothing
# but the packages that `dev.sh setup` names for it. What misses in that list shows here.
#
#   build/debian13/tree    the tree, 2 GB, made by mmdebstrap from the mirror of the machine's own apt
#   build/debian13/build   what is build/ inside; the repository is /tessera there
#
# The repository and these are mounted in a mount namespace of the command's own, which needs root.

# ensure_debian13 TREE PACKAGE...
ensure_debian13() {
  local tree=$1 source
  shift
  local stamp="$tree.complete"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$*" ]; then
    return 0
  fi
  ensure_packages mmdebstrap
  source=$(debian_source trixie)
  echo "== setting up $tree"
  rm -rf --one-file-system "$tree" "$stamp"
  # What it mounts in the tree goes with its namespace, even if it is killed.
  quietly unshare --mount mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Retries "3"' --include="$(IFS=,; echo "$*")" trixie "$tree" "$source"
  mkdir "$tree/tessera"
  echo "$*" >"$stamp"
}

# in_debian13 TREE BUILD COMMAND...: with the repository as /tessera, BUILD as its build/, and this machine's /proc and /dev.
in_debian13() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount bash -euc 'root=$1 tree=$2 build=$3
    shift 3
    mount --bind "$root" "$tree/tessera"
    mount --bind "$build" "$tree/tessera/build"
    mount --rbind /proc "$tree/proc"
    mount --rbind /dev "$tree/dev"
    [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
    exec chroot "$tree" env -u TESSERA_PREFIX HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"' \
    in_debian13 "$root" "$@"
}

# debian13 [BUILD...] [-- CTEST...]: as of dev.sh test; riscv64-gcc if no build is named.
debian13() {
  local tree="$build_root/debian13/tree" build="$build_root/debian13/build"
  local packages word named=no
  if [ "$(id -u)" -ne 0 ]; then
    echo "dev.sh: debian13 needs root, for chroot and mounts" >&2
    return 2
  fi
  for word in "$@"; do
    [ "$word" != -- ] || break
    if build_options "$word" >/dev/null 2>&1; then named=yes; fi
  done
  [ "$named" = yes ] || set -- riscv64-gcc "$@"
  mkdir -p "$build"
  mapfile -t packages < <(packages_of trixie)
  ensure_debian13 "$tree" "${packages[@]}"
  in_debian13 "$tree" "$build" bash /tessera/toolchains/dev.sh test "$@"
}

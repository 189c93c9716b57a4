# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh. Makes build/prefix/trixie, the folder that holds what the system's release is too old for.
#
#   Debian 12: Debian 13's Highway, xsimd, static QEMU 10 and GCC 14 for riscv64, downloaded by apt under a state of its
#              own and unpacked (never installed), so nothing on the system changes.
#   Debian 13: the same paths, as links to the system's own packages.

prefix_packages=(libhwy-dev libxsimd-dev qemu-user g++-14-riscv64-linux-gnu)

debian_codename() {
  (. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
}

# The mirror that this machine's apt already uses for Debian's own release. Its address is never spelled here.
debian_mirror() {
  local codename=$1
  apt-get indextargets --format '$(REPO_URI)|$(CODENAME)|$(RELEASE)|$(COMPONENT)|$(IDENTIFIER)' |
    awk -F'|' -v want="$codename" '$4 == "main" && $5 == "Packages" && ($2 == want || $3 == want) { print $1; exit }'
}

# debian_source SUITE [deb-src]: the line of apt's sources for a suite of Debian, from that mirror.
debian_source() {
  local codename mirror
  codename=$(debian_codename)
  mirror=$(debian_mirror "$codename")
  if [ -z "$mirror" ]; then # a machine whose lists were never fetched
    apt_update
    mirror=$(debian_mirror "$codename")
  fi
  if [ -z "$mirror" ]; then
    echo "dev.sh: apt knows no source for Debian $codename main; add one to its configuration" >&2
    return 1
  fi
  echo "${2:-deb} [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main"
}

# new_private_apt STATE SUITE [deb-src]: an empty state for private_apt that knows this suite and no installed package.
new_private_apt() {
  local state=$1 source
  shift
  source=$(debian_source "$@")
  rm -rf "$state"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/empty"
  : >"$state/status"
  echo "$source" >"$state/sources.list"
}

# private_apt_run PROGRAM STATE ARGS...: with lists, status and cache of its own, and STATE/apt.conf where there is one; the
# machine's apt.conf.d (proxies, certificates) still applies.
private_apt_run() {
  local program=$1 state=$2
  shift 2
  if [ ! -f "$state/apt.conf" ]; then
    : >"$state/apt.conf"
  fi
  "$program" -c "$state/apt.conf" \
    -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" \
    -o Dir::Cache="$state/cache" -o Dir::Cache::archives="$state/cache/archives" \
    -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts="$state/empty" \
    -o Dir::Etc::preferences="$state/none" -o Dir::Etc::preferencesparts="$state/empty" \
    -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Retries=3 "$@"
}

private_apt() {
  local state=$1
  shift
  DEBIAN_FRONTEND=noninteractive quietly private_apt_run apt-get "$state" -q -y "$@"
}

# One package into the root, without what nobody here runs (the other 30 emulators, locales, manuals).
unpack_package() {
  local package=$1 root=$2
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$root" --no-same-owner --wildcards \
      --exclude './usr/share/*' --exclude './usr/bin/qemu-[!r]*' --exclude './usr/bin/qemu-riscv32' \
      --exclude './etc/*' --exclude './var/*'
}

# The cross compiler's programs must load the libraries beside them, not the older ones of this system.
# repoint_programs FOLDER ROOT: of the tree in FOLDER, which will be moved to ROOT.
repoint_programs() {
  local folder=$1 root=$2 program
  for program in "$folder"/usr/bin/riscv64-linux-gnu-* "$folder"/usr/libexec/gcc-cross/riscv64-linux-gnu/*/*; do
    if [ -f "$program" ] && [ ! -L "$program" ] && [ -x "$program" ] &&
      patchelf --print-interpreter "$program" >/dev/null 2>&1; then
      patchelf --set-interpreter "$root/usr/lib64/ld-linux-x86-64.so.2" \
        --force-rpath --set-rpath "$root/usr/lib/x86_64-linux-gnu" "$program"
    fi
  done
}

prefix_from_download() {
  local root=$1
  local state partial="$root.partial" package
  state="$(dirname "$root")/apt"
  new_private_apt "$state" trixie
  rm -rf "$partial"
  mkdir -p "$partial"
  private_apt "$state" update
  private_apt "$state" install --download-only "${prefix_packages[@]}"
  for package in "$state"/cache/archives/*.deb; do
    unpack_package "$package" "$partial"
  done
  repoint_programs "$partial" "$root"
  rm -rf "$state" "$root"
  mv "$partial" "$root"
}

prefix_from_system() {
  local root=$1
  rm -rf "$root"
  mkdir -p "$root/usr/include" "$root/usr/bin"
  ln -s /usr/include/hwy /usr/include/xsimd "$root/usr/include/"
  ln -s /usr/bin/qemu-riscv64 /usr/bin/riscv64-linux-gnu-* "$root/usr/bin/"
  ln -s /usr/riscv64-linux-gnu "$root/usr/riscv64-linux-gnu"
}

# ensure_prefix ROOT CODENAME: a stamp with the folder's own path, since the repointed programs spell it.
ensure_prefix() {
  local root=$1 codename=$2
  local stamp="$root/.complete"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$root $codename 1" ]; then
    return 0
  fi
  echo "== setting up $root"
  if [ "$codename" = bookworm ]; then
    prefix_from_download "$root"
  else
    prefix_from_system "$root"
  fi
  echo "$root $codename 1" >"$stamp"
}

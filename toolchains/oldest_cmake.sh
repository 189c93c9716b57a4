# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh oldest-cmake`: Debian 11's CMake 3.18, the oldest of a release that apt still has, uses the library
# in every way that CMake knows, and takes a package that this machine's CMake installed.

oldest_cmake() (
  local prefix="$build_root/prefix/bullseye" scratch="$build_root/oldest-cmake"
  unpack_package() { dpkg-deb -x "$1" "$2"; } # modules are in usr/share
  ensure_apt_root "$prefix" bullseye "" cmake
  # Its own path must be what it calls again, so its loader is spelled in it.
  patchelf --set-interpreter "$prefix/lib/x86_64-linux-gnu/ld-2.31.so" --force-rpath \
    --set-rpath "$prefix/usr/lib/x86_64-linux-gnu:$prefix/lib/x86_64-linux-gnu" "$prefix/usr/bin/cmake"
  local version
  version=$(sh "$root/toolchains/version.sh")
  mkdir -p "$scratch/bin"
  ln -sf "$prefix/usr/bin/cmake" "$scratch/bin/cmake"
  local newer
  newer=$(dirname "$(command -v cmake)")
  PATH="$scratch/bin:$PATH"
  cmake --version | head -1
  local way arguments
  for way in find_package newer_install components add_subdirectory c; do
    arguments=()
    case $way in
      components) arguments=("$build_root/prefix/trixie/usr/include") ;;
      newer_install) arguments=("$newer/cmake") ;;
    esac
    sh "$root/tests/package/check.sh" "$way" "$root" "$scratch/$way" g++ "$version" "${arguments[@]}" >"$scratch/$way.log" 2>&1 || {
      cat "$scratch/$way.log" >&2
      return 1
    }
    echo "$way ok"
  done
)

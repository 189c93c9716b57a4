#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check.sh WAY SOURCE SCRATCH COMPILER VERSION: brings the library into a consumer by one way and runs it.
set -eu
way=$1 source=$2 scratch=$3 compiler=$4 version=$5
consumer="$source/tests/package/consumer"
rm -rf "$scratch"
mkdir -p "$scratch"

install_by_cmake() {
  cmake -S "$source" -B "$scratch/tessera" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_INSTALL_PREFIX="$scratch/prefix" -DTESSERA_BUILD_TESTS=OFF -DTESSERA_BUILD_BENCH=OFF \
    -DTESSERA_BUILD_EXAMPLES=OFF -DTESSERA_BUILD_TOOLS=OFF
  cmake --install "$scratch/tessera"
}
build_by_cmake() {
  cmake -S "$consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" "$@"
  cmake --build "$scratch/consumer"
  program="$scratch/consumer/consumer"
}
build_by_hand() { # with the flags given
  "$compiler" -std=c++20 -Wall -Wextra -pedantic -Werror "$@" "$consumer/main.cpp" -o "$scratch/by_hand"
  program="$scratch/by_hand"
}
build_by_pkg_config() {
  PKG_CONFIG_PATH="$scratch/prefix/share/pkgconfig"
  export PKG_CONFIG_PATH
  test "$(pkg-config --modversion tessera)" = "$version"
  # shellcheck disable=SC2046 # one word per flag
  build_by_hand $(pkg-config --cflags tessera)
}
# Every header of the source tree is installed.
compare_headers() {
  (cd "$source/include" && find tessera -name '*.h' -o -name '*.hpp' | sort) >"$scratch/expected"
  (cd "$scratch/prefix/include" && find tessera -name '*.h' -o -name '*.hpp' | sort) >"$scratch/installed"
  diff "$scratch/expected" "$scratch/installed"
}

case $way in
  find_package)
    install_by_cmake
    compare_headers
    build_by_cmake -DCMAKE_PREFIX_PATH="$scratch/prefix"
    ;;
  add_subdirectory) build_by_cmake -DTESSERA_SOURCE="$source" ;;
  pkg_config)
    install_by_cmake
    build_by_pkg_config
    ;;
  include_path) build_by_hand -I"$source/include" ;;
  meson_install)
    CXX="$compiler" meson setup "$scratch/tessera" "$source" --prefix "$scratch/prefix" -Dtests=disabled
    meson install -C "$scratch/tessera"
    compare_headers
    build_by_pkg_config
    ;;
  meson_test)
    # All tests are configured; those that build quickly are built and run. CMake's build of the same sources runs the rest.
    CXX="$compiler" meson setup "$scratch/tessera" "$source" -Dtests=enabled -Doptimization=1 -Ddebug=false
    suites=$(meson introspect --tests "$scratch/tessera" | python3 -c \
      'import json, sys; print(*sorted({t["name"] for t in json.load(sys.stdin)} & {"core", "formats"}))')
    test -n "$suites"
    for suite in $suites; do
      meson compile -C "$scratch/tessera" -j 2 "tessera_$suite"
    done
    # shellcheck disable=SC2086 # one word per test
    meson test -C "$scratch/tessera" --no-rebuild --print-errorlogs $suites
    exit 0
    ;;
  *)
    echo "unknown way $way" >&2
    exit 2
    ;;
esac
printed=$("$program")
if [ "$printed" != "$version" ]; then
  echo "the consumer printed $printed, expected $version" >&2
  exit 1
fi

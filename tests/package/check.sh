#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check.sh WAY SOURCE SCRATCH COMPILER VERSION [ARGUMENT...]: brings the library into a consumer by one way and runs it.
# ARGUMENT: of `components`, a folder with hwy/ and xsimd/; of `cross`, the build folder for riscv64, its toolchain file and the
# words of the emulator; of `newer_install`, the CMake that installs.
set -eu
way=$1 source=$2 scratch=$3 compiler=$4 version=$5
shift 5
packages="$source/tests/package"
consumer="$packages/consumer"
# What the consumers compute has the same bits everywhere.
product=15b2255a
softmax=bee23ec1
rm -rf "$scratch"
mkdir -p "$scratch"

install_by_cmake() { # [CMAKE]
  "${1:-cmake}" -S "$source" -B "$scratch/tessera" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_INSTALL_PREFIX="$scratch/prefix" -DTESSERA_BUILD_TESTS=OFF -DTESSERA_BUILD_BENCH=OFF \
    -DTESSERA_BUILD_EXAMPLES=OFF -DTESSERA_BUILD_TOOLS=OFF
  "${1:-cmake}" --install "$scratch/tessera"
}
build_by_cmake() { # FOLDER OPTION...
  folder=$1
  shift
  cmake -S "$folder" -B "$scratch/consumer" -G Ninja "$@"
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
# Every header of the source tree is installed, and the file behind tessera.h.
compare_headers() {
  (cd "$source/include" && find tessera -name '*.h' -o -name '*.[ch]pp' | sort) >"$scratch/expected"
  (cd "$scratch/prefix/include" && find tessera -name '*.h' -o -name '*.[ch]pp' | sort) >"$scratch/installed"
  diff "$scratch/expected" "$scratch/installed"
}

expected="$version $product"
runner=
case $way in
  find_package)
    install_by_cmake
    compare_headers
    build_by_cmake "$consumer" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/prefix"
    ;;
  newer_install)
    install_by_cmake "$1"
    build_by_cmake "$consumer" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/prefix"
    ;;
  components) # found with their libraries, refused with older ones
    install_by_cmake
    mkdir -p "$scratch/old/hwy" "$scratch/old/xsimd/config"
    touch "$scratch/old/hwy/highway.h" "$scratch/old/xsimd/xsimd.hpp"
    printf '#define HWY_MAJOR 1\n#define HWY_MINOR 0\n' >"$scratch/old/hwy/base.h"
    printf '#define XSIMD_VERSION_MAJOR 8\n#define XSIMD_VERSION_MINOR 1\n' >"$scratch/old/xsimd/config/xsimd_config.hpp"
    configure() { # COMPONENT FOLDER
      cmake -S "$consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_PREFIX_PATH="$scratch/prefix" -DTESSERA_COMPONENTS="c;$1" \
        -D"TESSERA_$(echo "$1" | tr '[:lower:]' '[:upper:]')_INCLUDE_DIR=$2"
    }
    for library in hwy xsimd; do
      configure "$library" "$1"
      if configure "$library" "$scratch/old"; then
        echo "an old $library was taken" >&2
        exit 1
      fi
    done
    exit 0
    ;;
  add_subdirectory)
    build_by_cmake "$consumer" -DCMAKE_CXX_COMPILER="$compiler" -DTESSERA_SOURCE="$source" -DTESSERA_COMPONENTS=c
    ;;
  c)
    install_by_cmake
    build_by_cmake "$packages/c_consumer" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/prefix"
    expected="$version $softmax"
    ;;
  cross) # what the build for riscv64 has made, installed; found under the toolchain's roots only
    cmake --install "$1" --prefix "$scratch/sysroot/usr"
    toolchain=$2
    shift 2
    printf 'include("%s")\nlist(PREPEND CMAKE_FIND_ROOT_PATH "%s")\n' "$toolchain" "$scratch/sysroot" >"$scratch/sysroots.cmake"
    build_by_cmake "$packages/cross_consumer" --toolchain "$scratch/sysroots.cmake"
    runner=$*
    ;;
  pkg_config)
    install_by_cmake
    build_by_pkg_config
    ;;
  include_path) # nothing but a copy of include/
    cp -r "$source/include" "$scratch/include"
    build_by_hand -I"$scratch/include"
    ;;
  meson_install)
    CXX="$compiler" meson setup "$scratch/tessera" "$source" --prefix "$scratch/prefix" -Dtests=disabled
    meson install -C "$scratch/tessera"
    compare_headers
    build_by_pkg_config
    ;;
  meson_subproject)
    mkdir -p "$scratch/project/subprojects"
    cp "$packages/meson_consumer/meson.build" "$consumer/main.cpp" "$consumer/product.hpp" "$scratch/project"
    ln -s "$source" "$scratch/project/subprojects/tessera"
    CXX="$compiler" meson setup "$scratch/consumer" "$scratch/project"
    meson compile -C "$scratch/consumer"
    program="$scratch/consumer/consumer"
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
# shellcheck disable=SC2086 # the words of an emulator
printed=$($runner "$program")
if [ "$printed" != "$expected" ]; then
  echo "the consumer printed $printed, expected $expected" >&2
  exit 1
fi

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# GCC for 64-bit RISC-V Linux: the one in the folder TESSERA_PREFIX names, or GCC 14: the one that `dev.sh setup` put into
# build/prefix, or the system's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv64)

set(_prefix "${CMAKE_CURRENT_LIST_DIR}/../build/prefix/trixie")
if(DEFINED ENV{TESSERA_PREFIX})
  set(_prefix "$ENV{TESSERA_PREFIX}")
endif()
get_filename_component(_prefix "${_prefix}" ABSOLUTE)
if(EXISTS "${_prefix}/usr/lib/gcc-cross")
  set(_bin "${_prefix}/usr/bin/")
  file(GLOB _version RELATIVE "${_bin}" "${_bin}riscv64-linux-gnu-g++-[0-9]*")
  string(REGEX REPLACE "^.*-" "" _version "${_version}")
  # The linker scripts of its libc name absolute paths: they must lead into the prefix, not into the system.
  set(CMAKE_SYSROOT "${_prefix}")
  set(TESSERA_SYSROOT "${_prefix}/usr/riscv64-linux-gnu")
else()
  set(_bin "")
  set(_version 14)
  set(TESSERA_SYSROOT /usr/riscv64-linux-gnu)
endif()
set(CMAKE_C_COMPILER "${_bin}riscv64-linux-gnu-gcc-${_version}")
set(CMAKE_CXX_COMPILER "${_bin}riscv64-linux-gnu-g++-${_version}")
set(CMAKE_ASM_COMPILER "${_bin}riscv64-linux-gnu-gcc-${_version}")

set(CMAKE_FIND_ROOT_PATH "${TESSERA_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

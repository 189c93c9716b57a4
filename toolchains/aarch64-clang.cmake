# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Clang 19 for 64-bit Arm Linux, with the cross libraries of g++-aarch64-linux-gnu.
include("${CMAKE_CURRENT_LIST_DIR}/aarch64-gcc.cmake")
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld")
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# The optional components, for find_package(tessera COMPONENTS ...) and add_subdirectory alike. Part of the installed package, for
# CMake 3.16.
#
#   c      tessera::c      the C interface, compiled for the default backend if something links it
#   hwy    tessera::hwy    tessera::tessera with the hwy backend; needs Highway >= 1.2
#   xsimd  tessera::xsimd  tessera::tessera with the xsimd backend; needs xsimd >= 13
#   trap   tessera::trap   the SIGILL runtime, where the package was installed by a build for riscv64
#
# Headers are looked for as the toolchain says; TESSERA_HWY_INCLUDE_DIR and TESSERA_XSIMD_INCLUDE_DIR name a folder.
include("${CMAKE_CURRENT_LIST_DIR}/c_library.cmake")

# The folder of <header> whose <version_header> says at least <major>.<minor>, or nothing.
function(_tessera_find_headers variable header version_header prefix major minor)
  find_path(${variable} ${header} DOC "The folder that has ${header}")
  if(NOT ${variable})
    return()
  endif()
  foreach(_part MAJOR MINOR)
    file(STRINGS "${${variable}}/${version_header}" _line REGEX "^#define ${prefix}_${_part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" _have_${_part} "${_line}")
  endforeach()
  if("${_have_MAJOR}.${_have_MINOR}" VERSION_LESS "${major}.${minor}")
    message(STATUS "tessera: ${${variable}}/${header} is ${_have_MAJOR}.${_have_MINOR}, older than ${major}.${minor}")
    set(${variable} "${variable}-NOTFOUND" PARENT_SCOPE)
  endif()
endfunction()

# Makes tessera::<name> if it can be made.
function(tessera_add_component name)
  if(TARGET tessera::${name})
    return()
  endif()
  if(name STREQUAL "c")
    tessera_add_c_library(tessera_c)
    add_library(tessera::c ALIAS tessera_c)
  elseif(name STREQUAL "hwy")
    _tessera_find_headers(TESSERA_HWY_INCLUDE_DIR hwy/highway.h hwy/base.h HWY 1 2)
  elseif(name STREQUAL "xsimd")
    _tessera_find_headers(TESSERA_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp xsimd/config/xsimd_config.hpp XSIMD_VERSION 13 0)
  elseif(name STREQUAL "trap" AND EXISTS "${TESSERA_TRAP_TARGETS}")
    include("${TESSERA_TRAP_TARGETS}")
  endif()
  string(TOUPPER "${name}" _upper)
  if(name MATCHES "^(hwy|xsimd)$" AND TESSERA_${_upper}_INCLUDE_DIR)
    add_library(tessera_${name} INTERFACE)
    add_library(tessera::${name} ALIAS tessera_${name})
    target_link_libraries(tessera_${name} INTERFACE tessera::tessera)
    target_compile_definitions(tessera_${name} INTERFACE TESSERA_ENABLE_${_upper}=1)
    target_include_directories(tessera_${name} SYSTEM INTERFACE "${TESSERA_${_upper}_INCLUDE_DIR}")
  endif()
endfunction()

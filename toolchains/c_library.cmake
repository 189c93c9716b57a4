# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# The C interface as a static library, one object per part. Part of the installed package, for CMake 3.16.
#
#   tessera_add_c_library(<target> [SUFFIX <text>] [BACKEND <name>] [PARTS <part...>] [ONLY_FORMATS <name...>])
#
# SUFFIX is put behind every function's name, BACKEND is a name of tessera::backend (default: the best that the target's
# options guarantee), PARTS some of FORMATS MATMUL ATTENTION ROPE ROWS RECURRENT (default: all), ONLY_FORMATS the storage
# formats that the copy has (q4_0 f16 ...; default: all). Options such as -march belong on the target:
# target_compile_options(<target> PRIVATE -march=rv64gcv).
function(tessera_add_c_library target)
  cmake_parse_arguments(PARSE_ARGV 1 A "" "SUFFIX;BACKEND" "PARTS;ONLY_FORMATS")
  if(A_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_c_library does not know: ${A_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT A_PARTS)
    set(A_PARTS FORMATS MATMUL ATTENTION ROPE ROWS RECURRENT)
  endif()
  set(_sources "")
  set(_formats "")
  if(A_ONLY_FORMATS)
    list(TRANSFORM A_ONLY_FORMATS PREPEND "format::")
    list(JOIN A_ONLY_FORMATS ", " _formats)
    set(_formats "#define TSR_FORMATS ${_formats}\n")
  endif()
  foreach(_part IN LISTS A_PARTS)
    set(_source "${CMAKE_CURRENT_BINARY_DIR}/${target}_parts/${_part}.cpp")
    file(GENERATE OUTPUT "${_source}" CONTENT "#define TSR_PART_${_part}\n${_formats}#include \"tessera/tessera.cpp\"\n")
    set_source_files_properties("${_source}" PROPERTIES GENERATED TRUE)
    list(APPEND _sources "${_source}")
  endforeach()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${_sources})
  target_link_libraries(${target} PRIVATE tessera::tessera)
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-math-errno) # then a program in C needs no other library
  # A program in C wants the path of the header, not the standard of the library.
  target_include_directories(${target} INTERFACE $<TARGET_PROPERTY:tessera::tessera,INTERFACE_INCLUDE_DIRECTORIES>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(A_SUFFIX)
    target_compile_definitions(${target} PRIVATE TSR_SUFFIX=${A_SUFFIX})
  endif()
  if(A_BACKEND)
    target_compile_definitions(${target} PRIVATE TSR_BACKEND=${A_BACKEND})
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# One translation unit per header that includes it twice and nothing else, warnings being errors. A header of one backend
# is compiled in a flavour that has this backend; the umbrella in every flavour, since the default backend differs.
file(GLOB_RECURSE _headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/tessera/*.hpp" "${PROJECT_SOURCE_DIR}/include/tessera/*.h")

# Those of the C interface are what each part of tessera.cpp begins with, and slow to compile each by itself.
list(FILTER _headers EXCLUDE REGEX "^tessera/c_interface/")

function(_tessera_flavours_of_header out header)
  set(_wanted ${_baseline})
  if(header MATCHES "^tessera/backend/(hwy|xsimd)/")
    set(_wanted rvv_${CMAKE_MATCH_1} ${_vector})
    if(TARGET tessera_flavour_rvv_${CMAKE_MATCH_1})
      set(_wanted rvv_${CMAKE_MATCH_1})
    elseif(_vector STREQUAL rvv)
      set(_wanted "")
    endif()
    if(NOT EXISTS "${TESSERA_THIRD_PARTY_INCLUDE}/${CMAKE_MATCH_1}")
      set(_wanted "")
    endif()
  elseif(header MATCHES "^tessera/backend/(rvv|ime1|ime2|ime)/")
    set(_wanted rvv)
  elseif(header STREQUAL "tessera/tessera.hpp")
    set(_wanted ${_flavours})
  endif()
  _tessera_selected_flavours(_selected ${_wanted})
  # A file of one instruction set says so in its name.
  if(header MATCHES "_neon\\.hpp$" OR (header MATCHES "_x86\\.hpp$" AND NOT _baseline STREQUAL base)
     OR (header MATCHES "^tessera/backend/hwy/(byte_dot|register)\\.hpp$" AND NOT _baseline STREQUAL base)
     OR (header MATCHES "_(rvv|scalable)\\.hpp$" AND _baseline STREQUAL base))
    set(_wanted "")
  endif()
  if(NOT _wanted)
    set(_selected "")
  endif()
  set(${out} "${_selected}" PARENT_SCOPE)
endfunction()

foreach(_flavour IN LISTS _flavours)
  set(_sources_${_flavour} "")
endforeach()
foreach(_header IN LISTS _headers)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" _stem "${_header}")
  _tessera_flavours_of_header(_of_header "${_header}")
  foreach(_flavour IN LISTS _of_header)
    set(_unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${_flavour}/${_stem}.cpp")
    file(CONFIGURE OUTPUT "${_unit}" CONTENT "#include \"${_header}\"\n#include \"${_header}\"\n")
    list(APPEND _sources_${_flavour} "${_unit}")
  endforeach()
endforeach()

# With the kernels compiled elsewhere, the lists of tessera/instances/ follow the headers, whichever a unit begins with.
_tessera_selected_flavours(_plain ${_baseline})
foreach(_header IN LISTS _headers)
  if(_plain AND _header MATCHES "^tessera/([a-z0-9_]+)[.]hpp$")
    set(_unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${_baseline}/extern_${CMAKE_MATCH_1}.cpp")
    file(CONFIGURE OUTPUT "${_unit}" CONTENT "#define TESSERA_EXTERN_KERNELS 1\n#include \"${_header}\"\n")
    list(APPEND _sources_${_baseline} "${_unit}")
  endif()
endforeach()

set(_header_objects "")
foreach(_flavour IN LISTS _flavours)
  if(_sources_${_flavour})
    tessera_add_objects(tessera_headers_${_flavour} ${_flavour} SOURCES ${_sources_${_flavour}}
      OPTIONS -O0)
    list(APPEND _header_objects $<TARGET_OBJECTS:tessera_headers_${_flavour}>)
  endif()
endforeach()

# Including a header runs nothing at start-up and defines nothing that calls for a library.
tessera_add_compile_test(headers_have_no_initialisers
  Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/check_symbols.py" initialisers
  --nm "${TESSERA_NM}" --objdump "${TESSERA_OBJDUMP}" ${_header_objects})

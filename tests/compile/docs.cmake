# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Every C++ block of the documentation is a program that compiles without a warning and prints what it says.
set(_patterns "*.md" "include/*.md" "emu/*.md" "bench/*.md" "bench/*/*.md" "examples/*.md" "examples/*/*.md")
list(TRANSFORM _patterns PREPEND "${PROJECT_SOURCE_DIR}/")
file(GLOB _pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${_patterns})
foreach(_page IN LISTS _pages)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${_page}")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/extract_code.py")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/extract_code.py" "${CMAKE_CURRENT_BINARY_DIR}/docs" ${_pages}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  OUTPUT_VARIABLE _programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" _programs "${_programs}")
foreach(_line IN LISTS _programs)
  string(REPLACE "\t" ";" _words "${_line}")
  list(POP_FRONT _words _program _prints)
  get_filename_component(_name "${_program}" NAME_WE)
  tessera_add_flavoured_executable(tessera_docs_${_name} SOURCES "${_program}" FLAVOURS base rvv)
  tessera_add_flavour_test(tessera_docs_${_name} FLAVOURS base rvv RUNNERS native v256)
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" _expected "${_prints}")
  foreach(_run base.native rvv.v256)
    if(TEST "${TESSERA_TEST_PREFIX}tessera_docs_${_name}.${_run}")
      set_tests_properties("${TESSERA_TEST_PREFIX}tessera_docs_${_name}.${_run}" PROPERTIES
        PASS_REGULAR_EXPRESSION "${_expected}")
    endif()
  endforeach()
endforeach()

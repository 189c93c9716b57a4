# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Programs that must not compile. Each file of fail/ says how in its first lines:
#   // flags: OPTIONS             optional, replacing -std=c++20
#   // expect: REGEX              what the compiler's message must hold: failing for another reason does not count
file(GLOB _cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/fail/*.cpp")
foreach(_case IN LISTS _cases)
  get_filename_component(_name "${_case}" NAME_WE)
  file(STRINGS "${_case}" _flag_lines REGEX "^// flags: ")
  file(STRINGS "${_case}" _expect_lines REGEX "^// expect: ")
  string(REGEX REPLACE "^// flags: " "" _flags "${_flag_lines}")
  string(REGEX REPLACE "^// expect: " "" _expect "${_expect_lines}")
  if(NOT _expect)
    message(FATAL_ERROR "${_case} does not say what it expects")
  endif()
  if(NOT _flags)
    set(_flags -std=c++20)
  endif()
  separate_arguments(_flags UNIX_COMMAND "${_flags}")
  set(_target_flag "")
  if(CMAKE_CXX_COMPILER_TARGET)
    set(_target_flag --target=${CMAKE_CXX_COMPILER_TARGET})
  endif()
  tessera_add_compile_test(fail.${_name} "${CMAKE_CXX_COMPILER}" ${_target_flag} ${_flags} -fsyntax-only
    -I "${PROJECT_SOURCE_DIR}/include" "${_case}")
  set_tests_properties("${TESSERA_TEST_PREFIX}compile.fail.${_name}" PROPERTIES PASS_REGULAR_EXPRESSION "${_expect}")
endforeach()

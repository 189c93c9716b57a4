# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# mixed_unit.cpp is compiled for the baseline and for a vector flavour; both go into one program, in both link orders, at
# -O0 (where nothing is inlined for free), at -O2 and with link-time optimisation. The baseline's half must run on a CPU without
# vectors, and both halves must give the same bits.
if(TESSERA_SANITIZE)
  return() # its runtime adds symbols and initialisers of its own
endif()

set(_check "${CMAKE_CURRENT_SOURCE_DIR}/check_symbols.py")
set(_tools --nm "${TESSERA_NM}" --objdump "${TESSERA_OBJDUMP}")

# What Highway and xsimd leave in a unit, x86's vector flavours show.
set(_of_mixed ${_flavours})
list(REMOVE_ITEM _of_mixed rvv_hwy rvv_xsimd)
foreach(_flavour IN LISTS _of_mixed)
  tessera_add_objects(tessera_mixed_O0_${_flavour} ${_flavour} SOURCES mixed_unit.cpp OPTIONS -O0
    DEFINITIONS TESSERA_MIXED_ENTRY=mixed_digest_${_flavour})
  tessera_add_compile_test(weak_symbols.${_flavour}
    Python3::Interpreter "${_check}" weak ${_tools} $<TARGET_OBJECTS:tessera_mixed_O0_${_flavour}>)
  tessera_add_compile_test(initialisers.${_flavour}
    Python3::Interpreter "${_check}" initialisers ${_tools} $<TARGET_OBJECTS:tessera_mixed_O0_${_flavour}>)
endforeach()
# Objects that hold both kinds of code serve -O2 and link-time optimisation.
set(_variants O0 O2)
set(_both "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND _variants LTO)
  set(_both -flto -ffat-lto-objects)
endif()
foreach(_flavour ${_baseline} ${_vector})
  if(_flavour IN_LIST _flavours)
    # GCC 12 names the personality routine of exceptions in noexcept functions that inline Highway's or xsimd's, which are not
    # noexcept, though no exception table is left. Without exceptions the list of needed symbols is strict.
    tessera_add_objects(tessera_mixed_O2_${_flavour} ${_flavour} SOURCES mixed_unit.cpp OPTIONS -O2 -fno-exceptions ${_both}
      DEFINITIONS TESSERA_MIXED_ENTRY=mixed_digest_${_flavour})
    tessera_add_compile_test(needed_symbols.${_flavour}
      Python3::Interpreter "${_check}" needed ${_tools} $<TARGET_OBJECTS:tessera_mixed_O2_${_flavour}>)
  endif()
endforeach()

if(NOT _baseline IN_LIST _flavours OR NOT _vector IN_LIST _flavours)
  return()
endif()

# The checks see what they are for.
tessera_add_objects(tessera_planted ${_vector} SOURCES planted_unit.cpp OPTIONS -O0)
foreach(_rule weak needed initialisers)
  tessera_add_compile_test(planted_${_rule}
    Python3::Interpreter "${_check}" ${_rule} --must-fail ${_tools} $<TARGET_OBJECTS:tessera_planted>)
endforeach()

foreach(_variant IN LISTS _variants)
  string(REPLACE LTO O2 _objects ${_variant})
  set(_first $<TARGET_OBJECTS:tessera_mixed_${_objects}_${_baseline}>)
  set(_second $<TARGET_OBJECTS:tessera_mixed_${_objects}_${_vector}>)
  foreach(_order baseline_first vector_first)
    set(_program tessera_mixed_${_variant}_${_order})
    if(_order STREQUAL baseline_first)
      add_executable(${_program} mixed_main.cpp ${_first} ${_second})
    else()
      add_executable(${_program} mixed_main.cpp ${_second} ${_first})
    endif()
    target_compile_features(${_program} PRIVATE cxx_std_20)
    target_compile_definitions(${_program} PRIVATE
      TESSERA_MIXED_BASELINE=mixed_digest_${_baseline} TESSERA_MIXED_VECTOR=mixed_digest_${_vector})
    if(_variant STREQUAL "LTO")
      target_link_options(${_program} PRIVATE -flto -O2)
    elseif(_both)
      target_link_options(${_program} PRIVATE -fno-lto)
    endif()
    if(CMAKE_CROSSCOMPILING)
      target_link_options(${_program} PRIVATE -static)
      tessera_add_emulated_test(NAME compile.mixed_${_variant}_${_order}.novec TARGET ${_program} NO_V
        LABELS unit ARGS baseline)
      tessera_add_emulated_test(NAME compile.mixed_${_variant}_${_order}.v256 TARGET ${_program} VLEN 256
        LABELS rvv ARGS both)
    else()
      tessera_add_compile_test(mixed_${_variant}_${_order} ${_program} both)
    endif()
  endforeach()
endforeach()

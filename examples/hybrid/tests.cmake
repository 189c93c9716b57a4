# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# The trained network: the bits of all backends, the same however the work is cut, and right answers in every format.
set(_hybrid "${CMAKE_CURRENT_SOURCE_DIR}/hybrid")

# add_hybrid_test(<name> <options of tessera_add_flavour_test...> ARGS <arguments of the program...>)
function(add_hybrid_test name)
  tessera_add_flavour_test(hybrid LABELS identity SUFFIX .${name} ${ARGN}
    --model "${_hybrid}/weights.safetensors" --held-out "${_hybrid}/held_out.txt")
endfunction()

# A few prompts: one that fills a chunk of both recurrences but for the line feed before it, so that pieces of whole chunks leave
# one token; one of more than a chunk; a short one.
set(_few "${CMAKE_CURRENT_BINARY_DIR}/few_cases.txt")
file(CONFIGURE OUTPUT "${_few}" CONTENT "lookup\tab12 cd34 ef56 gh78 ij90 kl13 mn24 op35 qr46?ab=\t12
lookup\tzy12 cd34 ef56 gh78 ij90 kl13 mn24 op35 qr46 st57 uv68 wx79?st=\t57
add\t321+540=\t8610
")
function(add_hybrid_test_of_few name)
  tessera_add_flavour_test(hybrid LABELS identity SUFFIX .${name} ${ARGN}
    --model "${_hybrid}/weights.safetensors" --held-out "${_few}")
endfunction()

# _compared: the vector flavours of x86 whose tests are built here
add_hybrid_test_of_few(compare FLAVOURS base ARGS --compare)
foreach(_where rvv:v128 ime1:v256 ime2:v1024)
  string(REPLACE ":" ";" _where "${_where}")
  list(GET _where 0 _backend)
  list(GET _where 1 _runner)
  add_hybrid_test_of_few(${_backend} FLAVOURS rvv RUNNERS ${_runner}
    ARGS --compare --weights q8_0 --cache q8_0 --backend ${_backend})
endforeach()
add_hybrid_test(cut FLAVOURS base ARGS --cut --cases 2 --weights q8_0 --cache q4_0)
add_hybrid_test_of_few(cut_of_few FLAVOURS base ARGS --cut --weights q8_0)
if(_compared)
  add_hybrid_test(compare FLAVOURS ${_compared} ARGS --compare --cases 1)
  foreach(_format f32 q8_0 q6_K q4_K q4_0)
    add_hybrid_test(accuracy.${_format} FLAVOURS ${_compared}
      ARGS --eval --weights ${_format} --cache q8_0 --floor 99)
  endforeach()
endif()

if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME "${TESSERA_TEST_PREFIX}hybrid.bad_files.base" COMMAND bash "${_hybrid}/bad_files.sh"
    $<TARGET_FILE:hybrid_base> "${CMAKE_CURRENT_BINARY_DIR}/hybrid_bad_files" "${_hybrid}")
  set_tests_properties("${TESSERA_TEST_PREFIX}hybrid.bad_files.base" PROPERTIES LABELS unit TIMEOUT 120)
endif()

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

# A short one, for every format.
set(_one "${CMAKE_CURRENT_BINARY_DIR}/one_case.txt")
file(CONFIGURE OUTPUT "${_one}" CONTENT "copy\tc:a=\ta\n")
function(add_hybrid_test_of_one name)
  tessera_add_flavour_test(hybrid LABELS identity SUFFIX .${name} ${ARGN}
    --model "${_hybrid}/weights.safetensors" --held-out "${_one}")
endfunction()

# _compared: the vector flavours of x86 whose tests are built here
add_hybrid_test_of_few(compare FLAVOURS base ARGS --compare --weights q8_0)
add_hybrid_test_of_one(formats FLAVOURS base ARGS --compare)
set(_formats_rvv f32 q4_1 q2_K)
set(_formats_ime1 i8_row)
set(_formats_ime2 nvfp4)
foreach(_where rvv:v128 ime1:v256 ime2:v1024)
  string(REPLACE ":" ";" _where "${_where}")
  list(GET _where 0 _backend)
  list(GET _where 1 _runner)
  add_hybrid_test_of_few(${_backend} FLAVOURS rvv RUNNERS ${_runner}
    ARGS --compare --weights q8_0 --cache q8_0 --backend ${_backend})
  # Packing takes an emulator seconds: of each kind of format one, and not everywhere; tests/identity has all of them.
  foreach(_format IN LISTS _formats_${_backend})
    add_hybrid_test_of_one(${_backend}.${_format} FLAVOURS rvv RUNNERS ${_runner}
      ARGS --compare --weights ${_format} --backend ${_backend})
  endforeach()
endforeach()
add_hybrid_test(cut FLAVOURS base ARGS --cut --cases 2 --weights q8_0 --cache q4_0)
add_hybrid_test_of_few(cut_of_few FLAVOURS base ARGS --cut --weights q8_0)
if(_compared)
  add_hybrid_test(compare FLAVOURS ${_compared} ARGS --compare --cases 1)
  # What each task must reach, in percent: f32 on all questions, other formats on the longest. One or two bits without minima leave
  # little of a network that was trained in f32: q1_0 and q2_0 are compared only.
  add_hybrid_test(accuracy.f32 FLAVOURS ${_compared} ARGS --eval --cache q8_0 --floor 99)
  foreach(_format f16 bf16 i8_row u8_row q8_0 q6_K q5_0 q5_1 q5_K q4_0 q4_1 q4_K iq4_nl iq4_xs nvfp4 nbits32_f16 nbits128_f32z q3_K
      mxfp4:90 q2_K:90)
    string(REPLACE ":" ";" _floor "${_format}:99")
    list(GET _floor 0 _format)
    list(GET _floor 1 _percent)
    add_hybrid_test(accuracy.${_format} FLAVOURS ${_compared}
      ARGS --eval --weights ${_format} --cache q8_0 --cases 10 --floor ${_percent})
  endforeach()
endif()

if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME "${TESSERA_TEST_PREFIX}hybrid.bad_files.base" COMMAND bash "${_hybrid}/bad_files.sh"
    $<TARGET_FILE:hybrid_base> "${CMAKE_CURRENT_BINARY_DIR}/hybrid_bad_files" "${_hybrid}")
  set_tests_properties("${TESSERA_TEST_PREFIX}hybrid.bad_files.base" PROPERTIES LABELS unit TIMEOUT 120)
endif()

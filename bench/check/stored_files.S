# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Files that the program brings along: the digests of the kernels, the boards' costs, expected cycles.
        .macro  bring name, file
        .globl  \name
        .globl  \name\()_end
\name:  .incbin "\file"
\name\()_end:
        .endm

        .section .rodata
        bring   tessera_stored_digests, TESSERA_STORED_DIGESTS
        bring   tessera_stored_k1, TESSERA_STORED_K1
        bring   tessera_stored_a100, TESSERA_STORED_A100
        bring   tessera_stored_latencies, TESSERA_STORED_LATENCIES
        bring   tessera_stored_predictions, TESSERA_STORED_PREDICTIONS

#if defined(__linux__)
        .section .note.GNU-stack, "", %progbits
#endif

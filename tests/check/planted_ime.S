# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# What a compiler makes of a matrix instruction in an asm statement that does not name what it changes or needs.
        .text
        .option arch, +v

        .macro function name
        .globl  \name
        .type   \name, @function
        .p2align 2
\name:
        .endm

# out[i] = in[i] + 1 for five int32, with a vmadot in the middle.
        .macro  around again
        vsetivli zero, 5, e32, m1, ta, ma
        vle32.v v8, (a0)
        vsetvli t0, zero, e8, m1, ta, ma        # the statement
        .4byte  0xe210312b                      # smt.vmadot v2, v0, v1
        .if \again
        vsetivli zero, 5, e32, m1, ta, ma
        .endif
        vadd.vi v8, v8, 1
        vse32.v v8, (a1)
        ret
        .endm

# vl and vtype are not among the clobbers: the addition and the store run under the statement's.
        function clobbers_missing
        around  0
        .size   clobbers_missing, . - clobbers_missing

        function clobbers_named
        around  1
        .size   clobbers_named, . - clobbers_named

# The statement has no vsetvli and runs under what the compiler left.
        function vtype_of_compiler
        vsetivli zero, 5, e32, m2, ta, ma
        vle32.v v8, (a0)
        .4byte  0xe210312b
        vadd.vi v8, v8, 1
        vse32.v v8, (a1)
        ret
        .size   vtype_of_compiler, . - vtype_of_compiler

        .section .note.GNU-stack, "", @progbits

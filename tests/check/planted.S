# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# Vector code as it is seen to go wrong, and beside each the same done right. void NAME(const void* in, void* out, unsigned long n).
        .text
        .option arch, +v

        .macro function name
        .globl  \name
        .type   \name, @function
        .p2align 2
\name:
        .endm

# out[0] = sum of in[i]^2 over n int32. `policy` decides what becomes of the accumulator's lanes when the last pass is short.
        .macro  squares policy
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.v.i v8, 0
1:      vsetvli t0, a2, e32, m1, \policy, ma
        vle32.v v9, (a0)
        vmacc.vv v8, v9, v9
        sub     a2, a2, t0
        slli    t1, t0, 2
        add     a0, a0, t1
        bnez    a2, 1b
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.s.x v9, zero
        vredsum.vs v9, v8, v9
        vmv.x.s t0, v9
        sw      t0, 0(a1)
        ret
        .endm

        function agnostic_accumulator
        squares ta
        .size   agnostic_accumulator, . - agnostic_accumulator

        function undisturbed_accumulator
        squares tu
        .size   undisturbed_accumulator, . - undisturbed_accumulator

# out[0] = sum of in[i] over one block of 32 int8; `avl` holds 32, or is zero for as much as fits.
        .macro  block avl
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.s.x v16, zero
        li      a3, 32
        vsetvli t0, \avl, e8, m1, ta, ma
        vle8.v  v8, (a0)
        vwadd.vx v12, v8, zero
        vsetvli t0, \avl, e16, m2, ta, ma
        vwredsum.vs v16, v12, v16
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.x.s t0, v16
        sw      t0, 0(a1)
        ret
        .endm

# At VLEN 256 a register is the block; elsewhere it is not.
        function width_is_vlen
        block   zero
        .size   width_is_vlen, . - width_is_vlen

# m2 holds 32 bytes at VLEN 128 too.
        function width_is_block
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.s.x v16, zero
        li      a3, 32
        vsetvli t0, a3, e8, m2, ta, ma
        vle8.v  v8, (a0)
        vwadd.vx v12, v8, zero
        vsetvli t0, a3, e16, m4, ta, ma
        vwredsum.vs v16, v12, v16
        vsetvli t0, zero, e32, m1, ta, ma
        vmv.x.s t0, v16
        sw      t0, 0(a1)
        ret
        .size   width_is_block, . - width_is_block

# out[i] = in[i] + 1, going on by `step` elements.
        .macro  increment step
        vsetvli t2, zero, e32, m1, ta, ma
1:      vsetvli t0, a2, e32, m1, ta, ma
        vle32.v v8, (a0)
        vadd.vi v8, v8, 1
        vse32.v v8, (a1)
        sub     a2, a2, \step
        slli    t1, \step, 2
        add     a0, a0, t1
        add     a1, a1, t1
        bgtz    a2, 1b
        ret
        .endm

        function steps_by_vlmax
        increment t2
        .size   steps_by_vlmax, . - steps_by_vlmax

        function steps_by_vl
        increment t0
        .size   steps_by_vl, . - steps_by_vl

# Copies the 32 bytes behind the 2-byte scale of n blocks of 34 bytes.
        .macro  codes width, count
1:      li      t1, \count
        addi    t3, a0, 2
        vsetvli t0, t1, \width, m8, ta, ma
        .ifc \width, e8
        vle8.v  v8, (t3)
        vse8.v  v8, (a1)
        .else
        vle32.v v8, (t3)
        vse32.v v8, (a1)
        .endif
        addi    a0, a0, 34
        addi    a1, a1, 32
        addi    a2, a2, -1
        bnez    a2, 1b
        ret
        .endm

        function words_of_blocks
        codes   e32, 8
        .size   words_of_blocks, . - words_of_blocks

        function bytes_of_blocks
        codes   e8, 32
        .size   bytes_of_blocks, . - bytes_of_blocks

# Not two runs alike: out[0] = a cycle counter.
        function cycle_counter
        rdcycle t0
        sd      t0, 0(a1)
        ret
        .size   cycle_counter, . - cycle_counter

        .section .note.GNU-stack, "", @progbits

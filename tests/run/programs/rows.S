# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# void rows_on_registers(unsigned char* registers, long rows): loads v0-v31, executes so many rows of
#   smt.vmadot v2, v0, v1
#   smt.vmadotu v6, v4, v5
# at e8,m1 and VLMAX, and stores v0-v31 back.
        .text
        .option norelax
        .option arch, +v

        .macro whole instruction
        mv      t0, a0
        \instruction v0, (t0)
        add     t0, t0, t1
        \instruction v8, (t0)
        add     t0, t0, t1
        \instruction v16, (t0)
        add     t0, t0, t1
        \instruction v24, (t0)
        .endm

        .globl  rows_on_registers
        .type   rows_on_registers, @function
        .p2align 2
rows_on_registers:
        csrr    t1, vlenb
        slli    t1, t1, 3
        whole   vl8re8.v
        vsetvli t2, zero, e8, m1, ta, ma
1:      .4byte  0xe210312b              # smt.vmadot v2, v0, v1
        .4byte  0xe252032b              # smt.vmadotu v6, v4, v5
        addi    a1, a1, -1
        bnez    a1, 1b
        whole   vs8r.v
        ret
        .size   rows_on_registers, . - rows_on_registers

        .section .note.GNU-stack, "", @progbits

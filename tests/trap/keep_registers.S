# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# unsigned long changed_registers(void (*code)(void)): calls the code with a known value in every integer
# register that a call may change, and returns a mask of those that it changed.
        .text
        .option norelax
        .globl  changed_registers
        .type   changed_registers, @function
        .p2align 2
changed_registers:
        addi    sp, sp, -32
        sd      ra, 24(sp)
        sd      s1, 16(sp)
        sd      s2, 8(sp)
        mv      s1, a0
        .irp    n, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
        li      x\n, 0x1234567800 + \n
        .endr
        jalr    s1
        li      s2, 0
        .irp    n, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
        li      s1, 0x1234567800 + \n
        sub     s1, s1, x\n
        snez    s1, s1
        slli    s1, s1, \n
        or      s2, s2, s1
        .endr
        mv      a0, s2
        ld      ra, 24(sp)
        ld      s1, 16(sp)
        ld      s2, 8(sp)
        addi    sp, sp, 32
        ret
        .size   changed_registers, . - changed_registers

        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# The SIGILL handler: void tessera_trap_entry(int, siginfo_t*, ucontext_t*).
#
# tessera_trap_arrive decodes and checks without touching a vector register. 0: it is done. 1: the plan
# names registers; they are stored, each at its place in a register file on this stack, execute works
# on that, and those that it wrote are loaded back. Nothing else of the vector state is changed.
#
# Stores of 64-bit elements need a vtype of their own, but QEMU 7.2 moves whole registers bytewise:
# seven times slower. Loads of whole registers have an element width, so they are quick as they are.

        .text
        .option norelax
        .option arch, +v

        .macro hidden name
        .globl  \name
        .hidden \name
        .type   \name, @function
        .p2align 2
\name:
        .endm

# Plan, as entry.hpp has it
        .equ    PLAN_VL, 0
        .equ    PLAN_VTYPE, 8
        .equ    PLAN_VLENB, 16
        .equ    PLAN_REGISTERS, 24
        .equ    PLAN_VSTART, 32
        .equ    PLAN_READS, 40
        .equ    PLAN_WRITES, 44
        .equ    PLAN_SIZE, 256

# `move` vN, (t4) for every bit N of a mask, with t4 = the register file + N * vlenb. In: t0 vlenb, t3 mask,
# t4 register file. Uses t5, t6. In line: an emulator takes a branch in its stride and an indirect jump not.
        .macro  for_registers move
        slli    t5, t0, 3
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        .if     \n % 8 == 0
        andi    t6, t3, 0xff
        bnez    t6, 1f
        add     t4, t4, t5              # none of these eight
        j       3f
1:
        .endif
        andi    t6, t3, 1 << (\n % 8)
        beqz    t6, 2f
        \move   v\n, (t4)
2:      add     t4, t4, t0
        .if     \n % 8 == 7
3:      srli    t3, t3, 8
        .endif
        .endr
        .endm
        hidden tessera_trap_entry
        .cfi_startproc
        addi    sp, sp, -(PLAN_SIZE + 32)
        .cfi_def_cfa_offset PLAN_SIZE + 32
        sd      ra, PLAN_SIZE+24(sp)
        sd      s0, PLAN_SIZE+16(sp)
        sd      s1, PLAN_SIZE+8(sp)
        .cfi_offset ra, -8
        .cfi_offset s0, -16
        .cfi_offset s1, -24
        mv      s0, a2
        mv      a3, sp
        call    tessera_trap_arrive
        beqz    a0, .Ldone

        mv      s1, sp
        .cfi_def_cfa s1, PLAN_SIZE + 32
        ld      t0, PLAN_VLENB(s1)
        slli    t1, t0, 5               # 32 registers
        sub     sp, sp, t1
        sd      sp, PLAN_REGISTERS(s1)
        vsetvli t2, zero, e64, m1, ta, ma # vstart is 0: that was checked
        lwu     t3, PLAN_READS(s1)
        mv      t4, sp
        for_registers vse64.v

        mv      a0, s1
        mv      a1, s0
        call    tessera_trap_execute

        ld      t0, PLAN_VLENB(s1)
        lwu     t3, PLAN_WRITES(s1)
        mv      t4, sp
        for_registers vl1re64.v
        ld      t0, PLAN_VL(s1)
        ld      t1, PLAN_VTYPE(s1)
        vsetvl  zero, t0, t1
        mv      sp, s1
        .cfi_def_cfa sp, PLAN_SIZE + 32

.Ldone:
        ld      ra, PLAN_SIZE+24(sp)
        ld      s0, PLAN_SIZE+16(sp)
        ld      s1, PLAN_SIZE+8(sp)
        addi    sp, sp, PLAN_SIZE + 32
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   tessera_trap_entry, . - tessera_trap_entry

# void tessera_trap_read_state(Plan*)
        hidden tessera_trap_read_state
        csrr    t0, vl
        sd      t0, PLAN_VL(a0)
        csrr    t0, vtype
        sd      t0, PLAN_VTYPE(a0)
        csrr    t0, vlenb
        sd      t0, PLAN_VLENB(a0)
        csrr    t0, vstart
        sd      t0, PLAN_VSTART(a0)
        ret
        .size   tessera_trap_read_state, . - tessera_trap_read_state

# unsigned long tessera_trap_read_vlenb(void): bytes of a vector register. Where there is no vector
# unit the read traps, and the handler, which knows this address, lets it give 0.
        hidden tessera_trap_read_vlenb
        li      a0, 0
        .globl  tessera_trap_probe
        .hidden tessera_trap_probe
tessera_trap_probe:
        csrr    a0, vlenb
        ret
        .size   tessera_trap_read_vlenb, . - tessera_trap_read_vlenb

# unsigned long tessera_trap_read_vtype(void)
        hidden tessera_trap_read_vtype
        csrr    a0, vtype
        ret
        .size   tessera_trap_read_vtype, . - tessera_trap_read_vtype

        .section .note.GNU-stack, "", @progbits

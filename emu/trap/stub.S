# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# The fixed pieces of a stub (stub.hpp). They are copied, so nothing here depends on its address:
#
#   slow    traps: the state is not as it must be, and the handler shall say so or do better
#   head    entry; checks the state, saves what the middle changes
#           [generated: stores of the registers that the row reads, at t4]
#   middle  executes the row
#           [generated: loads of the registers that it writes, at t4]
#   tail    restores everything
#           [generated: a jump behind the row]
#
# 256 bytes before `slow` there is the Site. The interrupted program's stack holds what is saved.

        .text
        .option norelax
        .option norvc
        .option arch, +v

        .equ    SITE_SIZE, 256
        .equ    SITE_RUN, 8
        .equ    SITE_FRAME_BYTES, 16
        .equ    SITE_VLMAX_E64, 24
        .equ    SITE_VLENB, 32

        .equ    SAVED_T0, 0
        .equ    SAVED_T1, 8
        .equ    SAVED_T2, 16
        .equ    SAVED_T3, 24
        .equ    SAVED_VTYPE, 32
        .equ    SAVED_VL, 40
        .equ    SAVED_S0, 48
        .equ    SAVED_T4, 56
        .equ    SAVED_T5, 64
        .equ    SAVED_T6, 72
        .equ    SAVED_RA, 80
        .equ    SAVED_A0, 88
        .equ    SAVED_A1, 96
        .equ    SAVED_A2, 104
        .equ    SAVED_A3, 112
        .equ    SAVED_A4, 120
        .equ    SAVED_A5, 128
        .equ    SAVED_A6, 136
        .equ    SAVED_A7, 144
        .equ    SAVED_SIZE, 160

        .macro  piece name
        .globl  tessera_trap_stub_\name
        .hidden tessera_trap_stub_\name
tessera_trap_stub_\name:
        .endm

# What the C++ of the middle may change besides t0 to t3.
        .macro  move_others move
        \move   s0, SAVED_S0(sp)
        \move   t4, SAVED_T4(sp)
        \move   t5, SAVED_T5(sp)
        \move   t6, SAVED_T6(sp)
        \move   ra, SAVED_RA(sp)
        \move   a0, SAVED_A0(sp)
        \move   a1, SAVED_A1(sp)
        \move   a2, SAVED_A2(sp)
        \move   a3, SAVED_A3(sp)
        \move   a4, SAVED_A4(sp)
        \move   a5, SAVED_A5(sp)
        \move   a6, SAVED_A6(sp)
        \move   a7, SAVED_A7(sp)
        .endm

        .balign 64
        piece   slow
.Lslow_all:
        ld      t0, SAVED_VTYPE(sp)
        ld      t1, SAVED_VL(sp)
        vsetvl  zero, t1, t0
        move_others ld
.Lslow:
        ld      t0, SAVED_T0(sp)
        ld      t1, SAVED_T1(sp)
        ld      t2, SAVED_T2(sp)
        ld      t3, SAVED_T3(sp)
        addi    sp, sp, SAVED_SIZE
        piece   trap
        .4byte  0                       # the site's first word

        .equ    HEAD, 128               # bytes from slow
        .balign 128
        piece   head
        addi    sp, sp, -SAVED_SIZE
        sd      t0, SAVED_T0(sp)
        sd      t1, SAVED_T1(sp)
        sd      t2, SAVED_T2(sp)
        sd      t3, SAVED_T3(sp)
        auipc   t2, 0
        .equ    SITE, -(SITE_SIZE + HEAD + 20) # from that auipc
        csrr    t0, vstart
        bnez    t0, .Lslow
        csrr    t0, vtype
        csrr    t1, vl
        sd      t0, SAVED_VTYPE(sp)
        sd      t1, SAVED_VL(sp)
        ld      t3, SITE + SITE_VLENB(t2)
        andi    t1, t0, ~0xf8           # vill, LMUL other than 1, reserved bits
        bnez    t1, .Lslow
        srli    t0, t0, 3
        andi    t0, t0, 7
        ld      t1, SAVED_VL(sp)
        sll     t1, t1, t0
        bne     t1, t3, .Lslow          # vl is VLMAX if vl << log2(SEW / 8) is the register's length
        move_others sd
        addi    s0, t2, SITE
        vsetvli t0, zero, e64, m1, ta, ma
        ld      t1, SITE_VLMAX_E64(s0)
        bne     t0, t1, .Lslow_all      # a core with another vector length
        ld      t1, SITE_FRAME_BYTES(s0)
        sub     sp, sp, t1
        mv      t4, sp

        piece   middle
        mv      a0, s0
        mv      a1, sp
        ld      t0, SITE_RUN(s0)
        jalr    t0
        mv      t4, sp
        bnez    a0, .Ldone
        ld      t1, SITE_FRAME_BYTES(s0)
        add     sp, sp, t1
        addi    t2, s0, SITE_SIZE
        jr      t2                      # slow_all: the program has changed the row
.Ldone:

        piece   tail
        ld      t1, SITE_FRAME_BYTES(s0)
        add     sp, sp, t1
        ld      t0, SAVED_VTYPE(sp)
        ld      t1, SAVED_VL(sp)
        vsetvl  zero, t1, t0
        move_others ld
        ld      t0, SAVED_T0(sp)
        ld      t1, SAVED_T1(sp)
        ld      t2, SAVED_T2(sp)
        ld      t3, SAVED_T3(sp)
        addi    sp, sp, SAVED_SIZE
        piece   end

# Room for stubs near the code that the runtime is linked to.
        .balign 4096
        .globl  tessera_trap_stub_room
        .hidden tessera_trap_stub_room
tessera_trap_stub_room:
        .zero   65536
        .size   tessera_trap_stub_room, 65536

        .section .note.GNU-stack, "", @progbits

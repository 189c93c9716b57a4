# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# The SIGILL handler: void tessera_trap_entry(int, siginfo_t*, ucontext_t*).
#
# tessera_trap_arrive decides without touching a vector register. 0: it is done. 1: the instruction
# is ours and its operands are in the live registers; they are laid out as a VectorFrame on this
# stack, tessera_trap_execute works on that, and they are loaded back.

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

        hidden tessera_trap_entry
        .cfi_startproc
        addi    sp, sp, -32
        .cfi_def_cfa_offset 32
        sd      ra, 24(sp)
        sd      s0, 16(sp)
        sd      s1, 8(sp)
        .cfi_offset ra, -8
        .cfi_offset s0, -16
        .cfi_offset s1, -24
        mv      s0, a2
        call    tessera_trap_arrive
        beqz    a0, .Ldone

        mv      s1, sp
        .cfi_def_cfa s1, 32
        csrr    t0, vlenb
        slli    t1, t0, 5               # 32 registers
        sub     sp, sp, t1
        mv      t2, sp
        addi    sp, sp, -48             # VectorFrame
        csrr    t3, vstart
        sd      t3, 0(sp)
        csrr    t3, vl
        sd      t3, 8(sp)
        csrr    t3, vtype
        sd      t3, 16(sp)
        csrr    t3, vcsr
        sd      t3, 24(sp)
        sd      t0, 32(sp)
        sd      t2, 40(sp)
        csrw    vstart, zero            # whole-register stores obey vstart and nothing else
        slli    t1, t0, 3
        vs8r.v  v0, (t2)
        add     t2, t2, t1
        vs8r.v  v8, (t2)
        add     t2, t2, t1
        vs8r.v  v16, (t2)
        add     t2, t2, t1
        vs8r.v  v24, (t2)

        mv      a0, sp
        mv      a1, s0
        call    tessera_trap_execute

        csrr    t0, vlenb
        slli    t1, t0, 3
        ld      t2, 40(sp)
        csrw    vstart, zero
        vl8re8.v v0, (t2)
        add     t2, t2, t1
        vl8re8.v v8, (t2)
        add     t2, t2, t1
        vl8re8.v v16, (t2)
        add     t2, t2, t1
        vl8re8.v v24, (t2)
        ld      t0, 8(sp)
        ld      t1, 16(sp)
        vsetvl  zero, t0, t1
        ld      t0, 24(sp)
        csrw    vcsr, t0
        ld      t0, 0(sp)
        csrw    vstart, t0
        mv      sp, s1
        .cfi_def_cfa sp, 32

.Ldone:
        ld      ra, 24(sp)
        ld      s0, 16(sp)
        ld      s1, 8(sp)
        addi    sp, sp, 32
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   tessera_trap_entry, . - tessera_trap_entry

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

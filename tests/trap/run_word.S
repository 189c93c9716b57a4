# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# void run_on_registers(Registers* image, void (*code)(void)): loads all vector state from the image,
# calls the code, and stores all vector state back. For any compiler: it needs no vector support.
# void store_registers(Registers* image): the last of these steps alone.
        .text
        .option norelax
        .option arch, +v
        .globl  run_on_registers
        .type   run_on_registers, @function
        .p2align 2
run_on_registers:
        addi    sp, sp, -16
        sd      ra, 8(sp)
        sd      s0, 0(sp)
        mv      s0, a0
        ld      t0, 40(s0)              # bytes of the registers
        csrr    t1, vlenb
        slli    t1, t1, 3
        csrw    vstart, zero
        vl8re8.v v0, (t0)
        add     t0, t0, t1
        vl8re8.v v8, (t0)
        add     t0, t0, t1
        vl8re8.v v16, (t0)
        add     t0, t0, t1
        vl8re8.v v24, (t0)
        ld      t0, 8(s0)
        ld      t1, 16(s0)
        vsetvl  zero, t0, t1
        ld      t0, 24(s0)
        csrw    vcsr, t0
        ld      t0, 0(s0)
        csrw    vstart, t0
        jalr    a1
        mv      a0, s0
        ld      ra, 8(sp)
        ld      s0, 0(sp)
        addi    sp, sp, 16
        tail    store_registers
        .size   run_on_registers, . - run_on_registers

        .globl  store_registers
        .type   store_registers, @function
        .p2align 2
store_registers:
        csrr    t0, vstart
        sd      t0, 0(a0)
        csrr    t0, vl
        sd      t0, 8(a0)
        csrr    t0, vtype
        sd      t0, 16(a0)
        csrr    t0, vcsr
        sd      t0, 24(a0)
        csrr    t1, vlenb
        sd      t1, 32(a0)
        ld      t0, 40(a0)
        slli    t1, t1, 3
        csrw    vstart, zero
        vs8r.v  v0, (t0)
        add     t0, t0, t1
        vs8r.v  v8, (t0)
        add     t0, t0, t1
        vs8r.v  v16, (t0)
        add     t0, t0, t1
        vs8r.v  v24, (t0)
        ret
        .size   store_registers, . - store_registers

        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# Functions whose counts check_exact.py knows by hand. Each takes a0: a count, a1: 4096 bytes of memory, 64-byte aligned.
        .text
        .option arch, +v
        .option norvc

        .macro function name
        .globl  \name
        .type   \name, @function
        .p2align 2
\name:
        .endm

# 1 + a0 * (6 + 2) + 1 instructions, six of eight of them vmadots in a row.
        function exact_rows
        vsetvli t0, zero, e8, m1, ta, ma
1:      .4byte  0xe210312b              # smt.vmadot v2, v0, v1
        .4byte  0xe210322b              # v4
        .4byte  0xe210332b
        .4byte  0xe210342b
        .4byte  0xe210352b
        .4byte  0xe210362b
        addi    a0, a0, -1
        bnez    a0, 1b
        ret
        .size   exact_rows, . - exact_rows

# 1 + a0 * (2 + 4) + 1 instructions: vmadots apart.
        function exact_apart
        vsetvli t0, zero, e8, m1, ta, ma
1:      .4byte  0xe210312b
        nop
        nop
        .4byte  0xe210322b
        addi    a0, a0, -1
        bnez    a0, 1b
        ret
        .size   exact_apart, . - exact_apart

# One of each kind that the weights tell apart.
        function exact_kinds
        li      t1, 7
        vsetvli zero, t1, e32, m4, ta, ma       # vl 7 at VLEN 256 and above
        vle32.v v4, (a1)                        # 4; tells vl
        vadd.vv v8, v4, v4                      # 4
        vwadd.vv v16, v4, v8                    # 8
        vmseq.vv v0, v4, v8                     # 4
        vmand.mm v0, v0, v0                     # 1
        vmv.x.s t2, v4                          # 1
        vredsum.vs v12, v4, v8                  # 4
        vnsrl.wi v8, v16, 3                     # 8
        vfdiv.vv v8, v4, v4                     # 32
        vfsqrt.v v8, v4                         # 32
        vdivu.vv v8, v4, v4                     # 32
        vid.v   v12                             # 4
        vrgather.vv v16, v4, v12                # 7
        vmv4r.v v20, v16                        # 4
        vslideup.vi v24, v4, 1                  # 4
        vfwcvt.f.x.v v8, v4                     # 8
        vle8.v  v8, (a1)                        # 1: EMUL 1
        vlm.v   v0, (a1)                        # 1
        vl8re8.v v8, (a1)                       # 8
        vs2r.v  v8, (a1)                        # 2
        li      t1, 4
        vlse32.v v8, (a1), t1                   # 7
        vluxei32.v v8, (a1), v12                # 7
        vlseg2e32.v v8, (a1)                    # 14
        vse32.v v4, (a1)                        # 4
        vsse32.v v4, (a1), t1                   # 7
        vsetvli zero, t1, e8, mf2, ta, ma       # 4 of 16 elements
        vadd.vv v8, v4, v4                      # 1
        csrr    t2, vl
        ret
        .size   exact_kinds, . - exact_kinds

# A gather before vl is known counts as VLMAX: 32 at VLEN 256, e8, m1.
        function exact_bound
        li      t1, 5
        vsetvli zero, t1, e8, m1, ta, ma
        vrgather.vv v2, v4, v6
        ret
        .size   exact_bound, . - exact_bound

# A caller of two: its own instructions and theirs.
        function exact_calls
        addi    sp, sp, -16
        sd      ra, 8(sp)
        call    exact_leaf
        call    exact_leaf
        ld      ra, 8(sp)
        addi    sp, sp, 16
        ret
        .size   exact_calls, . - exact_calls

        function exact_leaf
        nop
        ret
        .size   exact_leaf, . - exact_leaf

        .section .note.GNU-stack, "", @progbits

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#
# Small kernels in the vendor's mnemonics. kernels.hpp says what each computes.
        .include "mnemonics.inc"
        .text
        .option norelax
        .option arch, +v

        .macro  function name
        .globl  \name
        .type   \name, @function
        .p2align 2
\name:
        .endm

# void NAME(a, b, c, steps): c += the products of `steps` pairs of tiles.
        .macro  product name, instruction, type=i8
        function \name
        csrr    t0, vlenb
        vl2re32.v v16, (a2)
1:      vl1re8.v v0, (a0)
        vl1re8.v v1, (a1)
        add     a0, a0, t0
        add     a1, a1, t0
        vsetvli t1, zero, e8, m1, ta, ma
        \instruction v16, v0, v1, \type
        addi    a3, a3, -1
        bnez    a3, 1b
        vs2r.v  v16, (a2)
        ret
        .size   \name, . - \name
        .endm
        product vendor_product, vmadot
        product vendor_product_u, vmadotu
        product vendor_product_us, vmadotus
        product vendor_product_su, vmadotsu
        product vendor_product_i4, vmadot, i4

# void NAME(a, b, c): a holds two registers, b four: tile t of b meets a from row t on.
        .macro  filter name, signs=
        function \name
        csrr    t0, vlenb
        vl2re32.v v16, (a2)
        vl2re8.v v2, (a0)
        vl4re8.v v4, (a1)
        vsetvli t1, zero, e8, m1, ta, ma
        vmadot\signs  v16, v2, v4
        vmadot1\signs v16, v2, v5
        vmadot2\signs v16, v2, v6
        vmadot3\signs v16, v2, v7
        vs2r.v  v16, (a2)
        ret
        .size   \name, . - \name
        .endm
        filter  vendor_filter
        filter  vendor_filter_u, u
        filter  vendor_filter_us, us
        filter  vendor_filter_su, su

# void vendor_sparse(a, b, c, mask): a holds two registers.
        function vendor_sparse
        vl2re32.v v16, (a2)
        vl1re8.v v0, (a3)
        vl2re8.v v2, (a0)
        vl1re8.v v8, (a1)
        vsetvli t1, zero, e8, m1, ta, ma
        smt.vmadot.sp v16, v2, v8, v0, 1
        vs2r.v  v16, (a2)
        ret
        .size   vendor_sparse, . - vendor_sparse

# void vendor_scaled(a, b, c, scales)
        function vendor_scaled
        vl1re16.v v16, (a2)
        vl1re16.v v1, (a3)
        vl1re8.v v2, (a0)
        vl1re8.v v3, (a1)
        vsetvli t1, zero, e8, m1, ta, ma
        smt.vmadot.hp v16, v2, v3, v1, 2
        vs1r.v  v16, (a2)
        ret
        .size   vendor_scaled, . - vendor_scaled

# void vendor_float(a, b, c): a holds two registers, b four, as in vendor_filter.
        function vendor_float
        vl2re32.v v16, (a2)
        vl2re16.v v2, (a0)
        vl4re16.v v4, (a1)
        vsetvli t1, zero, e16, m1, ta, ma
        smt.vfwmadot  v16, v2, v4
        smt.vfwmadot1 v16, v2, v5
        smt.vfwmadot2 v16, v2, v6
        smt.vfwmadot3 v16, v2, v7
        vs2r.v  v16, (a2)
        ret
        .size   vendor_float, . - vendor_float

# void vendor_pack(a, b, packed, unpacked): blocks of 4 bytes alternate, and come apart again.
        function vendor_pack
        vl1re8.v v4, (a0)
        vl1re8.v v5, (a1)
        vsetvli t1, zero, e32, m1, ta, ma
        smt.vpack.vv  v8, v4, v5, 0
        smt.vupack.vv v10, v8, v9, 0
        vs2r.v  v8, (a2)
        vs2r.v  v10, (a3)
        ret
        .size   vendor_pack, . - vendor_pack

# void vendor_narrow(a, b, truncated, saturated): 16 bits to 8; bytes to nibbles into the second registers.
        function vendor_narrow
        vl1re8.v v4, (a0)
        vl1re8.v v5, (a1)
        vsetvli t1, zero, e8, m1, ta, ma
        smt.vnpack.vv   v8, v4, v5, 0
        smt.vnspack.vv  v10, v4, v5, 0
        smt.vnpack4.vv  v9, v4, v5, 0
        smt.vnspack4.vv v11, v4, v5, 0
        vs2r.v  v8, (a2)
        vs2r.v  v10, (a3)
        ret
        .size   vendor_narrow, . - vendor_narrow

        .section .note.GNU-stack, "", @progbits

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Published words of the vmadot family: assembly as printed there, word, where.
#ifndef TESSERA_TESTS_ISA_GOLDEN_WORDS_HPP_
#define TESSERA_TESTS_ISA_GOLDEN_WORDS_HPP_

#include <cstdint>

struct GoldenWord {
  const char* assembly;
  std::uint32_t word;
  const char* source;
};

// clang-format off
inline constexpr GoldenWord golden_words[] = {
    {"smt.vmadot v16, v0, v8", 0xe280382b, "LLVM llvm/test/MC/RISCV/xsmtvdot-valid.s"},
    {"smt.vmadotu v18, v1, v9", 0xe290892b, "LLVM llvm/test/MC/RISCV/xsmtvdot-valid.s"},
    {"smt.vmadotsu v20, v2, v10", 0xe2a12a2b, "LLVM llvm/test/MC/RISCV/xsmtvdot-valid.s"},
    {"smt.vmadotus v22, v3, v11", 0xe2b19b2b, "LLVM llvm/test/MC/RISCV/xsmtvdot-valid.s"},
    {"smt.vmadot v0, v31, v2, i4", 0xc22fb02b, "LLVM llvm/test/MC/RISCV/xsmtvdotii-valid.s"},
    {"smt.vmadot v0, v31, v2, i8", 0xe22fb02b, "LLVM llvm/test/MC/RISCV/xsmtvdotii-valid.s"},
    {"smt.vmadot v0, v31, v2", 0xe22fb02b, "LLVM llvm/test/MC/RISCV/xsmtvdotii-valid.s"},
    {"smt.vmadot v2, v3, v4, i4", 0xc241b12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotu v2, v3, v4, i4", 0xc241812b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotsu v2, v3, v4, i4", 0xc241a12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotus v2, v3, v4, i4", 0xc241912b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadot v2, v3, v4, i8", 0xe241b12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotu v2, v3, v4, i8", 0xe241812b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotsu v2, v3, v4, i8", 0xe241a12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotus v2, v3, v4, i8", 0xe241912b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadot v2, v3, v4", 0xe241b12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotu v2, v3, v4", 0xe241812b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotsu v2, v3, v4", 0xe241a12b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadotus v2, v3, v4", 0xe241912b, "binutils gas/testsuite/gas/riscv xsmtvdotii .s/.d"},
    {"smt.vmadot v2, v0, v1", 0xe210312b, "K1 board objdump/.word"},
    {"smt.vmadot v28, v0, v1", 0xe2103e2b, "RISCY-SVT stage35 K1 microbench"},
    {"smt.vmadot v16, v10, v2", 0xe225382b, "K1 board disassembly"},
    {"smt.vmadot v8, v0, v4", 0xe240342b, "docdailey/x100-gemm docs/IME.md"},
    {"smt.vmadot v6, v2, v4", 0xe241332b, "board-run source word"},
    {"smt.vmadotu v16, v0, v1", 0xe210082b, ".word in Rust k3 backend"},
    {"smt.vmadotus v16, v0, v1", 0xe210182b, ".word in Rust k3 backend"},
    {"smt.vmadotsu v16, v0, v1", 0xe210282b, ".word in Rust k3 backend"},
    {"smt.vmadot v16, v0, v1", 0xe210382b, ".word in Rust k3 backend"},
    {"smt.vmadot v2, v0, v0", 0xe200312b, "nihui/ruapu probe word"},
};
// clang-format on

#endif  // TESSERA_TESTS_ISA_GOLDEN_WORDS_HPP_

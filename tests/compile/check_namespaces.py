#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Units whose flags let the compiler use different instructions must not share a namespace.

check_namespaces.py INCLUDE COMPILER [OPTION...]     the options are the cross compiler's
"""
import subprocess
import sys

X86 = ["x86-64", "x86-64-v2", "haswell", "haswell -maes", "x86-64-v3", "x86-64-v4", "skylake-avx512", "icelake-server",
       "cooperlake", "sapphirerapids", "alderlake"]
RISCV = ["rv64gc", "rv64gc_zba_zbb_zbs", "rv64gcv", "rv64gcv_zvl256b", "rv64gcv_zfh", "rv64gcv_zvfh", "rv64gcv_zbb",
         "rv64gcv_zvbb"]


def namespace(include, command, arch):
    run = subprocess.run(
        [*command, *f"-march={arch}".split(), "-std=c++20", "-E", "-P", "-I", include, "-x", "c++", "-"],
        input='#include "tessera/config.hpp"\nTHE_NAMESPACE TESSERA_ISA_STRING\n', check=True, capture_output=True, text=True)
    return run.stdout.split("THE_NAMESPACE")[1].strip()


def main(include, *command):
    macros = subprocess.run([*command, "-dM", "-E", "-x", "c++", "-"], input="", capture_output=True, text=True).stdout
    seen = {}
    for arch in RISCV if "__riscv " in macros else X86:
        name = namespace(include, command, arch)
        print(arch, name)
        if name in seen:
            sys.exit(f"{arch} and {seen[name]} share {name}")
        seen[name] = arch


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Checks what objects made from the headers hold.

check_symbols.py weak|needed|initialisers --nm NM --objdump OBJDUMP [--must-fail] OBJECT...
  weak          no weak symbol holds instructions beyond the baseline, unless its name holds the ISA configuration: the
                linker keeps one copy of a weak symbol, maybe the one that this CPU cannot run
  needed        undefined symbols are memcpy, memmove and memset only
  initialisers  nothing runs before main
--must-fail turns the verdict round: for objects with planted faults.
"""
import argparse
import re
import subprocess
import sys

# A name that holds one of these differs between translation units of different flags.
ISA_IN_NAME = re.compile(
    r"tessera::v\d+_\d+::(x86|rv64gc|aarch64|generic)"
    r"|hwy::N_\w+::"
    r"|xsimd::(detail::)?(avx\w*|fma\w*|sse\w*|ssse3|rvv\w*|neon\w*|emulated|common)\b"
)

# Beyond x86-64: VEX and EVEX instructions, and those of the integer extensions that come with AVX2.
X86_BEYOND = re.compile(
    r"v(?!err|erw)[a-z]|k(and|or|xor|not|mov|ortest|test|shift|add|unpck)"
    r"|(andn|bextr|bls[ir]|blsmsk|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|tzcnt|popcnt|movbe|crc32)[bwlq]?$"
    r"|aes|pclmul"
)
# Beyond rv64gc: vector instructions and words that the disassembler does not know.
RISCV_BEYOND = re.compile(r"v[a-z]|<unknown>|\.insn|smt\.")

ALLOWED_UNDEFINED = {"memcpy", "memmove", "memset", "_GLOBAL_OFFSET_TABLE_"}
INITIALISER_SECTION = re.compile(r"\s\.(init_array|ctors|preinit_array)\S*\s")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(nm, paths):
    """(path, kind, mangled, readable) of each symbol."""
    plain = run(nm, "--format=posix", "--print-file-name", *paths).splitlines()
    readable = run(nm, "--format=posix", "--print-file-name", "--demangle", *paths).splitlines()
    for first, second in zip(plain, readable):
        match = re.match(r"(.*?): (\S+) (\S) ", first + " ")
        named = re.match(r".*?: (.*) [A-Za-z?-] [0-9a-f ]*$", second + " ")
        yield match.group(1), match.group(3), match.group(2), named.group(1) if named else match.group(2)


def functions(objdump, path):
    """Mangled name -> mnemonics of its code."""
    code = {}
    current = None
    for line in run(objdump, "-d", "--no-show-raw-insn", path).splitlines():
        label = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if label:
            current = code.setdefault(label.group(1), [])
        elif current is not None and ":" in line:
            words = line.split(":", 1)[1].split()
            if words:
                current.append(words[0])
    return code


def check_weak(tools, paths):
    for path in paths:
        riscv = "riscv" in run(tools.objdump, "-f", path)
        beyond = RISCV_BEYOND if riscv else X86_BEYOND
        code = functions(tools.objdump, path)
        for _, kind, name, readable in symbols(tools.nm, [path]):
            if kind not in "wWvVu" or ISA_IN_NAME.search(readable):
                continue
            found = sorted({word for word in code.get(name, []) if beyond.match(word)})
            if found:
                yield path, f"weak {readable} holds {', '.join(found[:4])}"


def check_needed(tools, paths):
    for path, kind, name, readable in symbols(tools.nm, paths):
        if kind == "U" and name not in ALLOWED_UNDEFINED:
            yield path, f"needs {readable}"


def check_initialisers(tools, paths):
    path = "?"
    for line in run(tools.objdump, "-h", *paths).splitlines():
        if ":\tfile format " in line:
            path = line.split(":\t")[0]
        elif INITIALISER_SECTION.search(line):
            yield path, f"has section {line.split()[1]}"
    for path, _, name, readable in symbols(tools.nm, paths):
        if name.startswith(("_GLOBAL__sub_I", "_ZGV", "__cxa_atexit", "__cxa_guard")):
            yield path, f"initialises at run time: {readable}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rule", choices=["weak", "needed", "initialisers"])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--must-fail", action="store_true")
    parser.add_argument("objects", nargs="+")
    tools = parser.parse_args()
    paths = [path for argument in tools.objects for path in argument.split(";") if path]
    check = {"weak": check_weak, "needed": check_needed, "initialisers": check_initialisers}[tools.rule]
    breaches = list(check(tools, paths))
    for path, text in breaches:
        print(f"{path.rsplit('/', 1)[-1]}: {text}")
    print(f"{len(paths)} objects, {len(breaches)} breaches of '{tools.rule}'")
    return int(bool(breaches) != tools.must_fail)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_exact.py PLUGIN PROGRAM QEMU...: the counts of exact.S, known by hand, at VLEN 256."""
import sys

from measure import count

# Weights of exact_kinds: its comments.
ARITHMETIC = 4 + 8 + 4 + 1 + 1 + 4 + 8 + 4 + 4 + 4 + 8 + 1
DIVIDES = 3 * 4
GATHER = 7
UNIT_AND_WHOLE = 4 + 1 + 1 + 8 + 2 + 4
BY_ELEMENT = 7 + 7 + 14 + 7
SCALAR_VSET_CSR = 2 + 2 + 1 + 1


def expected(n):
    yield "exact_rows", {"instructions": 1 + 8 * n + 1, "weighted": 1 + 8 * n + 1, "ime": 6 * n, "ime_dot": 6 * n,
                         "scalar": 2 * n + 1, "vset": 1, "csr": 0}
    yield "exact_apart", {"instructions": 1 + 6 * n + 1, "ime": 2 * n, "scalar": 4 * n + 1}
    yield "exact_kinds", {
        "instructions": 32, "scalar": 3, "csr": 1, "vset": 2, "vector_arithmetic": 16,
        "vector_load": 7, "vector_store": 3,
        "arithmetic_registers": ARITHMETIC, "divided_registers": DIVIDES, "gathers": 1, "gathered_elements": GATHER,
        "gathered_at_most": 0, "unknown_vtype": 0,
        "weighted": ARITHMETIC + 8 * DIVIDES + GATHER + UNIT_AND_WHOLE + BY_ELEMENT + SCALAR_VSET_CSR,
        "loads.unit.registers": 6, "loads.unit.elements": 7 + 7 + 1, "loads.unit.bytes": 28 + 7 + 1,
        "loads.whole.registers": 8, "loads.whole.bytes": 256, "loads.strided.elements": 7,
        "loads.indexed.elements": 7, "loads.segment.elements": 14, "loads.segment.registers": 8,
        "loads.all.instructions": 7, "stores.unit.registers": 4, "stores.whole.registers": 2,
        "stores.strided.elements": 7}
    yield "exact_bound", {"instructions": 4, "gathered_elements": 32, "gathered_at_most": 32, "weighted": 3 + 32}
    yield "exact_calls", {"instructions": 7 + 2 * 2, "scalar": 11}


def value_of(total, path):
    for key in path.split("."):
        total = total[key]
    return total


def main():
    plugin, program, *qemu = sys.argv[1:]
    wrong = 0
    for n in (1, 100):
        for name, want in expected(n):
            counts, _, _ = count(plugin, qemu, program, [name, n], name)
            if counts["entered"] != 1:
                print(f"{name} {n}: entered {counts['entered']} times")
                wrong += 1
            for path, number in want.items():
                got = value_of(counts["total"], path)
                if got != number:
                    print(f"{name} {n}: {path} {got}, not {number}")
                    wrong += 1
            parts = sum(symbol["instructions"] for symbol in counts["symbols"])
            if parts != counts["total"]["instructions"]:
                print(f"{name} {n}: the symbols hold {parts} instructions, not {counts['total']['instructions']}")
                wrong += 1
    print("wrong" if wrong else "exact")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

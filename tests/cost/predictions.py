#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""predictions.py > bench/check/predictions.tsv: what tessera-check's kernels should take on the boards, by the cost model.
predictions.py --check: exit status 1 if the stored ones have other rows, or one differs by more than 2 %.

Needs the riscv64-clang build of tessera_cost_{matmul,kernels,ssm}_rvv and tessera_count, and host-clang's tessera_cost; without
them, exit status 77."""
import sys

import instructions
import measure

STORED = measure.ROOT / "bench/check/predictions.tsv"
BOARDS = {"k1": 256, "a100": 1024}
MATRIX = {"k1": "ime1", "a100": "ime2"}
# Products by backend: many rows and one, the second only where there is a model.
PRODUCTS = {"ime1": (48, 48, 1024), "ime2": (64, 128, 1024), "rvv": (12, 256, 1024), "hwy": (48, 256, 1024),
            "xsimd": (48, 256, 1024)}
# Kernels of the vectors, and of the matrix instructions.
VECTOR = ("attention f16 1 256 64", "attention f16 8 256 64", "attention_kv 8 256 64", "rope half 128 16",
          "rope interleaved 128 16", "softmax 4 1000", "rms_norm 4 1000", "conv 16", "mamba2 4", "mamba1 4", "mamba2_chunked 64",
          "delta 4", "delta_chunked 64")
TILES = ("attention_kv 1 256 64", "attention_kv 8 256 64")
HEAD = """# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Cycles that the cost model (emu/cost) predicts for a kernel, for the multiplying phase of a product, from counts of clang 19's
# code; 0: none. Board, backend, kernel and its arguments, cycles. Written by tests/cost/predictions.py, which also checks it."""


def rows():
    """(board, backend, kernel) of all predictions, in order."""
    for board, matrix in MATRIX.items():
        for backend in (matrix, "rvv"):
            m, n, k = PRODUCTS[backend]
            for height in (m, 1):
                for weights in ("q8_0", "q4_0"):
                    yield board, backend, f"matmul {weights} {height} {n} {k}"
        yield from ((board, matrix, kernel) for kernel in TILES)
        yield from ((board, "rvv", kernel) for kernel in VECTOR)
    # On cores without a model nothing is predicted.
    for backend, shape in PRODUCTS.items():
        for weights in ("q8_0", "q4_0"):
            yield "any", backend, " ".join(["matmul", weights, *map(str, shape)])
    yield from (("any", "rvv", kernel) for kernel in VECTOR)


def cycles(row):
    board, backend, kernel = row
    if board == "any":
        return 0
    words = kernel.split()
    if words[0] == "matmul":
        _, _, text = measure.product("clang", BOARDS[board], [backend, *words[1:]])
    else:
        if words[0] not in instructions.RECURRENT:
            words.insert(1, backend)
        _, _, text = instructions.counts_of(measure.BUILDS / "riscv64-clang", "rvv", BOARDS[board], words)
    return round(measure.predicted(text, board, 1))


def check(found):
    wrong = []
    stored = dict((tuple(line.split("\t")[:3]), int(line.split("\t")[3]))
                  for line in STORED.read_text().splitlines() if not line.startswith("#"))
    wrong += [f"not stored: {row}" for row in found if row not in stored]
    wrong += [f"not asked for: {row}" for row in stored if row not in found]
    wrong += [f"{row}: {found[row]} is predicted, {stored[row]} stored" for row in found
              if row in stored and abs(found[row] - stored[row]) > 0.02 * stored[row]]
    print("\n".join(wrong) or f"{len(found)} predictions are those stored")
    return 1 if wrong else 0


def main():
    found = {row: cycles(row) for row in rows()}
    if sys.argv[1:] == ["--check"]:
        sys.exit(check(found))
    print(HEAD)
    for row, number in found.items():
        print(*row, number, sep="\t")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""predictions.py > bench/check/predictions.tsv: what tessera-check's products should take on the boards, by the cost model.

Needs the riscv64-clang build of tessera_cost_matmul_rvv and tessera_count, and host-clang's tessera_cost."""
import measure

# Board, vector length, backend, M, N, K: many rows and one.
PRODUCTS = (
    ("k1", 256, "ime1", 48, 48, 1024), ("k1", 256, "ime1", 1, 48, 1024),
    ("k1", 256, "rvv", 12, 256, 1024), ("k1", 256, "rvv", 1, 256, 1024),
    ("a100", 1024, "ime2", 64, 128, 1024), ("a100", 1024, "ime2", 1, 128, 1024),
    ("a100", 1024, "rvv", 12, 256, 1024), ("a100", 1024, "rvv", 1, 256, 1024),
)
# On cores without a model nothing is predicted.
ANYWHERE = (
    ("ime1", 48, 48, 1024), ("ime2", 64, 128, 1024), ("rvv", 12, 256, 1024), ("hwy", 48, 256, 1024),
    ("xsimd", 48, 256, 1024),
)
HEAD = """# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Cycles that the cost model (emu/cost) predicts for the multiplying phase of a product, from counts of clang 19's code; 0: none.
# Board, backend, format, M, N, K, cycles. Written by tests/cost/predictions.py."""


def main():
    print(HEAD)
    for board, vlen, backend, *shape in PRODUCTS:
        for weights in ("q8_0", "q4_0"):
            _, _, text = measure.product("clang", vlen, [backend, weights, *shape])
            cycles = round(measure.predicted(text, board, 1))
            print(board, backend, weights, *shape, cycles, sep="\t")
    for backend, *shape in ANYWHERE:
        for weights in ("q8_0", "q4_0"):
            print("any", backend, weights, *shape, 0, sep="\t")


if __name__ == "__main__":
    main()

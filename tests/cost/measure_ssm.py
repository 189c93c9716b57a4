#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Counts one run of a recurrent kernel and prints one figure of it, as the last word of the last line.

measure_ssm.py KERNEL TOKENS VLEN FIGURE [--compiler clang|gcc]
  KERNEL: mamba2, mamba2_chunked, mamba1, delta, delta_keys, conv (shapes: ssm.cpp)
  FIGURE: instructions, weighted      per element of a state and token; conv: per output
Exit status 77: it cannot be measured here.
"""
import sys

import measure


def main():
    words = sys.argv[1:]
    compiler = "clang"
    if "--compiler" in words:
        at = words.index("--compiler")
        compiler = words[at + 1]
        del words[at:at + 2]
    if len(words) != 4 or words[3] not in ("instructions", "weighted"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    kernel, tokens, vlen, figure = words
    build = measure.BUILDS / f"riscv64-{compiler}"
    program = build / "tests/cost/tessera_cost_ssm_rvv"
    plugin = build / "emu/plugin/libtessera_count.so"
    for file in (program, plugin):
        if not file.exists():
            measure.not_here(f"{file.relative_to(measure.BUILDS)} is not built")
    counts, said, _ = measure.count(plugin, measure.emulator(vlen), program, [kernel, tokens], "tessera_cost_ssm")
    if counts["entered"] != 1:
        sys.exit(f"{counts['entered']} functions counted, not one")
    print(f"{figure} {counts['total'][figure] / said['elements']:.4f}")


if __name__ == "__main__":
    main()

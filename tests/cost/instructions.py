#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Counts one kernel and prints plain instructions per unit of its work, as the last word of the last line.

instructions.py VLEN KERNEL ARGS... [--over KERNEL ARGS...] [--compiler clang|gcc] [--flavour NAME] [--weighted]
  KERNEL ARGS: those of kernels.cpp or, for recurrent kernels, of ssm.cpp; --over prints the quotient of two counts per unit of work
Exit status 77: it cannot be measured here.
"""
import sys

import measure

RECURRENT = ("mamba2", "mamba2_chunked", "mamba1", "delta", "delta_keys", "delta_chunked", "delta_keys_chunked", "conv")


def counts_of(build, flavour, vlen, words):
    """As measure.count() returns them."""
    name = "ssm" if words[0] in RECURRENT else "kernels"
    program = build / f"tests/cost/tessera_cost_{name}_{flavour}"
    plugin = build / "emu/plugin/libtessera_count.so"
    for file in (program, plugin):
        if not file.exists():
            measure.not_here(f"{file} is not built")
    counts, said, text = measure.count(plugin, measure.emulator(vlen), program, words, "tessera_cost_kernel")
    if counts["entered"] != 1:
        sys.exit(f"the kernel was entered {counts['entered']} times")
    return counts, said, text


def per_work(build, flavour, vlen, words, kind):
    counts, said, _ = counts_of(build, flavour, vlen, words)
    return counts["total"][kind] / said["work"]


def option(words, name, otherwise):
    if name not in words:
        return otherwise
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    return value


def main():
    words = sys.argv[1:]
    compiler = option(words, "--compiler", "clang")
    flavour = option(words, "--flavour", "rvv")
    kind = "instructions"
    if "--weighted" in words:
        words.remove("--weighted")
        kind = "weighted"
    if len(words) < 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    build = measure.BUILDS / f"riscv64-{compiler}"
    vlen, words = words[0], words[1:]
    split = words.index("--over") if "--over" in words else len(words)
    value = per_work(build, flavour, vlen, words[:split], kind)
    if split < len(words):
        value /= per_work(build, flavour, vlen, words[split + 1:], kind)
    print(f"{kind} {value:.4f}")


if __name__ == "__main__":
    main()

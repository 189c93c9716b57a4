#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Draws what benches measured, with matplotlib (Debian: python3-matplotlib).

plot.py roofline OUT FILE.json...                      operations per second over operations per byte of every case, under the
                                                       limits that the cases were measured beside
plot.py scaling OUT FILE.json... --over M|N|K|T|D...   operations per second over one dimension of the names (its digits), a
                                                       line for each set of the other dimensions and backend
OUT: a file that ends in .svg or .png. Exit status 2: bad input, or no case has what is drawn.
"""
import argparse
import re
import sys

import results

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    results.refuse("matplotlib is missing: apt-get install python3-matplotlib")

COMPUTE = ("of_fma", "of_byte_dot")
MEMORY = ("of_read", "of_copy")


def limits(cases):
    """Each limit once: the median of what the cases say of it, operations or bytes per second."""
    found = {}
    for case in cases:
        for keys, rate in ((COMPUTE, "operations"), (MEMORY, "bytes")):
            for key in keys:
                told = case.counters.get(key.replace("of_", "peak_"), 0)
                if told > 0:
                    found.setdefault(key, []).append(told)
                elif case.counters.get(key, 0) > 0 and rate in case.counters:
                    found.setdefault(key, []).append(case.counters[rate] / case.counters[key])
    return {key: sorted(values)[len(values) // 2] for key, values in found.items()}


def roofline(axes, cases):
    drawn = [case for case in cases if case.counters.get("operations", 0) > 0 and case.counters.get("bytes", 0) > 0]
    if not drawn:
        results.refuse("no case counts operations and bytes")
    for backend in dict.fromkeys(case.backend for case in drawn):
        own = [case for case in drawn if case.backend == backend]
        axes.scatter([case.counters["operations"] / case.counters["bytes"] for case in own],
                     [case.counters["operations"] for case in own], label=backend or "other", s=18)
    for case in drawn:
        axes.annotate(case.problem, (case.counters["operations"] / case.counters["bytes"], case.counters["operations"]),
                      fontsize=5, xytext=(3, 2), textcoords="offset points")
    left, right = axes.get_xlim()
    left = min(max(left, 1e-3), min(case.counters["operations"] / case.counters["bytes"] for case in drawn)) / 2
    right = 2 * max(case.counters["operations"] / case.counters["bytes"] for case in drawn)
    for key, rate in limits(drawn).items():
        ends = (rate, rate) if key in COMPUTE else (rate * left, rate * right)
        axes.plot((left, right), ends, linestyle="--", linewidth=1, label=f"{key.removeprefix('of_')}: {rate:.3g}/s")
    axes.set_xlabel("operations per byte of the unpadded problem")


def scaling(axes, cases, dimension):
    lines = {}
    for case in cases:
        found = re.search(rf"(?<![A-Za-z]){re.escape(dimension)}(\d+)", case.name)
        if found and case.counters.get("operations", 0) > 0:
            rest = case.name[:found.start()] + dimension + case.name[found.end():]
            lines.setdefault(rest, []).append((int(found.group(1)), case.counters["operations"]))
    lines = {name: sorted(points) for name, points in lines.items() if len(points) > 1}
    if not lines:
        results.refuse(f"no two cases differ in {dimension} alone")
    for name, points in lines.items():
        axes.plot(*zip(*points), marker="o", label=name)
    axes.set_xlabel(dimension)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("roofline", "scaling"))
    parser.add_argument("out")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--over", default="K")
    arguments = parser.parse_args()
    if not arguments.out.endswith((".svg", ".png")):
        parser.error("the picture's name ends in .svg or .png")
    cases = [case for path in arguments.files for case in results.load(path)[1].values()]
    figure, axes = plt.subplots(figsize=(9, 6))
    if arguments.kind == "roofline":
        roofline(axes, cases)
    else:
        scaling(axes, cases, arguments.over)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("operations per second")
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(arguments.out, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Compares what benches measured.

compare.py BEFORE.json AFTER.json [--worse PERCENT]   medians of the same cases, before and after
compare.py --backends FILE.json...                    the backends side by side, as times the quickest

A case is `quicker` or `slower` when its repetitions before and after do not overlap; with fewer than three repetitions of each
nothing is claimed. Spread: half the distance between the slowest and the quickest repetition. Run benches with
--benchmark_repetitions=9 --benchmark_enable_random_interleaving, without --benchmark_report_aggregates_only. Of files of count.py the
instructions are compared: `fewer` or `more`, which --worse takes for slower.
Exit status: 0; 1 if with --worse a case became slower by more than so many percent; 2 for bad input.
"""
import argparse
import sys

import results

TOLD_BY = ("compiler", "flags", "isa", "flavour", "hwy target", "cpu", "num_cpus", "vlen", "profile")


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))))


def verdict(before, after):
    if before.counted:
        return "fewer" if after.median < before.median else "more" if after.median > before.median else "same"
    if min(len(before.times), len(after.times)) < 3:
        return "too few repetitions"
    if max(after.times) < min(before.times):
        return "quicker"
    if min(after.times) > max(before.times):
        return "slower"
    return "same"


def before_and_after(first, second, worse):
    (context, before), (other, after) = results.load(first, counts=True), results.load(second, counts=True)
    if {case.counted for case in (*before.values(), *after.values())} == {True, False}:
        results.refuse("one file has times, the other instruction counts")
    for key in TOLD_BY:
        if context.get(key) != other.get(key):
            print(f"differs: {key}: {context.get(key)} | {other.get(key)}")
    rows = [("case", "before", "spread", "after", "spread", "after/before", "")]
    failed = False
    for name in (name for name in before if name in after):
        b, a = before[name], after[name]
        ratio = a.median / b.median
        said = verdict(b, a)
        if worse is not None and said in ("slower", "more") and ratio > 1 + worse / 100:
            failed = True
            said += " (too much)"
        rows.append((name, b.median_text, f"{b.spread:.1%}", a.median_text, f"{a.spread:.1%}",
                     f"{ratio:.3f}", said))
    if len(rows) == 1:
        results.refuse("no case is in both files")
    table(rows)
    for path, names in ((first, before.keys() - after.keys()), (second, after.keys() - before.keys())):
        for name in sorted(names):
            print(f"only in {path}: {name}")
    return 1 if failed else 0


def side_by_side(paths):
    problems, backends = {}, []
    for path in paths:
        for case in results.load(path, counts=True)[1].values():
            if case.backend is None:
                continue
            if case.backend not in backends:
                backends.append(case.backend)
            cases = problems.setdefault(case.problem, {})
            if case.backend in cases:
                results.refuse(f"{path}: {case.name} was there already")
            cases[case.backend] = case
    if len({case.counted for cases in problems.values() for case in cases.values()}) > 1:
        results.refuse("some files have times, others instruction counts")
    if not problems:
        results.refuse("no case names a backend")
    rows = [("case", "quickest", *backends)]
    for problem, cases in problems.items():
        quickest = min(cases.values(), key=lambda case: case.median)
        least = quickest.median
        rows.append((problem, quickest.median_text,
                     *(f"{cases[name].median / least:.2f}" if name in cases else "-" for name in backends)))
    table(rows)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--backends", action="store_true")
    parser.add_argument("--worse", type=float, metavar="PERCENT")
    arguments = parser.parse_args()
    if arguments.backends:
        return side_by_side(arguments.files)
    if len(arguments.files) != 2:
        parser.error("two files are compared: before and after")
    return before_and_after(*arguments.files, arguments.worse)


if __name__ == "__main__":
    sys.exit(main())

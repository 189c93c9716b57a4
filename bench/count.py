#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Counts the instructions of one call of each case of a bench for riscv64, under QEMU.

count.py TESSERA_RUN CORE BENCH OUT.json [--benchmark_filter=REGEX] [--benchmark_context=KEY=VALUE]...

CORE is a profile of tessera-run (k1, k3). A line for each case: instructions, instructions per operation and per byte of the
unpadded problem, its name. OUT.json has them with the context: commit, compiler, flags, CPU, VLEN. No time is taken. Exit
status 77: no QEMU here loads plugins.
"""
import json
import re
import subprocess
import sys
import tempfile

CALL = "tessera_bench_call"
NOT_HERE = 77


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        if "plugin" in done.stderr and "case\t" not in done.stdout:
            print(done.stderr.strip(), file=sys.stderr)
            sys.exit(NOT_HERE)
        sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return [line.split("\t") for line in done.stdout.splitlines()]


def count(runner, core, bench, case):
    """The context that the program told, and the case with its counts."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        said = run([runner, "--profile", core, "--count", "--symbol", CALL, "--json", file.name, bench,
                    f"--benchmark_filter=^{re.escape(case)}$"])
        counts = json.load(open(file.name))
    context = {words[1]: words[2] for words in said if words[0] == "context"}
    found = next(words for words in said if words[0] == "case" and words[1].startswith(case))
    entry = {"name": case, **{key: float(value) for key, value in zip(found[2::2], found[3::2])}}
    calls = counts["entered"]
    entry["instructions"] = counts["total"]["instructions"] / calls
    entry["weighted"] = counts["total"]["weighted"] / calls
    entry["matrix instructions"] = counts["total"]["ime_dot"] / calls
    return context, entry


def per(entry, amount):
    return f"{entry['instructions'] / entry[amount]:.4f}" if entry.get(amount) else "-"


def main():
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    runner, core, bench, out, *options = sys.argv[1:]
    chosen = [o for o in options if o.startswith("--benchmark_filter=")]
    told = dict(o.split("=", 2)[1:] for o in options if o.startswith("--benchmark_context="))
    if len(chosen) + len(told) != len(options):
        sys.exit("count.py: only --benchmark_filter and --benchmark_context mean anything where nothing is timed")
    cases = [words[0] for words in run([runner, "--profile", core, bench, "--benchmark_list_tests", *chosen])]
    context, entries = {}, []
    print(f"{'instructions':>14} {'/operation':>11} {'/byte':>9}  case ({core})")
    for case in cases:
        context, entry = count(runner, core, bench, case)
        entries.append(entry)
        print(f"{entry['instructions']:14.0f} {per(entry, 'operations'):>11} {per(entry, 'bytes'):>9}  {case}", flush=True)
    with open(out, "w") as file:
        json.dump({"context": {**told, **context, "profile": core}, "counts": entries}, file, indent=1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Counts one matrix product and prints one figure of it, as the last word of the last line.

measure.py BACKEND FORMAT M N K VLEN FIGURE [--compiler clang|gcc]
  FIGURE: instructions, weighted      per multiply-accumulate, quantising of activations excluded
          whole                       plain instructions per multiply-accumulate, quantising included
          registers, loads            vector registers loaded, load instructions, per vmadot
          k1-cycles, a100-cycles      predicted by tessera-cost, per vmadot
measure.py --test PLUGIN PROGRAM BACKEND FORMAT M N K -- QEMU...
  checks that the retired vmadots are those of the plan, as the plugin and as the SIGILL runtime count them
Exit status 77: it cannot be measured here.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = pathlib.Path(os.environ.get("TESSERA_BUILD_ROOT", ROOT / "build"))
NOT_HERE = 77


def not_here(reason):
    print(f"not measured: {reason}", file=sys.stderr)
    sys.exit(NOT_HERE)


def loads_plugins(qemu):
    text = subprocess.run([qemu, "-h"], capture_output=True, text=True).stdout
    return any(line.startswith("-plugin") for line in text.splitlines())


def emulator(vlen):
    run = subprocess.run(["cmake", "-D", f"VLEN={vlen}", "-P", str(ROOT / "toolchains/qemu.cmake")],
                         capture_output=True, text=True)
    if run.returncode != 0:
        not_here("no qemu-riscv64")
    return run.stdout.split()


def count(plugin, qemu, program, arguments, region):
    """The plugin's counts, and the `key value` lines of the program and of the SIGILL runtime."""
    if not loads_plugins(qemu[0]):
        not_here(f"{qemu[0]} loads no plugins")
    vlen = qemu[qemu.index("-cpu") + 1].split("vlen=")[1].split(",")[0]
    with tempfile.TemporaryDirectory() as scratch:
        out = f"{scratch}/counts.json"
        run = subprocess.run(
            [*qemu, "-E", "TESSERA_TRAP_STATS=stderr", "-E", "TESSERA_TRAP_GEAR=1", "-plugin",
             f"{plugin},out={out},vlen={vlen},symbol={region}", str(program), *map(str, arguments)],
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{program} ended with {run.returncode}: {run.stdout}{run.stderr}")
        lines = [line.split() for line in (run.stdout + run.stderr).splitlines()]
        said = {" ".join(words[:-1]): int(words[-1]) for words in lines if words and words[-1].isdigit()}
        with open(out) as file:
            text = file.read()
    return json.loads(text), said, text


def product(compiler, vlen, arguments, region="tessera_cost_multiply"):
    build = BUILDS / f"riscv64-{compiler}"
    program = build / "tests/cost/tessera_cost_matmul_rvv"
    plugin = build / "emu/plugin/libtessera_count.so"
    for file in (program, plugin):
        if not file.exists():
            not_here(f"{file.relative_to(BUILDS)} is not built")
    return count(plugin, emulator(vlen), program, arguments, region)


def predicted(text, board, vmadots):
    program = BUILDS / "host-clang/emu/tessera-cost"
    if not program.exists():
        not_here("host-clang/emu/tessera-cost is not built")
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "counts.json"
        file.write_text(text)
        run = subprocess.run([program, file, "--board", board], capture_output=True, text=True, check=True)
    cycles = next(line.split()[1] for line in run.stdout.splitlines() if line.startswith("cycles "))
    return float(cycles) / vmadots


def figure(name, compiler, vlen, arguments):
    # Both functions of the program have names that hold this one.
    region = "tessera_cost_" if name == "whole" else "tessera_cost_multiply"
    counts, said, text = product(compiler, vlen, arguments, region)
    total = counts["total"]
    vmadots = total["ime_dot"]
    if counts["entered"] != (2 if name == "whole" else 1) or vmadots != said["vmadots"]:
        sys.exit(f"not the product that was planned: {counts['entered']} functions, {vmadots} vmadots")
    if name in ("instructions", "weighted", "whole"):
        return total["weighted" if name == "weighted" else "instructions"] / said["macs"]
    if vmadots == 0:
        not_here(f"{arguments[0]} has no vmadots")
    if name == "registers":
        return total["loads"]["all"]["registers"] / vmadots
    if name == "loads":
        return total["loads"]["all"]["instructions"] / vmadots
    return predicted(text, name.removesuffix("-cycles"), vmadots)


def test(words):
    split = words.index("--")
    plugin, program, *arguments = words[:split]
    counts, said, _ = count(plugin, words[split + 1:], program, arguments, "tessera_cost_multiply")
    runtime = sum(count for name, count in said.items() if name.startswith("retired smt.vmadot"))
    got = {"plugin": counts["total"]["ime_dot"], "runtime": runtime, "plan": said["vmadots"]}
    print(got)
    if said["vmadots"] == 0 or len(set(got.values())) != 1:
        sys.exit("the counts differ")


def main():
    words = sys.argv[1:]
    if words[:1] == ["--test"]:
        test(words[1:])
        return
    compiler = "clang"
    if "--compiler" in words:
        at = words.index("--compiler")
        compiler = words[at + 1]
        del words[at:at + 2]
    known = ("instructions", "weighted", "whole", "registers", "loads", "k1-cycles", "a100-cycles")
    if len(words) != 7 or words[6] not in known:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    print(f"{words[6]} {figure(words[6], compiler, words[5], words[:5]):.4f}")


if __name__ == "__main__":
    main()

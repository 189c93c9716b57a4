#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_model.py TESSERA_COST: its predictions for counts made up here, and what it refuses."""
import json
import pathlib
import subprocess
import sys
import tempfile

KINDS = ("unit", "whole", "strided", "indexed", "segment")


def counts(vlen=256, **given):
    total = {key: 0 for key in (
        "instructions", "vset", "arithmetic_registers", "divided_registers", "gathers", "gathered_elements",
        "ime_dot", "ime_float_dot", "ime_layout")}
    for direction in ("loads", "stores"):
        total[direction] = {kind: {"instructions": 0, "registers": 0, "elements": 0, "bytes": 0}
                            for kind in (*KINDS, "all")}
    total["instructions"] = 1
    for key, value in given.items():
        to, *path = total, *key.split("__")
        for part in path[:-1]:
            to = to[part]
        to[path[-1]] = value
    return {"format": "tessera-counts 1", "vlen": vlen, "total": total, "symbols": [{"name": "x", "weighted": 3}]}


def main():
    program = sys.argv[1]
    scratch = tempfile.TemporaryDirectory()
    file = pathlib.Path(scratch.name) / "counts.json"
    wrong = []

    def run(text, *options):
        file.write_text(text)
        return subprocess.run([program, str(file), *options], capture_output=True, text=True)

    def predicts(board, given, **want):
        out = run(json.dumps(given), "--board", board)
        said = dict(line.split(" ", 1) for line in out.stdout.splitlines() if not line.startswith("assumed"))
        for key, value in want.items():
            if out.returncode != 0 or said.get(key) != value:
                wrong.append(f"{board} {want}: {key} is {said.get(key)} {out.stderr}")

    def refuses(what, text, *options):
        out = run(text, *options)
        if out.returncode != 2 or what not in out.stderr or out.stdout:
            wrong.append(f"not refused for {what}: {out.returncode} {out.stderr}")

    # Blocks of 2 x 4 and 3 x 4 tiles on the K1, as published: 1.5 and 1.17 cycles a vmadot.
    predicts("k1", counts(ime_dot=8, loads__whole__registers=6, loads__whole__instructions=6),
             cycles_per_vmadot="1.500", bound="memory", cycles="12")
    predicts("k1", counts(ime_dot=12, loads__whole__registers=7, loads__whole__instructions=7),
             cycles_per_vmadot="1.167", bound="memory", matrix_busy_percent="85.7")
    # The A100 pays for instructions: 4 loads for 8 vmadots leave 8 / 72 of its peak.
    predicts("a100", counts(1024, ime_dot=8, loads__whole__registers=32, loads__whole__instructions=4),
             cycles="72", bound="memory", matrix_busy_percent="11.1")
    predicts("k1", counts(instructions=100), cycles="50", bound="issue", microseconds="0.031")
    predicts("k1", counts(divided_registers=3, arithmetic_registers=5, vset=2, gathers=1, gathered_elements=7),
             vector="38", bound="vector")
    predicts("a100", counts(1024, stores__strided__instructions=2, loads__unit__instructions=1), memory="1098")
    predicts("a100", counts(1024, ime_layout=5, ime_dot=1, ime_float_dot=1), cycles="22", bound="matrix", serial="22")

    good = json.dumps(counts())
    refuses("--board k2", good, "--board", "k2")
    refuses("usage", good)
    refuses("vlen", json.dumps(counts(1024)), "--board", "k1")
    refuses("nothing was counted", json.dumps(counts(instructions=0)), "--board", "k1")
    refuses("total.loads.unit.registers", good.replace('"registers"', '"r"'), "--board", "k1")
    refuses("format", good.replace("tessera-counts 1", "tessera-counts 2"), "--board", "k1")
    for length in range(0, len(good), 7):
        refuses("byte", good[:length], "--board", "k1")
    refuses("byte", "[" * 100, "--board", "k1")
    parameters = pathlib.Path(scratch.name) / "board.tsv"
    parameters.write_text("vlen\t256\tbits\nvlen\t256\tbits\n")
    refuses("given twice", good, "--board", "k1", "--parameters", str(parameters))
    parameters.write_text("vlen\t256\tbits\n")
    refuses("missing", good, "--board", "k1", "--parameters", str(parameters))

    print("\n".join(wrong) or "as worked out by hand")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

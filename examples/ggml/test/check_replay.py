#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_replay.py TESSERA_OP FOLDER: each operator that loading_test recorded is right when it is replayed alone, and faults
planted in copies of the records are named.

A fault of the operator is planted in what is on record: values are moved, in inputs, outputs or both, so that the output is what
the mistake would have given."""
import ast
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

KINDS = {"matmul", "matmul_experts", "attention", "rope", "rms_norm", "l2_norm", "softmax", "swiglu", "glu", "ssm_conv", "ssm_scan",
         "gated_delta_net", "gated_linear_attention", "rwkv6", "rwkv7"}
SWAP = (0, 2, 1, 3)  # heads of groups of two become heads taken in turn, and back


def read_array(path):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:begin].decode())
    assert header["descr"] == "<f4", header
    return data[:begin], header["shape"], list(struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:]))


def move(path, axis, order):
    """Index i of an axis gets what order[i] had."""
    head, shape, values = read_array(path)
    inner = 1
    for size in shape[axis % len(shape) + 1:]:
        inner *= size
    moved = list(values)
    for at in range(len(values)):
        i = at // inner % shape[axis]
        moved[at] = values[at + (order[i] - i) * inner]
    path.write_bytes(head + struct.pack(f"<{len(moved)}f", *moved))


def exchange(path, first, second):
    """Exchanges two axes of one length."""
    head, shape, values = read_array(path)
    steps = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    assert shape[first] == shape[second], shape
    moved = list(values)
    for at in range(len(values)):
        a, b = (at // steps[axis] % shape[axis] for axis in (first, second))
        moved[at] = values[at + (b - a) * steps[first] + (a - b) * steps[second]]
    path.write_bytes(head + struct.pack(f"<{len(moved)}f", *moved))


def main():
    program, recorded = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = []

    def verdict(folder):
        run = subprocess.run([program, "--in", folder], capture_output=True, text=True)
        last = (run.stdout.splitlines() or [""])[-1]
        return last.removeprefix("verdict ") if last.startswith("verdict ") else run.stdout + run.stderr

    kinds = set()
    for folder in sorted(recorded.glob("*_*")):
        record = folder / "operator.txt"
        if not record.exists():
            continue
        kinds.add(next(line[5:] for line in record.read_text().splitlines() if line.startswith("kind ")))
        if (said := verdict(folder)) not in ("equal", "only rounding"):
            wrong.append(f"{folder.name}: {said}")
    if kinds != KINDS:
        wrong.append(f"the kinds on record are {kinds}")

    def plant(what, name, change, asked=None):
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / "record"
            shutil.copytree(recorded, copy)
            change(next(copy.glob(f"*_{name}")))
            said = verdict(next(copy.glob(f"*_{asked or name}")))
            if not said.startswith(what):
                wrong.append(f"planted in {name}: {said}, not {what}")

    def moved(order, **axes):
        def change(folder):
            for name, axis in axes.items():
                move(folder / f"{name}.npy", axis, order)
        return change

    def changed_buffer(folder):
        text = (folder / "operator.txt").read_text()
        assert " produced " in text
        at = text.index(" produced ") + len(" produced ")
        (folder / "operator.txt").write_text(text[:at] + format(int(text[at:at + 16], 16) ^ 1, "016x") + text[at + 16:])

    this = "this operator is wrong: "
    plant(this + "transposed_keys", "attention", lambda folder: exchange(folder / "in1_k.npy", 0, 2))
    plant(this + "head_map", "attention", moved(SWAP, in0_q=1, in3_sinks=0, out0_out=1))
    plant(this + "transposed_weights", "wq", lambda folder: exchange(folder / "in0_b.npy", 0, 1))
    plant(this + "rope_pairing", "q", moved((0, 4, 1, 5, 2, 6, 3, 7), in0_x=2, out0_y=2))
    plant(this + "matrix_map", "scores", moved(SWAP, in1_a=0, out0_c=0))
    plant(this + "next_expert", "experts", moved((2, 0, 1), in0_b=0))
    plant(this + "head_map", "delta",
          moved(SWAP, in2_v=2, in3_log_gate=2, in4_beta=2, in5_state=1, out0_out=2, out1_state=1))
    plant(this + "reversed_taps", "conv", moved((3, 2, 1, 0), in1_weight=1))
    plant(this + "layout_shuffled", "rwkv7", moved((1, 0, 2, 3, 4, 5, 6, 7), out1_state=3))
    plant("its input was already wrong: operator ", "wq", lambda folder: exchange(folder / "in0_b.npy", 0, 1), "attention")
    plant("a buffer changed in between: changed_buffer", "attention", changed_buffer)

    print("\n".join(wrong) or f"{len(kinds)} kinds replayed, all faults named")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_counts.py BENCH_FOLDER TESSERA_RUN PROGRAM: under QEMU a bench gives instructions, and no time by any way."""
import json
import re
import subprocess
import sys
import tempfile

folder, runner, program = sys.argv[1:]
with tempfile.NamedTemporaryFile(suffix=".json") as file:
    done = subprocess.run([sys.executable, f"{folder}/count.py", runner, "k1", program, file.name,
                           "--benchmark_filter=/rvv/", "--benchmark_context=commit=abc"], capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    written = json.load(open(file.name))
assert written["counts"], "no case"
for entry in written["counts"]:
    assert 0.01 < entry["instructions"] / entry["operations"] < 10, entry
for key in ("commit", "compiler", "flags", "isa", "default backend", "vlen", "cpu", "emulator"):
    assert written["context"].get(key), f"the context has no {key}"
assert written["context"]["vlen"] == "256"
plain = subprocess.run([runner, "--profile", "k1", program, "--benchmark_filter=/rvv/"], capture_output=True, text=True)
assert plain.returncode == 0 and "case\t" in plain.stdout, plain.stderr
for text in (done.stdout, plain.stdout + plain.stderr, str(list(written["counts"][0]))):
    assert not re.search(r"\d\s*(ns|us|ms|s)\b|/s\b|[Tt]ime\b(?<!real_time)|CPU", text), text
refused = subprocess.run([runner, "--profile", "k1", program, "--benchmark_format=json"], capture_output=True, text=True)
assert refused.returncode == 2 and "no times under an emulator" in refused.stderr, refused
print(done.stdout)

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""JSON as a bench writes it, and programs that read it."""
import json
import pathlib
import subprocess
import sys

BENCH = pathlib.Path(sys.argv[1])
HERE = None  # a folder for the files, set by the test


def bench(name, cases, **context):
    """cases: {name: (times in us, operations per second, bytes per second, share of fma)}"""
    entries = []
    for case, (times, operations, bytes_read, share) in cases.items():
        for time in times:
            entries.append({"name": case, "run_name": case + "/real_time", "run_type": "iteration", "real_time": time, "time_unit": "us",
                            "operations": operations, "bytes": bytes_read, "of_fma": share})
        entries.append({"name": case + "_median", "run_name": case + "/real_time", "run_type": "aggregate", "real_time": 1e9,
                        "time_unit": "us"})
    return written(name, json.dumps({"context": context, "benchmarks": entries}))


def written(name, text):
    path = pathlib.Path(HERE) / name
    path.write_text(text)
    return str(path)


def run(program, *arguments, python=sys.executable):
    result = subprocess.run([python, str(BENCH / program), *arguments], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr

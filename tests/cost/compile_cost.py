#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""What one public header and one instantiated kernel cost to compile.

compile_cost.py BACKEND [ratio|seconds|megabytes|c_seconds|c_megabytes]     BACKEND: scalar, rvv, hwy, xsimd

Compares, with clang 19 at -O2, a unit that includes tessera/matmul.hpp and instantiates the product with q8_0 weights, with
a unit that includes only the standard and third-party headers which the first includes directly. CPU time, the least of five.
c_seconds and c_megabytes are of the whole C interface, tessera.cpp, compiled once.
The last word is the number asked for (ratio by default). Exit status 77: something needed is missing.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFIX = pathlib.Path(os.environ.get("TESSERA_PREFIX", ROOT / "build/prefix/trixie"))
COMPILER = "clang++-19"
FLAGS = {
    "scalar": [],
    "rvv": ["--target=riscv64-linux-gnu", "-march=rv64gcv"],
    "hwy": ["-march=haswell", "-maes", "-DTESSERA_ENABLE_HWY=1", "-isystem", str(PREFIX / "usr/include")],
    "xsimd": ["-march=haswell", "-DTESSERA_ENABLE_XSIMD=1", "-isystem", str(PREFIX / "usr/include")],
}
KERNEL = """#include "tessera/matmul.hpp"
using F = tessera::format::q8_0;
using B = tessera::backend::%s;
tessera::Status run(const tessera::MatmulArgs<F, tessera::tile_for<F, B>>& args) { return tessera::matmul<B>(args); }
"""
INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)


def command(backend, *words):
    return [COMPILER, "-std=c++20", "-O2", "-I", str(ROOT / "include"), *FLAGS[backend], *words]


def headers_of_others(backend, unit):
    """The headers in angle brackets that the unit or one of the library's headers includes."""
    text = subprocess.run(command(backend, "-MM", str(unit)), check=True, capture_output=True, text=True).stdout
    own = {word for word in text.replace("\\\n", " ").split() if word.startswith(str(ROOT / "include"))}
    seen = subprocess.run(command(backend, "-M", str(unit)), check=True, capture_output=True, text=True).stdout
    names = {name for path in own for name in INCLUDE.findall(pathlib.Path(path).read_text())}
    return sorted(name for name in names if f"/{name}" in seen)


def cost(backend, unit, times=5):
    """CPU seconds (the least of so many) and the compiler's peak memory in MB."""
    least = None
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command(backend, "-c", str(unit), "-o", str(unit) + ".o"), check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime
        least = spent if least is None else min(least, spent)
    return least, after.ru_maxrss / 1024


def main(backend, wanted="ratio"):
    if not shutil.which(COMPILER) or (backend in ("hwy", "xsimd") and not PREFIX.exists()):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        if wanted.startswith("c_"):
            unit = pathlib.Path(folder) / "c_interface.cpp"
            unit.write_text(f'#define TSR_BACKEND {backend}\n#include "tessera/tessera.cpp"\n')
            seconds, memory = cost(backend, unit, times=1)
            print(f"{seconds:.1f} s, {memory:.0f} MB")
            print(wanted, f"{seconds if wanted == 'c_seconds' else memory:.1f}")
            return
        kernel = pathlib.Path(folder) / "kernel.cpp"
        kernel.write_text(KERNEL % backend)
        others = pathlib.Path(folder) / "others.cpp"
        others.write_text("".join(f"#include <{name}>\n" for name in headers_of_others(backend, kernel)))
        print("others:", " ".join(headers_of_others(backend, kernel)))
        base, base_memory = cost(backend, others)  # first: the peak of all children so far is what is reported
        ours, memory = cost(backend, kernel)
    print(f"others {base:.2f} s, kernel {ours:.2f} s; {base_memory:.0f} MB, {memory:.0f} MB")
    print(wanted, f"{ {'ratio': ours / base, 'seconds': ours, 'megabytes': memory}[wanted]:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])

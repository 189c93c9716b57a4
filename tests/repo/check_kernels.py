#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Demands of every kernel in include/tessera/kernels/kernels.txt its folder, public header, test, float64
reference and bench, by name; that every kernel folder is listed; and of the C interface that tsr_build() names every kernel with
the exactness class that its public header states.

usage: check_kernels.py ROOT
"""
import glob
import os
import re
import sys


def problems(root):
    kernels = os.path.join(root, "include/tessera/kernels")
    listed, headers = {}, {}  # headers: of every kernel and function
    with open(os.path.join(kernels, "kernels.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, header, functions, _ = line.rstrip("\n").split("\t")
            headers.update({function: header for function in [name, *functions.split(", ")]})
            if name == "-":
                continue
            if name in listed:
                yield f"kernels.txt lists {name} twice"
            listed[name] = header
    for name in sorted(os.listdir(kernels)):
        if os.path.isdir(os.path.join(kernels, name)) and name not in listed:
            yield f"the folder kernels/{name} is not in kernels.txt"
    for name, header in listed.items():
        wanted = {
            "folder": f"include/tessera/kernels/{name}/*.hpp",
            "public header": f"include/tessera/{header}",
            "test": f"tests/kernels/{name}*_test.cpp",
            "reference": f"tests/reference/{name}*.hpp",
            "bench": f"bench/{name}_bench.cpp",
        }
        for what, pattern in wanted.items():
            if not glob.glob(os.path.join(root, pattern)):
                yield f"the kernel {name} has no {what} ({pattern})"
        public = os.path.join(root, wanted["public header"])
        if os.path.exists(public) and f"tessera/kernels/{name}/" not in open(public, encoding="utf-8").read():
            yield f"{header} does not include the kernel {name}"
    yield from exactness_problems(os.path.join(root, "include/tessera"), headers)


def exactness_problems(library, headers):
    def read(name):
        with open(os.path.join(library, name), encoding="utf-8") as text:
            return text.read()

    declared = re.findall(r"^TSR_KERNEL_\((\w+)\);", read("tessera.h"), re.M)
    told = re.findall(r'{"(\w+)", TSR_(\w+)}', read("tessera.cpp"))
    if [name for name, _ in told] != declared:
        yield "tsr_build() in tessera.cpp does not name the kernels of tessera.h, in their order"
    for name, exactness in told:
        if name not in headers:
            yield f"kernels.txt has no function or kernel {name}, which tessera.h declares"
            continue
        stated = re.findall(r"Exactness class: `(\w+)`", read(headers[name]))
        if stated != [exactness.lower()]:
            yield f"tsr_build() calls {name} {exactness.lower()}, {headers[name]} states {', '.join(stated) or 'no class'}"


def main():
    found = list(problems(sys.argv[1]))
    print("\n".join(found) if found else "every kernel has its header, test, reference and bench")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

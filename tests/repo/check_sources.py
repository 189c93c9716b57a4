#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Checks the source tree's rules: layers, where intrinsics may be, names, guards, licence lines.

check_sources.py ROOT          prints each breach as FILE:LINE: RULE: text; exit 1 if there is one
check_sources.py --self-test   plants one breach of each rule in a scratch tree and demands that it is found
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Each layer includes only itself and those before it. config.hpp belongs to everyone.
LAYERS = ["config", "core", "formats", "isa", "tile", "backend", "kernels", "public", "c_interface"]
INSTANCES = "include/tessera/instances"  # lists of what is compiled once: of the public layer, and made of macros

SPDX = "SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause"
CODE = {".hpp", ".h", ".cpp", ".c", ".S"}
WITHOUT_SPDX = {"LICENSE", ".clang-format-ignore", "digests.txt", "held_out.txt"}  # the last two are written by programs
DATA = {".bin", ".npy", ".png", ".json", ".safetensors"}

# Who may be named inside a file name: what a thing does, not how its author felt about it.
VAGUE_NAMES = {"fast", "new", "old", "opt", "util", "utils", "misc", "helper", "helpers", "tmp", "stuff"}
FILE_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*(\.S)?")
HYPHENS_ALLOWED = {"toolchains"}
FIXED_NAMES = {"CMakeLists.txt", "README.md"}

# Paths of somebody's machine and addresses of mirrors.
MACHINE = re.compile(r"/(work|root|home/\w+)/|(deb|ftp|security)\.debian\.org|\bpackages\.\w+\.\w+/")

INTRINSIC = re.compile(
    r"\b_mm\d*_\w+|\b__m\d{3}[di]?\b|\b__builtin_(ia32|rvv|riscv|neon|aarch64)\w*"
    r"|\b__riscv_(?!v\b|v_|vector\b)(v|th_|sf_)[a-z]\w*"
    r"|\bv(u?int|float|bfloat|bool)\d+(m[f1248]\w*)?_t\b|\bv\w+q_[fsu]\d+\b"
    r"|\b(hwy|xsimd)::"
)
ASM = re.compile(r"\b(asm|__asm__|__asm)\b")
EMPTY_ASM = re.compile(r'\b(asm|__asm__)\s*(volatile|__volatile__)?\s*\(\s*""')
ASM_EXCEPTION = "include/tessera/core/rounded.hpp"
VENDOR_INCLUDE = re.compile(r"^(hwy|xsimd)/|intrin\.h$|^riscv_vector\.h$|^arm_\w+\.h$")

HEADER_NEVER = re.compile(
    r"\bthrow\b|\bdynamic_cast\b|\btypeid\b|\bnew\b(?!\s*\()|\b(malloc|calloc|realloc)\s*\(|\bthread_local\b"
)
HEAVY_INCLUDE = {
    "iostream", "ostream", "istream", "sstream", "fstream", "vector", "string", "memory", "map", "unordered_map",
    "functional", "stdexcept", "exception", "typeinfo", "thread", "mutex", "list", "deque", "set", "any", "regex",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def tree_files(root):
    """Files that are or could be committed; a tree without git is walked."""
    try:
        text = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode()
        names = [name for name in text.split("\0") if name]
    except (subprocess.CalledProcessError, FileNotFoundError):
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        names = [name for name in names if name != ".git" and not name.startswith(("build/", ".git/"))]
    return sorted({name for name in names if (root / name).is_file()})


def without_comments(text):
    """The text with comments and the insides of string literals blanked, line numbers kept."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return token[0] + token[-1] if "\n" not in token else token
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def layer_of(path):
    """The layer of a path relative to include/, such as tessera/core/status.hpp."""
    parts = pathlib.PurePosixPath(path).parts
    if len(parts) == 2:
        return {"config.hpp": "config", "tessera.cpp": "c_interface"}.get(parts[1], "public")
    if parts[1] == "instances":
        return "public"
    return parts[1] if parts[1] in LAYERS else None


def check_includes(name, lines):
    inside = name.startswith("include/tessera/")
    own = layer_of(name[len("include/"):]) if inside else None
    if inside and own is None:
        yield 1, "layer", "no such layer"
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        if inside and VENDOR_INCLUDE.search(target) and own != "backend":
            yield number, "vendor", f"{target} may be included under backend/ only"
        elif inside and quote == '"' and not target.startswith("tessera/"):
            yield number, "include-path", f"{target} is not spelled from tessera/ on"
        elif inside and quote == "<" and target in HEAVY_INCLUDE:
            yield number, "heavy", f"<{target}> has no place in a header"
        if inside and target.startswith("tessera/"):
            other = layer_of(target)
            if other is None or LAYERS.index(other) > LAYERS.index(own):
                yield number, "layer", f"{own} may not include {target}"
        if name.startswith("tests/reference/") and re.match(r"tessera/(tile|isa|backend)/", target):
            yield number, "layer", f"the reference may not include {target}"


def check_code(name, text):
    code = without_comments(text).split("\n")
    for number, line in enumerate(code, 1):
        if INCLUDE.match(line):
            continue
        if not name.startswith("include/tessera/backend/"):
            found = INTRINSIC.search(line)
            if found:
                yield number, "intrinsic", found.group(0)
            if ASM.search(line) and not (name == ASM_EXCEPTION and EMPTY_ASM.search(line)):
                yield number, "asm", line.strip()
        found = HEADER_NEVER.search(line)
        if found and not name.endswith("tessera.cpp"):
            yield number, "header-never", found.group(0)
        if re.match(r"\s*#\s*define\b", line):
            macro = line.split()[1] if "# define" not in line else line.split()[2]
            if not (name.endswith("/config.hpp") or name.endswith(("tessera.h", "tessera.cpp", "ime.h"))
                    or macro == guard_of(name) or name.startswith(INSTANCES)):
                yield number, "macro", f"{macro}: the closed list of macros is in config.hpp"
        if name.startswith("include/tessera/kernels/") and re.match(r"\s*#\s*(if|ifdef|elif)\b", line):
            yield number, "ifdef", "a kernel is one text for all backends"


def guard_of(name):
    return re.sub(r"[^A-Za-z0-9]", "_", name[len("include/"):]).upper() + "_"


def check_guard(name, text):
    if "#pragma once" in text:
        yield 1, "guard", "use an include guard"
    elif f"#ifndef {guard_of(name)}\n#define {guard_of(name)}\n" not in text:
        yield 1, "guard", f"the guard is {guard_of(name)}"


def check_name(name):
    path = pathlib.PurePosixPath(name)
    for part in path.parts:
        plain = part.lower().lstrip(".")
        if set(re.split(r"[_.\-]", plain)) & VAGUE_NAMES:
            yield 1, "file-name", f"{part} says nothing about its content"
    folder = path.parts[0]
    if len(path.parts) > 1 and path.name not in FIXED_NAMES and not folder.startswith("."):
        stem = path.name.replace("-", "_") if folder in HYPHENS_ALLOWED else path.name
        if folder in HYPHENS_ALLOWED:
            stem = stem.lower()
        if not FILE_NAME.fullmatch(stem):
            yield 1, "file-name", f"{path.name} is not snake_case"


def check_file(root, name):
    yield from check_name(name)
    path = root / name
    if path.suffix in DATA:
        return
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        yield 1, "text", "not UTF-8"
        return
    lines = text.split("\n")
    if path.name not in WITHOUT_SPDX and not any(SPDX in line for line in lines[:3]):
        yield 1, "spdx", f"no {SPDX} in the first lines"
    for number, line in enumerate(lines, 1):
        found = MACHINE.search(line)
        if found:
            yield number, "machine", f"{found.group(0)} is of somebody's machine"
    if path.suffix in CODE:
        yield from check_includes(name, lines)
        if name.startswith("include/"):
            yield from check_code(name, text)
    if name.startswith("include/") and path.suffix in {".hpp", ".h"}:
        yield from check_guard(name, text)


def check_tree(root):
    return [(name, *breach) for name in tree_files(root) for breach in check_file(root, name)]


def header(name, body):
    return f"// {SPDX}\n#ifndef {guard_of(name)}\n#define {guard_of(name)}\n{body}\n#endif\n"


def planted():
    """(path, content, rule): one breach each; rule None means that the file is right."""
    def lib(path, body, rule):
        name = f"include/tessera/{path}"
        return name, header(name, body), rule
    machine = "/" + "work/"
    return [
        lib("core/a.hpp", '#include <cstdint>\n#include "tessera/config.hpp"', None),
        lib("backend/rvv/a.hpp", '#include <riscv_vector.h>\n#include "tessera/tile/a.hpp"\nvint8m1_t f();', None),
        lib("core/rounded.hpp", 'inline float f(float x) { asm("" : "+r"(x)); return x; }', None),
        lib("core/words.hpp", "// a new asm, thrown in a comment: _mm_add_ps\n#if defined(__riscv_vector)\n#endif", None),
        lib("core/b.hpp", '#include "tessera/tile/a.hpp"', "layer"),
        lib("formats/b.hpp", '#include "tessera/isa/ime/all.hpp"', "layer"),
        lib("backend/b.hpp", '#include "tessera/kernels/matmul/a.hpp"', "layer"),
        lib("matmul.hpp", '#include "tessera/c_interface/a.hpp"', "layer"),
        lib("c_interface/b.hpp", '#include "tessera/matmul.hpp"\n#include "tessera/tessera.h"', None),
        lib("kernels/a/b.hpp", '#include "tessera/matmul.hpp"', "layer"),
        lib("elsewhere/b.hpp", "", "layer"),
        lib("kernels/a/c.hpp", "#include <immintrin.h>", "vendor"),
        lib("core/c.hpp", "#include <riscv_vector.h>", "vendor"),
        lib("core/d.hpp", '#include "hwy/highway.h"', "vendor"),
        lib("tile/d.hpp", "#include <xsimd/xsimd.hpp>", "vendor"),
        lib("core/e.hpp", '#include "status.hpp"', "include-path"),
        lib("core/f.hpp", "#include <vector>", "heavy"),
        lib("kernels/a/d.hpp", "auto x = _mm256_add_ps(a, b);", "intrinsic"),
        lib("kernels/a/e.hpp", "auto x = __riscv_vadd(a, b, vl);", "intrinsic"),
        lib("kernels/a/f.hpp", "vfloat32m1_t x;", "intrinsic"),
        lib("kernels/a/g.hpp", 'inline void f() { asm volatile("nop"); }', "asm"),
        lib("isa/ime/g.hpp", 'inline void f() { __asm__(""); }', "asm"),
        lib("core/g.hpp", "inline int* f() { return new int; }", "header-never"),
        lib("core/h.hpp", "inline void f() { throw 1; }", "header-never"),
        lib("core/i.hpp", "#define TESSERA_MORE 1", "macro"),
        lib("kernels/a/h.hpp", "#ifdef __AVX2__\n#endif", "ifdef"),
        ("include/tessera/core/j.hpp", f"// {SPDX}\n#pragma once\n", "guard"),
        ("include/tessera/core/k.hpp", f"// {SPDX}\n#ifndef K_HPP\n#endif\n", "guard"),
        ("tests/core/a_test.cpp", "int main() {}\n", "spdx"),
        ("tests/core/BadName.cpp", f"// {SPDX}\n", "file-name"),
        ("tests/core/misc_test.cpp", f"// {SPDX}\n", "file-name"),
        ("tests/reference/a.hpp", f'// {SPDX}\n#include "tessera/tile/a.hpp"\n', "layer"),
        ("toolchains/a.sh", f"# {SPDX}\ncd {machine}x\n", "machine"),
        ("toolchains/b.sh", f"# {SPDX}\nhttp://deb." + "debian.org/debian\n", "machine"),
    ]


def self_test():
    failures = 0
    for name, content, rule in planted():
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / name
            path.parent.mkdir(parents=True)
            path.write_text(content, encoding="utf-8")
            found = {breach[2] for breach in check_tree(pathlib.Path(scratch))}
        if found != ({rule} if rule else set()):
            failures += 1
            print(f"{name}: planted {rule}, found {sorted(found)}")
    print(f"{len(planted())} planted files, {failures} misjudged")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0]).resolve()
    breaches = check_tree(root)
    for name, line, rule, text in breaches:
        print(f"{name}:{line}: {rule}: {text}")
    print(f"{len(tree_files(root))} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

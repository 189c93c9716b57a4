#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check.py ROOT SCRATCH COMPILER: does what the recipes of include/README.md say, and nothing else.

A copy of the library gets a made-up format, backend, instruction and kernel: the files of added/ and the lines below. What a
recipe's lines touch must be named in that recipe. Then main.cpp is compiled against the copy and run.
"""
import pathlib
import re
import shutil
import subprocess
import sys

root, scratch, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
here = root / "tests/recipes"
library = "include/tessera"

# Recipe: added files or folders, then (file, the line that is there, what it becomes).
RECIPES = {
    "format": (["formats/q4_mid.hpp"], [
        ("formats/all.hpp", "format::q4_1,", "format::q4_1, format::q4_mid,"),
        ("formats/all.hpp", '#include "tessera/formats/q4_1.hpp"', '#include "tessera/formats/q4_1.hpp"\n#include "tessera/formats/q4_mid.hpp"'),
        ("formats/format_id.hpp", "q2_0 = 42,", "q2_0 = 42,\n  q4_mid = 1000,"),
    ]),
    "backend": (["backend/pairs"], [
        ("backend/list.hpp", "TypeList<backend::scalar,", "TypeList<backend::scalar, backend::pairs,"),
        ("backend/list.hpp", '#include "tessera/backend/scalar/backend.hpp"', '#include "tessera/backend/pairs/backend.hpp"\n#include "tessera/backend/scalar/backend.hpp"'),
    ]),
    "instruction": (["isa/ime/insns/vrev.hpp"], [
        ("isa/ime/all.hpp", "Vnspack4>;", "Vnspack4, Vrev>;"),
        ("isa/ime/all.hpp", "instruction_count == 46", "instruction_count == 47"),
        ("isa/ime/all.hpp", '#include "tessera/isa/ime/insns/vupack.hpp"', '#include "tessera/isa/ime/insns/vrev.hpp"\n#include "tessera/isa/ime/insns/vupack.hpp"'),
        ("../../tests/isa/golden_words.hpp", "golden_words[] = {", 'golden_words[] = {\n    {"smt.vrev.vv v2, v4, v5, 1", 0x6a52112b, "made up"},'),
    ]),
    "kernel": (["kernels/negate", "negate.hpp"], [
        ("kernels/kernels.txt", "\nswiglu\t", "\nnegate\tnegate.hpp\tnegate\tthe other sign\nswiglu\t"),
        ("tessera.h", "typedef struct tsr_swiglu_args {", "typedef struct tsr_negate_args {\n  tsr_abi abi;\n  tsr_const_matrix x;\n"
         "  tsr_matrix y;\n} tsr_negate_args;\n\ntypedef struct tsr_swiglu_args {"),
        ("tessera.h", "TSR_INIT_ZEROS_(swiglu,", "TSR_INIT_ZEROS_(negate, tsr_negate_args)\nTSR_INIT_ZEROS_(swiglu,"),
        ("tessera.h", "TSR_KERNEL_(swiglu);", "TSR_KERNEL_(negate);\nTSR_KERNEL_(swiglu);"),
        ("tessera.cpp", "TSR_DEFINE_(swiglu)", "TSR_DEFINE_(negate)\nTSR_DEFINE_(swiglu)"),
        ("tessera.cpp", '{"swiglu", TSR_IDENTICAL},', '{"negate", TSR_EXACT},\n      {"swiglu", TSR_IDENTICAL},'),
        ("c_interface/rows.hpp", "template <class B>\nStatus call(const tsr_swiglu_args&", """template <class B>
Status call(const tsr_negate_args& c, const Request& r) noexcept {
  return answer<B>(
      NegateArgs{view(c.x), view(c.y)}, r,
      [](const auto& args, std::size_t, UnitRange range) { return negate<B>(args, range); });
}

template <class B>
Status call(const tsr_swiglu_args&"""),
        ("c_interface/rows.hpp", '#include "tessera/norm.hpp"', '#include "tessera/negate.hpp"\n#include "tessera/norm.hpp"'),
    ]),
}


def recipe_text(name):
    sections = re.split(r"^## Adding an? ", (root / "include/README.md").read_text(), flags=re.M)
    return next(text for text in sections if text.startswith(name + "\n"))


def named(path, text):
    """Is the file, or a folder that it is in, spelled in the recipe?"""
    path = path.removeprefix("../../")
    if path == "negate.hpp":
        return "public header" in text
    return f"`{path}`" in text or f"`{path.rsplit('/', 1)[0]}/`" in text


def run(*words):
    done = subprocess.run([str(w) for w in words], cwd=scratch, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


shutil.rmtree(scratch, ignore_errors=True)
shutil.copytree(root / "include", scratch / "include")
(scratch / "tests/isa").mkdir(parents=True)
shutil.copy(root / "tests/isa/golden_words.hpp", scratch / "tests/isa")
for name, (added, lines) in RECIPES.items():
    text = recipe_text(name)
    for path in added:
        source, target = here / "added" / library / path, scratch / library / path
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        assert named(path, text), f"the recipe for a {name} does not name the place of {path}"
    for path, old, new in lines:
        assert named(path, text), f"the recipe for a {name} does not name {path}"
        file = scratch / library / path
        before = file.read_text()
        assert before.count(old) == 1, f"{path} has {before.count(old)} times {old}"
        file.write_text(before.replace(old, new))

# What else a kernel needs is demanded by name, and nothing more.
for folder in ("tests/kernels", "tests/reference", "bench"):
    shutil.copytree(root / folder, scratch / folder, ignore=shutil.ignore_patterns("check", "op", "diff", "dumps", "replay"))
status, said = run(sys.executable, root / "tests/repo/check_kernels.py", ".")
missing = {f"the kernel negate has no {what}" for what in ("test", "reference", "bench")}
assert status == 1 and {line.split(" (")[0] for line in said.splitlines()} == missing, said
for path in ("tests/kernels/negate_test.cpp", "tests/reference/negate.hpp", "bench/negate_bench.cpp"):
    (scratch / path).touch()
status, said = run(sys.executable, root / "tests/repo/check_kernels.py", ".")
assert status == 0, said

status, said = run(compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-I.", "-DTSR_PART_ROWS",
                   here / "main.cpp", "include/tessera/tessera.cpp", "-o", "recipes")
assert status == 0, said
status, said = run("./recipes")
print(said, end="")
sys.exit(status)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""The tables of README.md that say what there is, from the lists that the library itself runs over: kernels/kernels.txt,
formats/all.hpp, backend/list.hpp, isa/ime/all.hpp and what the files behind them say.

usage: support_tables.py ROOT [--check]

Writes each table between its markers; --check only says whether README.md has what would be written (status 1: it has not).
"""
import pathlib
import re
import sys

BEGIN, END = "<!-- {}: written by dev.sh tables -->", "<!-- end of {} -->"


class Lists:
    def __init__(self, root):
        self.library = root / "include/tessera"

    def read(self, path):
        return (self.library / path).read_text(encoding="utf-8")

    def kernels(self):
        """(functions, header, what it does) of each line of the list."""
        for line in self.read("kernels/kernels.txt").splitlines():
            if line.startswith("#"):
                continue
            _, header, functions, text = line.split("\t")
            public = self.read(header)
            for name in functions.split(", "):
                if not re.search(rf"\bStatus {name}\(", public):
                    sys.exit(f"{header} declares no function {name}")
            yield functions, header, text

    def format_names(self):
        """Of the three lists of formats, in their order."""
        text = self.read("formats/all.hpp")
        found = re.findall(r"using (\w+) =\s*TypeList<(.*?)>;", text, re.S)
        if [name for name, _ in found] != ["all_formats", "nbits_formats", "row_formats"]:
            sys.exit("formats/all.hpp has other lists than all_formats, nbits_formats and row_formats")
        return [re.findall(r"format::(\w+)", types) for _, types in found]

    def format_facts(self, name):
        """Elements and bytes of a block."""
        path = f"formats/{name.lower()}.hpp"
        text = self.read(path)
        group, size = (re.search(rf"static constexpr std::size_t {what} = (\d+);", text) for what in ("group", "block_bytes"))
        if group:
            return int(group[1]), int(size[1])
        bits = re.search(r"\d+", name)
        if "FloatFormat" not in text or not bits:
            sys.exit(f"{path} does not spell group and block_bytes as numbers")
        return 1, int(bits[0]) // 8

    def backends(self):
        text = self.read("backend/list.hpp")
        lists = re.findall(r"(?:TypeList|append)<((?:backend::\w+(?:<ime::\w+>)?(?:, )?)+)>", text)
        return [b for group in lists for b in re.findall(r"backend::(\w+(?:<ime::\w+>)?)", group)]

    def backend_facts(self, backend):
        folder, _, profile = backend.partition("<ime::")
        text = self.read(f"backend/{folder}/backend.hpp")
        where = re.search(r"/// \\file\n/// The \w+ backend: (.*?)\.\n#", text, re.S)
        via = [re.search(rf'{what}_via = "([^"]+)"', text) for what in ("dot", "float", "vector")]
        if not where or not all(via):
            sys.exit(f"backend/{folder}/backend.hpp does not say where it runs, or by what")
        return [self.int8_tiles(folder, profile.rstrip(">")), *(v[1] for v in via), " ".join(where[1].replace("///", "").split())]

    def int8_tiles(self, folder, profile):
        if profile:
            shapes = re.findall(rf"dot_tile\({profile}, Element::int8\) == Tile{{(\d+), (\d+), (\d+)}}", self.read("isa/ime/geometry.hpp"))
        else:
            text = self.read("tile/tile.hpp")
            known = {n: s for n, *s in re.findall(r"using (\w+) = Tile<(\d+), (\d+), (\d+)>", text)}
            packed = re.findall(r"tile::(\w+)", re.search(r"all_int8_tiles =\s*TypeList<(.*?)>", text, re.S)[1])
            files = (self.library / "backend" / folder).glob("*.hpp")
            used = {name for file in files for name in re.findall(r"tile::(\w+)", file.read_text(encoding="utf-8"))}
            shapes = [known[name] for name in packed if name in used]
        if not shapes:
            sys.exit(f"backend/{folder} names no int8 tile")
        return ", ".join("x".join(shape) for shape in shapes)

    def mnemonics(self):
        """Of each instruction, without its data type."""
        types = re.search(r"using Instructions = InstructionList<(.*?)>;\n", self.read("isa/ime/all.hpp"), re.S)[1]
        of = {}
        for path in sorted((self.library / "isa/ime/insns").glob("*.hpp")):
            of.update(re.findall(r'struct (\w+)[^{;]*{\s*static constexpr const char\* mnemonic = "([^"]+)"', path.read_text()))
        names = [name for name in re.findall(r"\w+", re.sub(r"//.*", "", types)) if name not in ("Element", "int8", "int4")]
        return list(dict.fromkeys(of[name] for name in names)), len(names)


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def kernels(lists):
    yield from table(["kernel", "header", "what it does"], ([f, f"`{h}`", t] for f, h, t in lists.kernels()))


def formats(lists):
    blocks, nbits, rows = lists.format_names()
    facts = {name: lists.format_facts(name) for name in blocks}
    yield from table(["format", "elements of a block", "bytes", "bits per weight"], (
        [f"`{name}`", str(group), str(size), f"{8 * size / group:g}"] for name, (group, size) in facts.items()))
    yield ""
    yield f"Beside them, as arrays and not as blocks of a file: `{nbits[0]}<...>` (four bits, as MatMulNBits has them) and " + \
        " and ".join(f"`{name}`" for name in rows) + " (eight bits, a scale and a zero point per row)."


def backends(lists):
    yield from table(["backend", "int8 tile", "int8", "f32", "vectors", "where"], (
        [f"`{name}`", *lists.backend_facts(name)] for name in lists.backends()))


def instructions(lists):
    names, count = lists.mnemonics()
    yield f"{count} matrix instructions (int8 and int4 forms counted apart) are modelled, executed and disassembled:"
    line = ""
    for i, name in enumerate(names):
        word = f"`{name.removeprefix('smt.')}`" + ("," if i + 1 < len(names) else ".")
        if len(line) + len(word) > 118:
            yield line
            line = ""
        line += (" " if line else "") + word
    yield line


def main():
    root = pathlib.Path(sys.argv[1])
    lists = Lists(root)
    readme = root / "README.md"
    text = before = readme.read_text(encoding="utf-8")
    for make in (kernels, formats, backends, instructions):
        begin, end = BEGIN.format(make.__name__), END.format(make.__name__)
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"README.md has no place for the {make.__name__}: {begin} ... {end}")
        head, rest = text.split(begin)
        text = head + begin + "\n" + "\n".join(make(lists)) + "\n" + end + rest.split(end)[1]
    if "--check" not in sys.argv:
        readme.write_text(text, encoding="utf-8")
    elif text != before:
        for old, new in zip(before.splitlines(), text.splitlines()):
            if old != new:
                print(f"README.md has\n  {old}\nand the lists say\n  {new}")
                break
        print("README.md is not what the lists say: run toolchains/dev.sh tables")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

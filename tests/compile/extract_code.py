#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Writes the C++ or C blocks of Markdown files out as programs.

extract_code.py [--c] OUT_DIR FILE...    each block between ```cpp and ``` becomes OUT_DIR/STEM_LINE.cpp (--c: between ```c
                                         and ```, .c); prints a line for each: its path, a tab and what the block says
                                         the program prints

Every block must be a whole program and say in a comment what it prints, so that what a reader copies is what was run.
FILE is relative to the current folder.
"""
import pathlib
import re
import sys

PRINTS = re.compile(r"// prints: (.+)")
BLOCK = r"^```%s\n(.*?)^```$"


def programs(path, language):
    text = path.read_text()
    for match in re.finditer(BLOCK % language, text, re.S | re.M):
        line = text.count("\n", 0, match.start(1)) + 1
        yield line, match.group(1)


def main(arguments):
    language = "cpp"
    if arguments[0] == "--c":
        language = arguments.pop(0)[2:]
    out = pathlib.Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    for name in arguments[1:]:
        path = pathlib.Path(name)
        for line, code in programs(path, language):
            prints = PRINTS.search(code)
            if "int main(" not in code or not prints:
                sys.exit(f"{name}:{line}: not a whole program that says what it prints")
            stem = re.sub(r"\W", "_", str(path.with_suffix("")))
            unit = out / f"{stem}_{line}.{language}"
            text = f'#line {line} "{path.resolve()}"\n{code}'
            if not unit.exists() or unit.read_text() != text:
                unit.write_text(text)
            print(unit, prints.group(1).strip(), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])

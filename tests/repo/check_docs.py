#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_docs.py ROOT: what a reader of the Markdown pages would type is there.

Blocks are cpp or c (which tests/compile and tests/c_interface compile), sh, or plain text of what is printed; a sh block is a shell's
text; every command of dev.sh that a page names is one, and every file or folder of the repository that it names exists.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = "bench|emu|examples|include|tests|toolchains"


def problems(root, page, commands):
    text = page.read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        if language not in ("cpp", "c", "sh", ""):
            yield f"a block of {language}, which nothing tests"
        if language == "c" and page != root / "README.md":
            yield "a block of C; those of README.md alone are compiled"
        if language == "sh" and subprocess.run(["bash", "-n"], input=block, text=True, capture_output=True).returncode != 0:
            yield f"no shell reads this: {block}"
    for command in re.findall(r"dev\.sh ([a-z][a-z0-9-]*)", text):
        if command not in commands:
            yield f"dev.sh has no command {command}"
    for path in re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w./-]*\w/?)", text):
        if not any((base / path).exists() for base in (root, page.parent, root / "include")):
            yield f"there is no {path}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [root / p for p in subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True).stdout.split()]
    pages = pages or [p for p in root.glob("**/*.md") if "build" not in p.relative_to(root).parts]
    if not pages:
        sys.exit("no page was found")
    commands = re.findall(r"^  ([a-z0-9-]+)\) cmd_", (root / "toolchains/dev.sh").read_text(), re.M)
    found = [f"{page.relative_to(root)}: {what}" for page in pages for what in problems(root, page, commands)]
    print("\n".join(found) if found else f"{len(pages)} pages, nothing missing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""initramfs.py OUT INIT PROGRAM...: writes a cpio archive (newc) with a console, /init, the programs under /bin, and a list of
them, with the words that follow a ':' in their argument, in /programs."""
import pathlib
import stat
import sys


def entry(number, name, mode, data=b"", device=(0, 0)):
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return padded(head) + padded(data)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def main(out, init, *programs):
    executable = stat.S_IFREG | 0o755
    entries = [("dev", stat.S_IFDIR | 0o755, b"", (0, 0)),
               ("dev/console", stat.S_IFCHR | 0o600, b"", (5, 1)),
               ("bin", stat.S_IFDIR | 0o755, b"", (0, 0)),
               ("init", executable, pathlib.Path(init).read_bytes(), (0, 0))]
    lines = []
    for program in programs:
        path, _, words = program.partition(":")
        name = pathlib.Path(path).name
        entries.append((f"bin/{name}", executable, pathlib.Path(path).read_bytes(), (0, 0)))
        lines.append(f"/bin/{name} {words}".strip())
    entries.append(("programs", stat.S_IFREG | 0o644, "".join(line + "\n" for line in lines).encode(), (0, 0)))
    with open(out, "wb") as archive:
        for number, (name, mode, data, device) in enumerate(entries, 1):
            archive.write(entry(number, name, mode, data, device))
        archive.write(entry(0, "TRAILER!!!", 0))


main(*sys.argv[1:])

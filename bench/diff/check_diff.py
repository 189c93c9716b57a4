#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""tessera-diff end to end: every kind of file and report, the order of the tensors, and files it must refuse.

usage: check_diff.py PROGRAM
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

FAILURES = []


def check(what, condition, shown=""):
    if not condition:
        FAILURES.append(what)
        print(f"FAILED: {what} {shown}")


def npy(shape, values, descr="<f4", pack="f", fortran="False", version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({''.join(f'{n}, ' for n in shape)}), }}\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + struct.pack(f"<{len(values)}{pack}", *values)


def safetensors(tensors, raw_header=None):
    header, data = {"__metadata__": {"made": ["by", {"this": "test"}]}}, b""
    for name, (dtype, shape, body) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = raw_header if raw_header is not None else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def bf16(values):
    return b"".join(struct.pack("<f", v)[2:] for v in values)


class Case:
    """Two folders of files and one run of the program on them."""

    def __init__(self, program, scratch):
        self.program = program
        self.scratch = scratch
        self.number = 0

    def folder(self, files):
        self.number += 1
        path = os.path.join(self.scratch, str(self.number))
        os.mkdir(path)
        for name, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
            with open(os.path.join(path, name), "wb") as file:
                file.write(content)
        return path

    def run(self, a, b, *options):
        a = self.folder(a) if isinstance(a, dict) else a
        b = self.folder(b) if isinstance(b, dict) else b
        done = subprocess.run([self.program, a, b, *options], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        return done.returncode, lines[-1] if lines else "", done.stdout, done.stderr

    def expect(self, what, code, pattern, a, b, *options):
        status, last, out, err = self.run(a, b, *options)
        text = err if code == 2 else last
        check(what, status == code and re.search(pattern, text), f"exit {status}: {text!r}\n{out}{err}")
        return out

    def refuse(self, what, pattern, files):
        """The one file in `files` is named, with the rule."""
        good = {"x.npy": npy([4], [1, 2, 3, 4])}
        status, _, out, err = self.run(files, good)
        named = any(name.rsplit(".", 1)[0] in err for name in files)
        check(f"refuse {what}", status == 2 and named and re.search(pattern, err) and err.count("\n") == 1,
              f"exit {status}: {err!r} {out!r}")


def on_terminal(command, **variables):
    """What a program writes to a terminal."""
    ours, its = os.openpty()
    environment = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **variables}
    with subprocess.Popen(command, stdout=its, env=environment):
        os.close(its)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return text.decode()


def drawn(count, seed=1):
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in range(count)]


def check_verdicts(case):
    x = drawn(96)
    near = [v * (1 + 1e-6) for v in x]
    wrong = drawn(96, 2)
    turned = [x[r * 12 + c] for c in range(12) for r in range(8)]
    one = lambda values, shape=(8, 12): {"x.npy": npy(shape, values)}
    none = "^first divergence none$"
    case.expect("equal", 0, none, one(x), one(x))
    case.expect("rounding", 0, none, one(near), one(x))
    case.expect("a stricter limit", 1, "^first divergence x wrong sensitive 1e-06|sensitive 1.0e-06",
                one(near), one(x), "--limit", "1e-8")
    case.expect("wrong", 1, r"^first divergence x wrong sensitive \S+ insensitive 0\.\d+$", one(wrong), one(x))
    out = case.expect("transposed", 1, r"^first divergence x layout sensitive 1\.\d+ insensitive 0$", one(turned), one(x))
    check("the axes are named", "axes 0 and 1 exchanged" in out, out)
    out = case.expect("a factor", 1, "wrong", one([8 * v for v in x]), one(x))
    check("the factor is named", "8 times the reference" in out, out)
    big = [70000.0 * v for v in x]
    out = case.expect("overflow", 1, "wrong", one([v if abs(v) < 65504 else v * float("inf") for v in big]), one(big))
    check("the overflow is named", "beyond f16" in out, out)
    case.expect("other sizes", 1, "wrong sensitive inf", one(x[:4], [4]), one(x))
    case.expect("one of them is missing", 1, none, one(x), {**one(x), "y.npy": npy([1], [1])})
    case.expect("only common ones", 0, none, one(x), {**one(x), "y.npy": npy([1], [1])}, "--common")
    case.expect("nothing in common", 2, "no tensor in common", {"y.npy": npy([1], [1])}, one(x))
    case.expect("empty tensors", 0, none, one([], [0, 3]), one([], [0, 3]))


def check_files(case):
    x = [1.0, -2.0, 0.5, 3.0, 0.25, 8.0]
    reference = {"x.npy": npy([2, 3], x)}
    none = "^first divergence none$"
    column = [x[0], x[3], x[1], x[4], x[2], x[5]]
    same = {
        "fortran": {"x.npy": npy([2, 3], column, fortran="True")},
        "version 2": {"x.npy": npy([2, 3], x, version=2)},
        "f16": {"x.npy": npy([2, 3], x, "<f2", "e")},
        "f64": {"x.npy": npy([2, 3], x, "<f8", "d")},
        "safetensors": {"m.safetensors": safetensors({"x": ("F32", [2, 3], floats(x))})},
        "bf16": {"m.safetensors": safetensors({"y": ("I64", [1], bytes(8)), "x": ("BF16", [2, 3], bf16(x))})},
        "raw": {"x.raw": floats(x), "x.shape": b"f32 2 3\n"},
        "bin": {"x.bin": bf16(x), "x.shape": b"bf16 2 3", "other.bin": b"what"},
    }
    for what, files in same.items():
        case.expect(what, 0, none, files, reference, "--common")
    case.expect("integers", 0, none, {"x.npy": npy([2], [-3, 5], "<i4", "i")},
                {"m.safetensors": safetensors({"x": ("I8", [2], struct.pack("bb", -3, 5))})})
    case.expect("a file each", 0, none, os.path.join(case.folder(reference), "x.npy"),
                os.path.join(case.folder(reference), "x.npy"))


def check_order(case):
    good = {f"{n}_{name}.npy": npy([1], [1]) for n, name in ((2, "b"), (10, "a"), (1, "c"))}
    bad = {name: npy([1], [2]) for name in good}
    case.expect("numbers", 1, "first divergence 1_c ", bad, good)
    case.expect("numbers beyond 9", 1, "first divergence 2_b ", {**bad, "1_c.npy": npy([1], [1])}, good)
    manifest = {"manifest.txt": b"# graph order\n10_a\n1_c.npy\n"}
    case.expect("manifest", 1, "first divergence 10_a ", bad, {**good, **manifest})
    case.expect("manifest of others", 2, "names none", bad, {**good, "manifest.txt": b"x\n"})
    case.expect("only", 1, "first divergence 2_b ", bad, good, "--only", "^2_|^10")
    case.expect("only none", 2, "--only z: matches no", bad, good, "--only", "z")
    deep = lambda v: {"l2/x.npy": npy([1], [v]), "l10/x.npy": npy([1], [v]), "l2.npy": npy([1], [1])}
    case.expect("folders", 1, "first divergence l2/x ", deep(2), deep(1))
    case.expect("numbered otherwise", 0, "first divergence none", {"7_x/3_y.npy": npy([1], [1]), "z.npy": npy([1], [1])},
                {"9_x/12_y.npy": npy([1], [1]), "z.npy": npy([1], [1])})
    case.expect("ambiguous numbers", 2, "no tensor in common", {"1_x.npy": npy([1], [1])},
                {"2_x.npy": npy([1], [1]), "3_x.npy": npy([1], [1])})
    two = {"a.safetensors": safetensors({"x": ("F32", [1], floats([1]))}), "x.npy": npy([1], [1])}
    case.expect("two of a name", 2, "two tensors are called 'x'", two, good)


def check_reports(case):
    x = drawn(200)
    good = {"1_a.npy": npy([20, 10], x), "2_b|<b>.npy": npy([20, 10], x), "3_c.npy": npy([200], x)}
    bad = {**good, "2_b|<b>.npy": npy([20, 10], drawn(200, 3)), "3_c.npy": npy([200], [float("nan")] * 200)}
    html, md = (os.path.join(case.scratch, name) for name in ("r.html", "r.md"))
    status, _, out, _ = case.run(bad, good, "--json", "-", "--html", html, "--markdown", md)
    report = json.loads(out)
    check("json", status == 1 and report["first_divergence"] == "2_b|<b>" and len(report["rows"]) == 3)
    row = report["rows"][1]
    check("json row", row["verdict"] == "wrong" and row["elements"] == 200 and sum(row["ulps"]) == 200 and row["growth"] == 1)
    check("json census", report["rows"][2]["computed"]["nan"] == 200)
    page = open(html, encoding="utf-8").read()
    check("html stands alone", not re.search(r"(src|href)=(?!\"?(data:|#))|@import|https?://", page))
    check("html has a heat map per tensor that differs", page.count("data:image/bmp;base64,Qk") == 2)
    check("html escapes", "<b>" not in page and "2_b|&lt;b&gt;" in page)
    text = open(md, encoding="utf-8").read()
    check("markdown", text.startswith("## first divergence 2_b") and "| **wrong** |" in text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    check("markdown cells", len({line.count("|") for line in rows}) == 1, rows)
    _, _, out, _ = case.run(bad, good)
    check("table", re.search(r"^> #2 +2_b", out, re.M) and "\033" not in out, out)
    a, b = case.folder(bad), case.folder(good)
    check("colour on a terminal", "\033[31m" in on_terminal([case.program, a, b]))
    check("no colour if not wanted", "\033" not in on_terminal([case.program, a, b], NO_COLOR="1"))
    case.expect("an unwritable report", 2, "cannot be written", bad, good, "--html", os.path.join(case.scratch, "no/r"))
    case.expect("an unknown option", 2, "there is no option --q", bad, good, "--q")
    case.expect("a bad limit", 2, "--limit 2x: must be", bad, good, "--limit", "2x")
    case.expect("no folder", 2, "none: cannot be read|there are no tensors", os.path.join(case.scratch, "none"), good)


def check_hostile(case):
    whole = npy([4], [1, 2, 3, 4])
    for length in [*range(0, 12), 40, len(whole) - 17, len(whole) - 16, len(whole) - 1]:
        case.refuse(f"npy cut at {length}", "not an .npy|truncated|as long as", {"x.npy": whole[:length]})
    case.refuse("npy with more data", "not as long as", {"x.npy": whole + b"1"})
    for shape in ("4", "(4", "(-4,)", "(4,4,4,4,4,4,4,4,4)", "(18446744073709551615, 16)", "(99999999999999999999,)",
                  "(4611686018427387905,)", "(4, x)", "()", "None", ""):
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}".encode()
        content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(16)
        case.refuse(f"npy shape {shape}", "shape", {"x.npy": content})
    for descr in (">f4", "<f3", "<f9", "O", "|S5", "<c8", "", "[('a', '<f4')]"):
        case.refuse(f"npy type {descr}", "type|descr", {"x.npy": npy([4], [1, 2, 3, 4], descr)})
    case.refuse("npy version", "version 9", {"x.npy": npy([4], [1, 2, 3, 4], version=9)})
    case.refuse("npy without keys", "has no", {"x.npy": b"\x93NUMPY\x01\x00\x02\x00{}"})
    case.refuse("npy huge header", "truncated", {"x.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"})

    whole = safetensors({"x": ("F32", [4], floats([1, 2, 3, 4]))})
    for length in [*range(0, 10), 30, len(whole) - 17, len(whole) - 1]:
        case.refuse(f"safetensors cut at {length}", "truncated|outside|beyond", {"x.safetensors": whole[:length]})
    entry = lambda dtype='"F32"', shape="[4]", offsets="[0, 16]": (
        f'{{"x": {{"dtype": {dtype}, "shape": {shape}, "data_offsets": {offsets}}}}}').encode()
    for what, header in {
            "offsets swapped": entry(offsets="[16, 0]"), "offsets beyond": entry(offsets="[0, 17]"),
            "offsets of the moon": entry(offsets="[18446744073709551600, 18446744073709551615]"),
            "offsets too large": entry(offsets="[0, 99999999999999999999]"), "three offsets": entry(offsets="[0, 1, 16]"),
            "negative": entry(shape="[-4]"), "wrong length": entry(shape="[5]"), "overflow": entry(shape="[4294967296, 4294967296, 4]"),
            "nine axes": entry(shape="[1,1,1,1,1,1,1,1,4]"), "type": entry(dtype='"F8"'), "no type": entry(dtype="4"),
            "no offsets": b'{"x": {"dtype": "F32", "shape": [4]}}', "not closed": entry()[:-1], "array": b"[1]", "empty": b"",
            "nested": b'{"__metadata__": ' + b"[" * 10000 + b"}", "deep": b'{"__metadata__": ' + b'{"a":' * 10000 + b"}",
            "string": b'{"x', "escape": b'{"\\u12', "bad escape": b'{"\\q": 1}', "more": entry() + b"x"}.items():
        case.refuse(f"safetensors {what}", ":", {"x.safetensors": safetensors({}, header) + floats([1, 2, 3, 4])})
    case.refuse("safetensors length", "beyond the limit", {"x.safetensors": b"\xff" * 16})
    for what, shape in {"no type": b"", "type": b"f8 4", "words": b"f32 a", "length": b"f32 5", "negative": b"f32 -4",
                        "overflow": b"f32 4294967296 4294967296 4294967296"}.items():
        case.refuse(f"raw {what}", ":", {"x.raw": floats([1, 2, 3, 4]), "x.shape": shape})
    case.refuse("raw without shape", "x.shape: cannot be read", {"x.raw": floats([1])})
    for text in (b"", b"tessera-record 2\n", b"tessera-record 1\n", b"tessera-record 1\noperator x\n",
                 b"tessera-record 1\ninput a\n", b"tessera-record 1\ninput q x.npy consumed zz\n"):
        case.refuse(f"operator.txt {text}", "operator.txt: ", {"x.npy": npy([1], [1]), "operator.txt": text})


def main():
    with tempfile.TemporaryDirectory() as scratch:
        case = Case(sys.argv[1], scratch)
        for group in (check_verdicts, check_files, check_order, check_reports, check_hostile):
            group(case)
    print(f"{len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

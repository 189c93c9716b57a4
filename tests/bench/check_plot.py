#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_plot.py BENCH_FOLDER: bench/plot.py draws what is there. Exit status 77: no Python here has matplotlib."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import written
from written import bench


def with_matplotlib():
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0:
                return python
        except OSError:
            pass
    return None


PYTHON = with_matplotlib()


def run(*arguments):
    return written.run("plot.py", *arguments, python=PYTHON)


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        written.HERE = folder.name
        self.file = bench("a.json", {"matmul/q8_0/hwy/M1_N64_K128": ([9, 9, 9], 1e9, 1e8, 0.5),
                                     "matmul/q8_0/hwy/M1_N64_K256": ([9, 9, 9], 2e9, 1e8, 0.5)})

    def drawn(self, name, *arguments):
        out = pathlib.Path(written.HERE) / name
        status, _, err = run(arguments[0], str(out), *arguments[1:])
        self.assertEqual(status, 0, err)
        return out.read_bytes()

    def test_roofline(self):
        picture = self.drawn("a.svg", "roofline", self.file)
        self.assertIn(b"fma: 4e+09/s", picture)
        self.assertIn(b"matmul/q8_0/M1_N64_K256", picture)

    def test_scaling(self):
        self.assertIn(b"matmul/q8_0/hwy/M1_N64_K", self.drawn("a.svg", "scaling", self.file, "--over", "K"))
        self.assertEqual(self.drawn("a.png", "scaling", self.file)[:8], b"\x89PNG\r\n\x1a\n")

    def test_nothing_to_draw(self):
        out = pathlib.Path(written.HERE) / "none.svg"
        for arguments in (("scaling", str(out), self.file, "--over", "N"), ("roofline", str(out), "nowhere.json"),
                          ("roofline", str(out.with_suffix(".gif")), self.file)):
            status, _, err = run(*arguments)
            self.assertEqual(status, 2)
            self.assertNotIn("Traceback", err)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    if PYTHON is None:
        print("not run: no Python with matplotlib")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_compare.py BENCH_FOLDER: bench/compare.py on files whose answer is known."""
import sys
import tempfile
import unittest

import written
from written import bench, run


def line(text, name):
    return next(row for row in text.splitlines() if row.startswith(name)).split()


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        written.HERE = folder.name
        self.before = bench("before.json", {"softmax/hwy/1x2": ([100, 110, 90], 1, 1, 1), "softmax/scalar/1x2": ([400, 410, 390], 1, 1, 1),
                                            "gone/hwy/1": ([1, 1, 1], 1, 1, 1), "rope/hwy/1": ([5, 6, 7], 1, 1, 1)}, cpu="one")

    def after(self, hwy, scalar, **context):
        return bench("after.json", {"softmax/scalar/1x2": (scalar, 1, 1, 1), "softmax/hwy/1x2": (hwy, 1, 1, 1), "rope/hwy/1": ([5, 6], 1, 1, 1)},
                     cpu="one", **context)

    def test_medians_spread_and_verdicts(self):
        status, text, _ = run("compare.py", self.before, self.after([50, 55, 45], [400, 420, 405]))
        self.assertEqual(status, 0)
        self.assertEqual(line(text, "softmax/hwy/1x2")[1:], ["100", "us", "10.0%", "50", "us", "10.0%", "0.500", "quicker"])
        self.assertEqual(line(text, "softmax/scalar/1x2")[-2:], ["1.012", "same"])
        self.assertIn("too few repetitions", text)
        self.assertIn("only in " + self.before + ": gone/hwy/1", text)

    def test_slower_by_too_much(self):
        slower = self.after([120, 125, 119], [400, 410, 390])
        self.assertEqual(run("compare.py", self.before, slower)[0], 0)
        self.assertEqual(run("compare.py", "--worse", "25", self.before, slower)[0], 0)
        status, text, _ = run("compare.py", "--worse", "10", self.before, slower)
        self.assertEqual((status, line(text, "softmax/hwy/1x2")[-3:]), (1, ["slower", "(too", "much)"]))

    def test_says_what_else_differs(self):
        text = run("compare.py", self.before, self.after([1, 1, 1], [1, 1, 1], flags="-O3"))[1]
        self.assertIn("differs: flags: None | -O3", text)

    def test_backends_side_by_side(self):
        status, text, _ = run("compare.py", "--backends", self.before)
        self.assertEqual((status, line(text, "softmax/1x2")), (0, ["softmax/1x2", "100", "us", "1.00", "4.00"]))
        self.assertEqual(line(text, "gone/1")[-2:], ["1.00", "-"])

    def test_instruction_counts(self):
        def counted(name, hwy):
            return written.written(name, '{"context": {"vlen": "256"}, "counts": [{"name": "rope/hwy/1/real_time", "instructions": %d},'
                                   '{"name": "rope/scalar/1/real_time", "instructions": 4000}]}' % hwy)
        before, after = counted("before", 1000), counted("after", 1100)
        status, text, _ = run("compare.py", before, after, "--worse", "20")
        self.assertEqual((status, line(text, "rope/hwy/1")[1:]), (0, ["1000", "0.0%", "1100", "0.0%", "1.100", "more"]))
        self.assertEqual(line(text, "rope/scalar/1")[-1], "same")
        self.assertEqual(run("compare.py", before, after, "--worse", "5")[0], 1)
        self.assertEqual(line(run("compare.py", "--backends", after)[1], "rope/1"), ["rope/1", "1100", "1.00", "3.64"])
        self.assertEqual(run("compare.py", self.before, after)[0], 2)
        self.assertEqual(run("compare.py", "--backends", self.before, after)[0], 2)

    def test_bad_input(self):
        for text in ("", "{}", "[]", '{"context": {}, "benchmarks": []}', '{"context": {}, "benchmarks": [3]}',
                     '{"context": {}, "benchmarks": [{"run_type": "iteration"}]}',
                     '{"context": {}, "benchmarks": [{"run_type": "iteration", "run_name": "a", "real_time": 0, "time_unit": "us"}]}',
                     '{"context": {}, "benchmarks": [{"run_type": "iteration", "run_name": "a", "error_occurred": true}]}'):
            status, out, err = run("compare.py", self.before, written.written("bad.json", text))
            self.assertEqual((status, out), (2, ""), text)
            self.assertIn("bad.json", err)
            self.assertNotIn("Traceback", err)
        self.assertEqual(run("compare.py", self.before)[0], 2)
        self.assertEqual(run("compare.py", self.before, "nowhere.json")[0], 2)
        self.assertEqual(run("compare.py", "--backends", self.before, self.before)[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

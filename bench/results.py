# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""What a bench's JSON says, for compare.py and plot.py."""
import dataclasses
import json
import statistics
import sys

BACKENDS = ("scalar", "rvv", "ime1", "ime2", "hwy", "xsimd")
PEAKS = ("fma", "byte_dot", "read", "copy")
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclasses.dataclass
class Case:
    """One case: its repetitions' times in nanoseconds, or the instructions of a call, and its counters' medians."""
    name: str
    times: list
    counters: dict
    counted: bool = False

    @property
    def median_text(self):
        return f"{self.median:.0f}" if self.counted else time_text(self.median)

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def spread(self):
        """Half the distance between the slowest and the quickest repetition, of the median."""
        return (max(self.times) - min(self.times)) / 2 / self.median

    @property
    def backend(self):
        return next((word for word in self.name.split("/") if word in BACKENDS), None)

    @property
    def problem(self):
        """The name without its backend: the same for all backends."""
        return "/".join(word for word in self.name.split("/") if word != self.backend)


def refuse(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def load(path, counts=False):
    """The context and the cases by name, in the order they were run. Aggregates are left out: they are made again here.
    `counts`: what count.py wrote will do, too."""
    try:
        with open(path) as file:
            data = json.load(file)
        context, entries = data["context"], data.get("benchmarks", [])
        cases = {}
        if "counts" in data:
            if not counts:
                refuse(f"{path}: instruction counts say nothing of speed")
            cases = {name: Case(name, [entry["instructions"]], {}, True)
                     for entry in data["counts"] for name in [entry["name"].removesuffix("/real_time")]}
        for entry in entries:
            if entry.get("run_type") != "iteration":
                continue
            name = entry["run_name"].removesuffix("/real_time")
            if entry.get("error_occurred"):
                refuse(f"{path}: {name}: {entry.get('error_message', 'failed')}")
            counters = {key: entry[key] for key in ("operations", "bytes", *(kind + peak for kind in ("of_", "peak_") for peak in PEAKS)) if key in entry}
            case = cases.setdefault(name, Case(name, [], {}))
            case.times.append(entry["real_time"] * NANOSECONDS[entry["time_unit"]])
            for key, value in counters.items():
                case.counters.setdefault(key, []).append(value)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        refuse(f"{path}: not the JSON of a bench that ran whole ({type(error).__name__}: {error}); "
               "--benchmark_report_aggregates_only leaves out what is needed")
    if not cases:
        refuse(f"{path}: no case in it")
    for case in cases.values():
        if min(case.times) <= 0:
            refuse(f"{path}: {case.name}: a time of {min(case.times)}")
        case.counters = {key: statistics.median(values) for key, values in case.counters.items()}
    return context, cases


def time_text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""check_mutants.py VLEN PROGRAM QEMU...: tessera-check on cores that are not as the model says (mutants.hpp) names each of
them by the one question that tells, in its JSON and in its Markdown, and an instruction that shows it; it has nothing to say of
the core that is."""
import json
import pathlib
import subprocess
import sys
import tempfile

# Mutant: question, answer, an instruction whose vectors show it; at the vector lengths where it shows.
MUTANTS = {
    "none": (None, None, None, (256, 1024)),
    "trap_on_wrap": ("int32-wrap", "traps", "smt.vmadot", (256, 1024)),
    "vl_honoured": ("short-vl", "honoured", None, (256, 1024)),  # golden vectors keep to what is legal
    "saturating_hp": ("hp-overflow", "saturates", "smt.vmadot.hp", (1024,)),
    "descending_vfwmadot": ("vfwmadot-order", "descending", "smt.vfwmadot", (1024,)),
    "swapped_nibbles": ("nibble-order", "high_first", "smt.vmadot.sp:i4", (1024,)),
    "slides_by_eight": ("slide-distance", "eight", "smt.vmadot1", (1024,)),
}


def main():
    vlen, program, *qemu = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for mutant, (question, answer, instruction, lengths) in MUTANTS.items():
            if int(vlen) not in lengths:
                continue
            files = [pathlib.Path(folder) / (mutant + suffix) for suffix in (".json", ".md")]
            run = subprocess.run([*qemu, "-E", f"TESSERA_TEST_MUTANT={mutant}", program, "--quick",
                                  "--only", "instructions,questions", "--json", files[0], "--markdown", files[1]],
                                 capture_output=True, text=True)
            core = json.loads(files[0].read_text())["cores"][0]
            differ = {q["name"]: q["answer"] for q in core["questions"] if q["answer"] != q["model"]}
            bad = [i["name"] for i in core["instructions"] if i["found"] not in ("right", "absent")]
            if differ != ({question: answer} if question else {}):
                wrong.append(f"{mutant}: the questions answered otherwise are {differ}")
            if (instruction not in bad) if instruction else bad:
                wrong.append(f"{mutant}: the wrong instructions are {bad}")
            if run.returncode != (1 if question else 0):
                wrong.append(f"{mutant}: exit {run.returncode}")
            if question and f"**{answer}**" not in files[1].read_text():
                wrong.append(f"{mutant}: the Markdown does not say {answer}")
    for text in wrong:
        print(text)
    sys.exit(1 if wrong else 0)


main()

# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""What the weights were made by: a seed, then stages one after the other."""

seed = 2024

_first = {
    "steps": 1000,
    "warm_up": 200,
    "rate": 2e-3,
    "last_rate": 2e-3,
    "growth": 800,  # steps until the longest texts appear; 0: from the start
    "mix": {"add": 3, "sub": 3, "copy": 1, "reverse": 3, "bracket": 2},
    "short": 64,  # texts a step
    "list_tokens": 1500,
    "questions": 8,  # about each list
    "list_weight": 1.0,
    "one_width": False,  # are both numbers of a case written in as many digits?
}

# Recall, copying and reversing come early. Numbers of one width are learnt much sooner than those of any.
_second = _first | {
    "steps": 1300,
    "warm_up": 0,
    "growth": 0,
    "mix": {"add": 5, "sub": 5, "copy": 1, "reverse": 1.5, "bracket": 3},
    "short": 80,
    "list_tokens": 600,
    "one_width": True,
}

_last = _second | {
    "steps": 1300,
    "last_rate": 2e-5,
    "mix": {"add": 4, "sub": 5, "copy": 1, "reverse": 1, "bracket": 4},
    "list_tokens": 900,
}

stages = (_first, _second, _last)

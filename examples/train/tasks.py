# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""The tasks: text with an answer that can be checked, made from a seed.

A case is a prompt and its answer, both of the characters below. A text starts with a line feed, an answer ends with
one. Numbers stand least significant digit first, both of a case in as many digits: 321+540= is 123 + 45.
    add      321+540=          8610 (one digit more: 168)
    sub      321-540=          870 (78; the first number is never the smaller one)
    copy     c:hello=          hello
    reverse  r:hello=          olleh
    bracket  b:([]{=           }) (what closes all that is open)
    lookup   ab37 cd12?cd=     12 (the value of a key in a list of up to 40)
    recall   the same      lists of 41 to 80, longer than any that training sees: held out only
A prompt whose CRC-32 is a multiple of 16 is held out: training never sees it.
"""
import random
import zlib

characters = "\n 0123456789abcdefghijklmnopqrstuvwxyz+-=?:()[]{}<>.,;!*/#@_^"
vocabulary = len(characters)
index_of = {c: i for i, c in enumerate(characters)}
names = ("add", "sub", "copy", "reverse", "bracket", "lookup")
letters = "abcdefghijklmnopqrstuvwxyz"
closing = {"(": ")", "[": "]", "{": "}", "<": ">"}

most_digits = 5
most_letters = 12
most_brackets = 16
deepest = 6
most_entries = 40


def encode(text):
    return [index_of[c] for c in text]


def is_held_out(prompt):
    return zlib.crc32(prompt.encode()) % 16 == 0


def backwards(number, width=0):
    return str(number).zfill(width)[::-1]


def _size(rng, most):
    """1 to most, the long ones more often."""
    return max(rng.randint(1, most), rng.randint(1, most))


def _own_width(rng, most):
    digits = _size(rng, most)
    return rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10**digits)


def _numbers(rng, reach, one_width):
    """Two numbers and the width they are written in (0: each in its own)."""
    most = max(2, round(reach * most_digits))
    if not one_width:
        return _own_width(rng, most), _own_width(rng, most), 0
    width = _size(rng, most)
    return rng.randrange(10**width), rng.randrange(10**width), width


def add(rng, reach, one_width=True):
    a, b, width = _numbers(rng, reach, one_width)
    answer = backwards(a + b, width and width + 1)
    return backwards(a, width) + "+" + backwards(b, width) + "=", answer


def sub(rng, reach, one_width=True):
    a, b, width = _numbers(rng, reach, one_width)
    a, b = max(a, b), min(a, b)
    return backwards(a, width) + "-" + backwards(b, width) + "=", backwards(a - b, width)


def _string(rng, reach):
    few = letters[: rng.choice((4, 26, 26))]  # some with many repetitions
    return "".join(rng.choice(few) for _ in range(_size(rng, max(3, round(reach * most_letters)))))


def copy(rng, reach, _=True):
    text = _string(rng, reach)
    return "c:" + text + "=", text


def reverse(rng, reach, _=True):
    text = _string(rng, reach)
    return "r:" + text + "=", text[::-1]


def bracket(rng, reach, _=True):
    text, stack = "", []
    size = _size(rng, max(3, round(reach * most_brackets)))
    while len(text) < size:
        if stack and (len(stack) == deepest or rng.random() < 0.4):
            text += closing[stack.pop()]
        else:
            stack.append(rng.choice("([{<"))
            text += stack[-1]
    return "b:" + text + "=", "".join(closing[c] for c in reversed(stack))


short_tasks = {"add": add, "sub": sub, "copy": copy, "reverse": reverse, "bracket": bracket}


def lookup_list(rng, entries):
    keys = set()
    while len(keys) < entries:
        keys.add(rng.choice(letters) + rng.choice(letters))
    keys = sorted(keys)
    rng.shuffle(keys)
    return {k: rng.choice("0123456789") + rng.choice("0123456789") for k in keys}


def list_text(table):
    return " ".join(k + v for k, v in table.items())


def lookup(rng, reach, _=True):
    table = lookup_list(rng, _size(rng, max(2, round(reach * most_entries))))
    key = rng.choice(list(table))
    return list_text(table) + "?" + key + "=", table[key]


def case(rng, name, reach=1.0, held_out=False, one_width=True):
    """A prompt and its answer, of the part asked for."""
    make = lookup if name == "lookup" else short_tasks[name]
    while True:
        prompt, answer = make(rng, reach, one_width)
        if is_held_out(prompt) == held_out:
            return prompt, answer


def text_of(prompt, answer):
    """A case's tokens and which of them are answer (the line feed at its end included)."""
    tokens = encode("\n" + prompt + answer + "\n")
    first = 1 + len(prompt)
    return tokens, [0] * first + [1] * (len(tokens) - first)


def questions(rng, entries, count):
    """A list and several questions about it, each answered: for training, which so learns more from a list."""
    while True:
        table = lookup_list(rng, entries)
        text = list_text(table)
        keys = [rng.choice(list(table)) for _ in range(count)]
        if not any(is_held_out(text + "?" + k + "=") for k in keys):
            break
    tokens = encode("\n" + text)
    wanted = [0] * len(tokens)
    for key in keys:
        tokens += encode("?" + key + "=" + table[key] + "\n")
        wanted += [0] * 4 + [1] * 3
    return tokens, wanted


def shortest_first(cases):
    return sorted(cases.items(), key=lambda c: len(c[0]))


def held_out_set(seed, each):
    """Cases of every task, none twice, the shortest of a task first."""
    rng = random.Random(seed)
    chosen = {name: {} for name in names}
    for name in names:
        while len(chosen[name]) < each:
            prompt, answer = case(rng, name, 1.0, True)
            chosen[name][prompt] = answer
    return [(name, p, a) for name in names for p, a in shortest_first(chosen[name])]


def recall_set(seed, each):
    """Look-ups in lists of more entries than training sees, up to twice as many: 200 to 400 tokens."""
    rng = random.Random(seed)
    chosen = {}
    while len(chosen) < each:
        table = lookup_list(rng, rng.randint(most_entries + 1, 2 * most_entries))
        key = rng.choice(list(table))
        prompt = list_text(table) + "?" + key + "="
        if is_held_out(prompt):
            chosen[prompt] = table[key]
    return [("recall", p, a) for p, a in shortest_first(chosen)]

"""Tables of linear recurrences in formats: what happens to a group, to decays, to sums, and by the order of evaluation.

    python benchmarks/linear_recurrences.py [--table NAME]      (10 min)

Every number is computed here: "never" is a proof, since the states come round.
"""

import argparse
import math
from fractions import Fraction

import gmpy2

import exactnn as xn
from exactnn.constructions.recurrences.word_problem import root_of_one
from exactnn.evaluation import run_in_order
from exactnn.simulation import executor_for

FORMATS = {
    "e5m2": xn.FLOAT8_E5M2, "e4m3": xn.FLOAT8_E4M3, "bfloat16": xn.BFLOAT16, "float16": xn.FLOAT16,
    "float32": xn.FLOAT32,
}  # fmt: skip
MOST_STATES = 50_000


def powers(order):
    """Return the letters 1, ..., order - 1 as powers of a cycle."""
    cycle = tuple(range(1, order + 1))
    return {str(j): _power(cycle, j) for j in range(1, order)}


def _power(cycle, j):
    n, seen, cycles = len(cycle), set(), []
    for i in range(n):
        found = []
        while i not in seen:
            seen.add(i)
            found.append(i + 1)
            i = (i + j) % n
        if len(found) > 1:
            cycles.append(tuple(found))
    return cycles


def first_wrong_word(net, arithmetic, most=MOST_STATES):
    """Return a shortest word after which the state is decoded wrongly, and how many states were met; None for no word.

    Breadth first over the states of the network: 0 and -0 are the same. Without a word, either the states are all there
    are, or there are `most` of them.
    """
    executor = executor_for(net.network, arithmetic)
    machine, start = net.machine, executor.start()
    key = tuple(x + 0.0 for x in executor.values(start)) if arithmetic != xn.RATIONAL else executor.values(start)
    found = {key: (None, "")}
    waiting = [(start, machine.initial_state, key)]
    for state, element, here in waiting:
        for number, symbol in enumerate(machine.input_symbols):
            after = executor.advance(state, number, 1, until_decided=False).state
            following = machine.transitions[element][symbol]
            values = executor.values(after)
            place = tuple(x + 0.0 for x in values) if arithmetic != xn.RATIONAL else values
            if place in found:
                continue
            found[place] = (here, symbol)
            if net.decode(values) != following:
                word = ""
                while found[place][0] is not None:
                    place, letter = found[place]
                    word = letter + word
                return word, len(found)
            waiting.append((after, following, place))
            if len(found) >= most:
                return None, len(found)
    return None, len(found)


def rotations():
    """Return rows (format, exact weights by formula, on 1^n, on all words) for the group of five elements."""
    cycle, letters = xn.PermutationGroup("Z5"), xn.PermutationGroup(powers(5))
    rows = []
    for name, format in FORMATS.items():
        ones = first_wrong_word(xn.word_problem(cycle, "rotation"), format)
        most = 20_000 if name == "float32" else MOST_STATES
        words = first_wrong_word(xn.word_problem(letters, "rotation"), format, most)
        rows.append((name, drift(5, format), said(ones), said(words, most)))
    return rows


def said(found, most=MOST_STATES):
    word, states = found
    if word is not None:
        return f"{len(word)}"
    return f"none in {states:,} states" if states >= most else f"never: {states} states"


def drift(order, format):
    """Return after how many steps rounded weights in exact arithmetic are nearer to another root: by their angle."""
    cosine, sine = root_of_one(1, order, format)
    with gmpy2.context(precision=400):
        step = abs(gmpy2.atan2(gmpy2.mpfr(sine), gmpy2.mpfr(cosine)) - 2 * gmpy2.const_pi() / order)
        return int(gmpy2.floor(gmpy2.const_pi() / order / step)) + 1 if step else None


def sticking(format, a="9/10"):
    """Return after which input the numbers of h = a h after one 1 first stay the same, and the number."""
    executor = executor_for(xn.DiagonalSSM(a=[a], B=[[1, 0]], readout_weight=[1], alphabet="ab"), format)
    state, before, steps = executor.advance(executor.start(), 0, 1, until_decided=False).state, None, 1
    while (value := executor.values(state)[0]) != before:
        before, steps = value, steps + 1
        state = executor.advance(state, 1, 1, until_decided=False).state
    return steps - 1, value


def leaky_limit(format, a):
    """Return where h = a h + 1 stays."""
    executor = executor_for(xn.DiagonalSSM(a=[a], B=[[1]], readout_weight=[1], alphabet="a"), format)
    state, before = executor.start(), None
    while (value := executor.values(state)[0]) != before:
        before = value
        state = executor.advance(state, 0, 1, until_decided=False).state
    return value


def orders(most=8):
    """Return rows (format, order, shortest word on which it and STEP differ, both outputs) for h = 3/4 h + 1 or - 1."""
    net = xn.DiagonalSSM(a=["3/4"], B=[[1, -1]], readout_weight=[1], alphabet="+-")
    rows = []
    for name in ("e5m2", "e4m3", "bfloat16"):
        for order in (xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(4)):
            found = xn.order_witness(net, xn.STEP, order, FORMATS[name], max_length=most)
            word = "".join(found.word) if found else f"none up to {most}"
            rows.append((name, repr(order), word, *(map(str, found.outputs) if found else ())))
    return rows


def counts():
    """Return rows (order, and for each format the first i for which a^i b^(i-1) is decided wrongly)."""
    net = xn.DiagonalSSM(a=[1], B=[[1, -1]], readout_weight=[1], alphabet="ab")
    rows = []
    for order in (xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(16), xn.chunkwise(64)):
        row = [repr(order)]
        for name in ("e5m2", "e4m3", "bfloat16"):
            i = 1
            while run_in_order(net, "a" * i + "b" * (i - 1), order, FORMATS[name]).verdict:
                i += 1
            row.append(str(i))
        rows.append(tuple(row))
    return rows


def half_life(epsilon="1/1000000"):
    """Return the factor of a swap whose key (1, -1)/sqrt(2) is divided by sqrt(1 + epsilon), and its half-life."""
    factor = 1 - 2 / (1 + Fraction(epsilon))
    return factor, math.ceil(math.log(2) / -math.log(-factor))


TABLES = {
    "rotations": (rotations, ("format", "exact, rounded weights", "rounded, 1^n", "rounded, all words")),
    "sticking": (lambda: [(n, *map(str, sticking(f))) for n, f in FORMATS.items()], ("format", "input", "stays at")),
    "leaky": (
        lambda: [(a, *(str(leaky_limit(f, a)) for f in FORMATS.values())) for a in ("99/100", "999/1000")],
        ("decay", *FORMATS),
    ),
    "orders": (orders, ("format", "order", "shortest word", "step", "order gives")),
    "counts": (counts, ("order", "e5m2", "e4m3", "bfloat16")),
    "half-life": (lambda: [tuple(map(str, half_life()))], ("factor", "swaps")),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", choices=TABLES, action="append")
    for name in parser.parse_args().table or TABLES:
        rows, headings = TABLES[name]
        print(f"\n{name}\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)
        for row in rows():
            print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()

"""Tables of linear recurrences in formats: what happens to a group, to decays, to sums, and by the order of evaluation.

    python benchmarks/linear_recurrences.py [--table NAME] [--most-states N]      (30 min)

Every number is computed here. "never" is a proof, since the states come round; "none in ..." says how many states were
met.
"""

import argparse
import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import partial

import gmpy2
from gmpy2 import mpq

import exactnn as xn
from exactnn.arithmetic import NAMED_FORMATS
from exactnn.constructions.recurrences.word_problem import root_of_one
from exactnn.evaluation import run_in_order
from exactnn.simulation import executor_for

ORDERS = (xn.STEP, xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(16), xn.chunkwise(64))
FEW = ("float8_e5m2", "float8_e4m3", "bfloat16", "float16")
SOME = (*FEW, "float32")
ALL = tuple(NAMED_FORMATS)


def first_wrong(net, machine, read, arithmetic, most):
    """Return a shortest word after which the state of the network is read wrongly, or None; and how many states.

    Breadth first over pairs of a state of the network and of the machine; 0 and -0 are the same. Without a word, these
    are either all pairs or `most` of them.
    """
    executor = executor_for(net, arithmetic)

    def place(values):
        return tuple(x + 0.0 for x in values)

    start = executor.start()
    key = place(executor.values(start)), machine.initial_state
    found, waiting = {key: (None, "")}, [(start, key)]
    for state, here in waiting:
        for number, symbol in enumerate(machine.input_symbols):
            after = executor.advance(state, number, 1, until_decided=False).state
            values, following = executor.values(after), machine.transitions[here[1]][symbol]
            there = place(values), following
            if there in found:
                continue
            found[there] = here, symbol
            if read(values) != following:
                word = ""
                while found[there][0] is not None:
                    there, letter = found[there]
                    word = letter + word
                return word, len(found)
            waiting.append((after, there))
            if len(found) >= most:
                return None, len(found)
    return None, len(found)


def said(found, most):
    word, states = found
    if word is not None:
        return f"{len(word)}"
    return f"none in {states:,} states" if states >= most else f"never: {states:,} states"


# --- The group of k elements by a rotation whose cosine and sine are rounded; its state is read as the nearest root.


def powers(order, exponents):
    """Return for some exponents the power of a cycle of `order` places, as a letter each."""
    return {str(j % order): _power(tuple(range(1, order + 1)), j % order) for j in exponents}


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


def turned(order, exponents, format, most):
    net = xn.word_problem(xn.PermutationGroup(powers(order, exponents)), "rotation")
    return said(first_wrong(net.network, net.machine, net.decode, format, most), most)


def rotations(most):
    """Return rows of a format: exact weights by formula, words 1^n, letters 1 and -1, letters 1 to 4, in Z5."""
    for name in SOME:
        format, limit = NAMED_FORMATS[name], most if name != "float32" else min(most, 20_000)
        of_letters = (turned(5, letters, format, limit) for letters in ((1,), (1, -1), (1, 2, 3, 4)))
        yield name, f"{drift(5, format):,}", *of_letters


def drift(order, format):
    """Return after how many steps rounded weights in exact arithmetic are nearer to another root: by their angle."""
    cosine, sine = root_of_one(1, order, format)
    with gmpy2.context(precision=400):
        step = abs(gmpy2.atan2(gmpy2.mpfr(sine), gmpy2.mpfr(cosine)) - 2 * gmpy2.const_pi() / order)
        return int(gmpy2.floor(gmpy2.const_pi() / order / step)) + 1 if step else None


def cycles(most):
    """Return rows of a k: words 1^n in the group of k elements, by format."""
    for order in (3, 4, 6, 7, 8, 10, 12):
        yield order, *(turned(order, (1,), NAMED_FORMATS[name], most) for name in SOME)


def reflections(most):
    """Return rows of letters: the rotation of order 5 as two reflections, delta steps with rounded unit keys."""
    for letters in ((1,), (1, -1)):
        row, group = [], xn.word_problem(xn.PermutationGroup(powers(5, letters)), "rotation")
        for name in SOME:
            format = NAMED_FORMATS[name]
            with gmpy2.context(precision=200):
                half = [gmpy2.const_pi() * j / 5 for j in letters]
                keys = [(mpq(format.nearest(mpq(gmpy2.cos(x)))), mpq(format.nearest(mpq(gmpy2.sin(x))))) for x in half]
            net = xn.DeltaProduct(
                K=[[[1] * len(keys), [0] * len(keys)], [[x for x, _ in keys], [y for _, y in keys]]],
                beta=[[2] * len(keys)] * 2, S=[[1, 0]], readout_weight=[1, 0], alphabet=[str(j % 5) for j in letters],
            )  # fmt: skip
            row.append(said(first_wrong(net, group.machine, group.decode, format, most), most))
        yield "1" if len(letters) == 1 else "1, -1", *row


# --- Swaps with rounded unit keys: a marker goes from place to place, and is read as the largest number.


def swaps(places, format):
    """Return network and machine of a marker under swaps of neighbours: keys (1, -1)/sqrt(2) rounded, beta 2."""
    letters = "abcdefgh"[: places - 1]
    net = xn.StackedRNN([swap_layer(places, format)], readout_weight=[1] * places, alphabet=letters)
    moves = {str(i): {a: str({j: j + 1, j + 1: j}.get(i, i)) for j, a in enumerate(letters)} for i in range(places)}
    machine = xn.DFA(states=moves, input_symbols=letters, transitions=moves, initial_state="0", final_states=["0"])
    return net, machine


def swap_layer(places, format):
    key = mpq(format.nearest(mpq(gmpy2.sqrt(gmpy2.mpfr(mpq(1, 2), 200)))))
    K = [[key * ((i == j) - (i == j + 1)) for j in range(places - 1)] for i in range(places)]
    return xn.DeltaProductLayer(K=[K], beta=[[2] * (places - 1)], S=[[int(i == 0) for i in range(places)]])


def marker(places, values):
    numbers = values[-places:]
    best = max(numbers)
    return str(list(numbers).index(best)) if list(numbers).count(best) == 1 else None


def rounded_keys(most):
    """Return rows of a number of places: the shortest word after which the marker is read wrongly."""
    for places in (2, 3, 5):
        row = []
        for name in SOME:
            net, machine = swaps(places, NAMED_FORMATS[name])
            limit = min(most, 20_000) if places == 5 else most
            row.append(said(first_wrong(net, machine, partial(marker, places), NAMED_FORMATS[name], limit), limit))
        yield places, *row


def chunked_keys(_):
    """Return rows of an order: of 12 random words of 64 swaps of five places, how many end with a wrong marker."""
    drawn = random.Random(5)
    words = ["".join(drawn.choices("abcd", k=64)) for _ in range(12)]

    def by_transform(format, word, chunk):
        layer = swap_layer(5, format)
        return xn.delta_rule_by_chunks(layer, ["abcd".index(letter) for letter in word], chunk, format)[0]

    def in_order(format, word, order):
        return run_in_order(swaps(5, format)[0], word, order, format).final_state

    ways = [(repr(order), partial(in_order, order=order)) for order in ORDERS]
    ways += [(f"UT transform of {chunk}", partial(by_transform, chunk=chunk)) for chunk in (16, 64)]
    for shown, state_after in ways:
        row = []
        for name in SOME:
            machine, wrong = swaps(5, NAMED_FORMATS[name])[1], 0
            for word in words:
                state = machine.initial_state
                for letter in word:
                    state = machine.transitions[state][letter]
                wrong += marker(5, state_after(NAMED_FORMATS[name], word)) != state
            row.append(f"{wrong} of 12")
        yield shown, *row


def fading_swaps(_):
    """Return rows of a decay: after how many exact swaps that decay the marker is no longer the largest number."""
    for decay in ("1/2", "3/4", "9/10", "99/100"):
        row = []
        for name in SOME:
            for format in (NAMED_FORMATS[name], replace(NAMED_FORMATS[name], subnormals=False)):
                net = xn.GatedDeltaNet(
                    K=[[1], [-1]], beta=[1], decay=[decay], S=[[1, 0]], readout_weight=[1, -1], alphabet="1"
                )
                executor = executor_for(net, format)
                met = xn.unary_period(net, "1", format)
                state, wrong = executor.start(), None
                for n in range(1, met.index + 2 * met.period + 1):
                    state = executor.advance(state, 0, 1, until_decided=False).state
                    first, second = executor.values(state)[-2:]
                    if (second - first if n % 2 else first - second) <= 0:
                        wrong = n
                        break
                row.append("never" if wrong is None else str(wrong))
        yield decay, *(f"{a} / {b}" for a, b in zip(row[::2], row[1::2], strict=True))


def word_problems(_):
    """Return rows of a group: by format, whether the network with whole keys is its automaton on all words, proven."""
    for name in ("S3", "S5", "A5"):
        net, machine = xn.word_problem(name), xn.PermutationGroup(name).automaton()
        yield name, *(xn.equivalent((net, NAMED_FORMATS[format]), machine).equal for format in ALL)


# --- Decays and sums of one number.


def decays(_):
    """Return rows of a format: its largest decay below 1, and where h <- 9/10 h from 1 on stays."""
    net = xn.DiagonalSSM(a=["9/10"], B=[[0]], s=[1], readout_weight=[1], alphabet="0")
    for name in ALL:
        format = NAMED_FORMATS[name]
        met = xn.unary_period(net, "0", format)
        stays = xn.run(net, "0" * met.index, format).final_state[0]
        k = next(k for k in range(1, 200) if format.nearest(1 - mpq(1, 2**k)) == 1) - 1
        yield name, f"1 - 2^-{k}" if k else "none", met.index, f"{float(stays):.4g}"


def sums(_):
    """Return rows of a format: where h <- a h + 1 stays, by a."""
    for name in ALL:
        row = []
        for a in ("9/10", "99/100", "999/1000", "9999/10000"):
            net = xn.DiagonalSSM(a=[a], B=[[1]], readout_weight=[1], alphabet="1")
            met = xn.unary_period(net, "1", NAMED_FORMATS[name], max_steps=1_000_000)
            steps = met.steps if met.index is None else met.index
            value = f"{float(xn.run(net, '1' * min(steps, 200_000), NAMED_FORMATS[name]).final_state[0]):.9g}"
            row.append(value if met.index is not None and met.index <= 200_000 else f"moves still at {value}")
        yield name, *row


# --- Orders of evaluation.


def shortest_words(_, most=14):
    """Return rows of a recurrence, format, order: a shortest word on which the order and STEP differ; both outputs."""
    for shown, a, inputs in (("3/4 h + 1 or - 1", "3/4", (1, -1)), ("1/2 h + 1 or + 0", "1/2", (1, 0))):
        net = xn.DiagonalSSM(a=[a], B=[inputs], readout_weight=[1], alphabet="+-")
        for name in FEW:
            for order in (xn.KOGGE_STONE, xn.BLELLOCH, xn.chunkwise(4)):
                found = xn.order_witness(net, xn.STEP, order, NAMED_FORMATS[name], max_length=most)
                word = "".join(found.word) if found else f"none up to {most}"
                yield shown, name, repr(order), word, *(map(str, found.outputs) if found else ("", ""))


def counts(_):
    """Return rows of an order: the first i for which a^i b^(i-1) is decided wrongly, by format."""
    net = xn.DiagonalSSM(a=[1], B=[[1, -1]], readout_weight=[1], alphabet="ab")
    for order in ORDERS:
        row = []
        for name in ("float8_e5m2", "float8_e4m3", "bfloat16"):
            i = 1
            while run_in_order(net, "a" * i + "b" * (i - 1), order, NAMED_FORMATS[name]).verdict:
                i += 1
            row.append(i)
        yield repr(order), *row


def random_words(_, words=50, length=256):
    """Return rows of an order and a format: how far last values are from STEP's, in last places; other signs."""
    for order in ORDERS[1:]:
        for name in ("bfloat16", "float16", "float32"):
            format, drawn, worst, signs = NAMED_FORMATS[name], random.Random(7), Fraction(0), 0
            for _ in range(words):
                a = [[Fraction(drawn.randrange(9000, 10000), 10000) for _ in range(length)]]
                b = [[Fraction(drawn.randrange(-10000, 10000), 10000) for _ in range(length)]]
                net = xn.SelectiveSSM(a=a, b=b, readout_weight=[1])
                word = [[int(i == t) for i in range(length)] for t in range(length)]
                step, other = (run_in_order(net, word, o, format).final_state[0] for o in (xn.STEP, order))
                worst = max(worst, abs(Fraction(step) - Fraction(other)) / Fraction(format.spacing(step)))
                signs += (step > 0) != (other > 0)
            yield repr(order), name, f"{float(worst):g}", f"{signs} of {words}"


def over_the_rationals(_, recurrences=10_000):
    """Return one row: of random recurrences and words, how many have other states in some order than in a run."""
    drawn, differ = random.Random(11), 0

    def number():
        return mpq(drawn.randint(-9, 9), drawn.randint(1, 9))

    for _ in range(recurrences):
        n, d = drawn.randint(1, 3), drawn.randint(1, 2)
        dense = drawn.random() < 0.5
        A = [[[number() if dense or i == j else 0 for _ in range(d)] for j in range(n)] for i in range(n)]
        V = [[number() for _ in range(d)] for _ in range(n)]
        net = xn.LinearRecurrence(A=A, V=V, s=[number() for _ in range(n)], readout_weight=[1] * n)
        word = [[number() for _ in range(d)] for _ in range(drawn.randint(0, 9))]
        truth = xn.run(net, word, xn.RATIONAL, record="all").trace
        differ += any(
            run_in_order(net, word, order, record=True).trace != truth for order in (*ORDERS, xn.chunkwise(3))
        )
    yield f"{recurrences:,}", len(ORDERS) + 1, differ


def half_life(_):
    """Return rows of an epsilon: the factor of a swap with the key (1, -1)/sqrt(2 + epsilon), beta 2; its half-life."""
    for epsilon in ("1/1000000", "1/100000000"):
        factor = 1 - 4 / (2 + Fraction(epsilon))
        yield epsilon, factor, f"{math.ceil(math.log(2) / -math.log1p(float(-factor - 1))):,}"


def bits(_, steps=200):
    """Return rows of a weight: how many bits a step adds to the exact state."""
    rounded = ((f"9/10 in {name}", mpq(NAMED_FORMATS[name].nearest(mpq(9, 10)))) for name in reversed(SOME))
    for shown, weight in (("1/2", mpq(1, 2)), ("9/10", mpq(9, 10)), *rounded):
        net = xn.DiagonalSSM(a=[weight], B=[[0]], s=[1], readout_weight=[1], alphabet="0")
        lengths = [xn.run(net, "0" * n).final_state[0].denominator.bit_length() for n in (steps, 2 * steps)]
        yield shown, f"{(lengths[1] - lengths[0]) / steps:.2f}"


TABLES = {
    "rotations": (rotations, ("format", "exact, rounded weights", "letter 1", "letters 1, -1", "letters 1 to 4")),
    "cycles": (cycles, ("k", *SOME)),
    "reflections": (reflections, ("letters", *SOME)),
    "rounded-keys": (rounded_keys, ("places", *SOME)),
    "chunked-keys": (chunked_keys, ("order", *SOME)),
    "fading-swaps": (fading_swaps, ("decay", *SOME)),
    "word-problems": (word_problems, ("group", *ALL)),
    "decays": (decays, ("format", "largest decay below 1", "9/10 stays from step", "at")),
    "sums": (sums, ("format", "9/10", "99/100", "999/1000", "9999/10000")),
    "orders": (shortest_words, ("h <-", "format", "order", "shortest word", "STEP", "order gives")),
    "counts": (counts, ("order", "float8_e5m2", "float8_e4m3", "bfloat16")),
    "random-words": (random_words, ("order", "format", "last places", "other sign")),
    "rationals": (over_the_rationals, ("recurrences", "orders", "with another state")),
    "half-life": (half_life, ("epsilon", "factor", "swaps")),
    "bits": (bits, ("weight", "bits a step")),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES, action="append", help="only this table; may be given several times")
    parser.add_argument("--most-states", type=int, default=50_000, help="where a search stops [default: 50,000]")
    given = parser.parse_args()
    for name in given.table or TABLES:
        rows, headings = TABLES[name]
        print(f"\n{name}\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)
        for row in rows(given.most_states):
            print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()

"""Machines of the benchmarks on long words: members of their languages, and words that miss them by one symbol.

On all short words they are run with the rest of the zoo.
"""

import random

import pytest

from exactnn.automata import PermutationGroup, interpret
from exactnn.machine_files import load_file, zoo
from exactnn.outcome import Verdict
from tests.benchmark_languages import LANGUAGES, OUTPUTS, number, place_on_circle, sum_of_products


def bits(rng, most=9):
    return "".join(rng.choices("01", k=rng.randint(0, most)))


def little_endian(value, rng):
    return (f"{value:b}"[::-1] if value else "0") + "0" * rng.randint(0, 2)


def even_pairs(rng):
    middle = bits(rng)
    return middle and middle + middle[0]


def walk(rng):
    moves = "".join(rng.choices("<=>", k=rng.randint(0, 20)))
    return f"{moves}{place_on_circle(moves)}"


def expression(rng):
    return rng.choice("01234") + "".join(rng.choice("+-*") + rng.choice("01234") for _ in range(rng.randint(0, 8)))


def calculation(rng):
    signs, digits = rng.choices("+-*", k=rng.randint(0, 8)), rng.choices("01234", k=9)
    value = int(digits[0])
    for sign, digit in zip(signs, digits[1:], strict=False):
        value = {"+": value + int(digit), "-": value - int(digit), "*": value * int(digit)}[sign]
    return digits[0] + "".join(a + b for a, b in zip(signs, digits[1:], strict=False)) + f"={value % 5}"


def brackets(rng, depth=3):
    if not depth:
        return ""
    pairs = (rng.choice(["()", "[]"]) for _ in range(rng.randint(0, 3)))
    return "".join(pair[0] + brackets(rng, depth - 1) + pair[1] for pair in pairs)


def sorting(rng):
    symbols = rng.choices("12345", k=rng.randint(0, 10))
    return "".join(symbols) + "#" + "".join(sorted(symbols))


def stack(rng):
    word = held = bits(rng, 4)
    for _ in range(rng.randint(0, 6)):
        if held and rng.random() < 0.5:
            word, held = word + "-", held[:-1]
        else:
            bit = rng.choice("01")
            word, held = word + "+" + bit, held + bit
    return f"{word}#{held[::-1]}"


def duplicate(rng):
    half = bits(rng) + "1" + bits(rng)
    whole = half + half
    place = rng.choice([i for i, bit in enumerate(whole) if bit == "1"])
    return whole[:place] + "_" + whole[place + 1 :]


def odds(rng):
    word = bits(rng)
    return f"{word}#{word[::2]}{word[1::2]}"


def addition(rng):
    x, y = (rng.randint(0, 200) for _ in range(2))
    return f"{little_endian(x, rng)}+{little_endian(y, rng)}={little_endian(x + y, rng)}"


MEMBERS = {
    "even-pairs": even_pairs,
    "repeat-01": lambda rng: "01" * rng.randint(0, 9),
    "begins-with-1": lambda rng: "1" + bits(rng),
    "cycle-navigation-checked": walk,
    "modular-arithmetic-checked": calculation,
    "dyck-2-3": brackets,
    "majority": lambda rng: "".join(rng.sample("1" * 9 + "0" * 8, k=17)),
    "bucket-sort": sorting,
    "stack-manipulation": stack,
    "missing-duplicate": duplicate,
    "odds-first": odds,
    "binary-addition-checked": addition,
}
"""Zoo name -> a random word of the language."""


def spoilt(word, symbols, rng):
    """Return a word with one symbol more, less or other."""
    place, symbol = rng.randint(0, len(word)), rng.choice(symbols)
    return rng.choice([word[:place] + symbol + word[place:], word[:place] + word[place + 1 :],
                       word[:place] + symbol + word[place + 1 :]])  # fmt: skip


@pytest.mark.parametrize("name", LANGUAGES)
def test_members_are_accepted_and_what_misses_by_a_symbol_is_told(name):
    rng, machine = random.Random(name), load_file(name).machine
    verdicts = []
    for _ in range(150):
        member = MEMBERS[name](rng)
        assert LANGUAGES[name](member), member
        for word in (member, spoilt(member, machine.input_symbols, rng)):
            expected = Verdict.ACCEPT if LANGUAGES[name](word) else Verdict.REJECT
            assert interpret(machine, word, max_steps=10_000).verdict is expected, word
            verdicts.append(expected)
    assert set(verdicts) == set(Verdict)


def test_every_benchmark_language_has_members():
    assert MEMBERS.keys() == LANGUAGES.keys()


def test_expressions_have_their_values():
    rng, machine = random.Random(5), load_file("modular-arithmetic").machine
    for _ in range(300):
        word = expression(rng)
        assert sum_of_products(word) == str(eval(word) % 5)
        for read in (word, spoilt(word, machine.input_symbols, rng)):
            assert interpret(machine, read).output == OUTPUTS["modular-arithmetic"](read), read


def test_the_examples_of_the_sources():
    """Those of the tasks' own descriptions."""
    assert [sum_of_products(word) for word in ("1+2*3", "1-1-1", "0*1+4*3-2")] == ["2", "4", "0"]
    assert [place_on_circle(word) for word in ("><=<<", ">>><")] == [3, 2]
    assert [LANGUAGES["even-pairs"](word) for word in ("001110", "0101001")] == [True, False]
    assert number("011") == 6


def test_the_benchmarks_are_tagged():
    tagged = {tag: {entry.name for entry in zoo().tagged(tag)} for tag in ("tomita", "flare", "chomsky-benchmark")}
    assert tagged["tomita"] == {f"tomita-{i}" for i in range(1, 8)}
    shared = {"parity", "mirror-stacks", "unmarked-reversal", "wcw"}
    assert tagged["flare"] == LANGUAGES.keys() | shared
    assert tagged["chomsky-benchmark"] == OUTPUTS.keys() | {"even-pairs", "parity"}


def test_the_word_problem_of_s5():
    group = PermutationGroup("S5")
    automaton, rng = group.automaton(), random.Random(5)
    assert len(automaton.states) == 120
    for _ in range(300):
        word = "".join(rng.choices("abcd", k=rng.randint(0, 12)))
        places = list(range(5))
        for letter in word:
            i = "abcd".index(letter)
            places[i], places[i + 1] = places[i + 1], places[i]
        assert automaton.accepts(word) == (places == sorted(places)), word
        assert automaton.accepts(word + word[::-1])

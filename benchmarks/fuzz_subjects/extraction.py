"""The automaton that a network is in a finite arithmetic, against a plain search with the executor in rationals.

As many states must be found as that search finds, the numbers of each must be those that a word to it leads to, and the
automaton and the smallest one must say of every short word what a run of it says.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

import exactnn as xn
from exactnn.arithmetic import Arithmetic, Rounding
from exactnn.automata import DFA, MooreMachine
from exactnn.equivalence import Extraction, extract_state_machine
from exactnn.equivalence.closure_check import reference_for
from exactnn.equivalence.spaces.listed import identity_of_numbers
from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import Activation
from exactnn.strategies import float_formats
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, fixed_formats
from fuzz_subjects.subject import Subject
from tests.equivalence.plain_automata import moore_classes
from tests.equivalence.recognisers import (
    FORMATS,
    label_of,
    plain_label,
    plain_states,
    random_recogniser,
    words_up_to,
)  # fmt: skip

__all__ = ["EXTRACTION"]

MOST = 120
"""States that the plain search may find."""
LENGTHS = {1: 5, 2: 3, 3: 2}
"""Of the longest words that are tried, for each number of symbols."""
EOS_STEPS = 200
NETWORKS = 3
"""Of one seed."""
CLIPPED = (Activation.SLU, Activation.HEAVISIDE)
"""With these, a network of whole numbers has finitely many states in exact arithmetic."""


@dataclass(frozen=True, slots=True)
class Case:
    seed: int
    arithmetic: Arithmetic

    def networks(self) -> Iterator[xn.Network]:
        rng = random.Random(self.seed)
        kind = {"denominators": (1,), "activations": CLIPPED} if self.arithmetic is xn.EXACT else {}
        for _ in range(NETWORKS):
            yield random_recogniser(rng, **kind)


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A seed, and a format: small ones, those that the tests know, or any."""
    kind = {ANY_FLOAT: xn.FloatFormat, ANY_FIXED: xn.FixedPoint}.get(arithmetic)
    chosen = st.just(xn.EXACT)
    if kind is not None:
        floats, fixed = float_formats(max_precision=8, max_exponent_bits=5), fixed_formats()
        any_format = floats if kind is xn.FloatFormat else fixed.filter(has_the_weights) | fixed
        known = st.sampled_from([format for format in FORMATS if isinstance(format, kind)])
        chosen = (any_format | known).filter(lambda format: format.rounding is not Rounding.STOCHASTIC)
    return Case(draw(st.integers(0, 10**9)), draw(chosen))


def has_the_weights(format: xn.FixedPoint) -> bool:
    """Whether a format has the numbers from -4 to 4: others refuse nearly every network."""
    return format.lowest_word <= -4 << format.fraction_bits and format.largest_word >= 4 << format.fraction_bits


def check(arithmetic: str, case: Case) -> None:
    for network in case.networks():
        text = f"{network!r} with {network.circuit} from {network.initial_state} in {case.arithmetic!r}"
        try:
            expected = plain_states(network, case.arithmetic, MOST)
        except UnsupportedArithmeticError:
            continue  # a weight is beyond the numbers of a format
        found = extract_state_machine(network, case.arithmetic, max_states=MOST if expected is None else 50 * MOST)
        if expected is None:
            assert not found.complete, f"all of {found.states} states, but there are more: {text}"
            continue
        assert found.states == len(expected), f"{found.states} states, not {len(expected)}: {text}"
        if found.complete:
            check_automata(found, text)


def check_automata(found: Extraction, text: str) -> None:
    network, table = found.network, found.table
    executor = reference_for(network, found.arithmetic)
    for word in words_up_to(network.input_symbols, LENGTHS[len(network.input_symbols)]):
        state, number = executor.start(), table.initial_state
        for symbol in word:
            state = executor.advance(state, network.alphabet.index(symbol), 1, until_decided=False).state
            number = int(table.transitions[number, table.symbols.index(symbol)])
        numbers, expected = found.values(number), executor.values(state)
        same = identity_of_numbers(numbers) == identity_of_numbers(expected)
        assert same, f"after {word} {numbers}, not {expected}: {text}"
        label = plain_label(network, found.arithmetic, word, EOS_STEPS)
        for automaton in (found.automaton, found.minimal):
            check_label(automaton, word, label, text)
    smallest = len(set(moore_classes(table).values()))
    assert len(found.minimal.states) == smallest, f"{len(found.minimal.states)} states, not {smallest}: {text}"


def check_label(automaton: DFA | MooreMachine, word: tuple[str, ...], label: object, text: str) -> None:
    said = label_of(automaton, word)
    assert label is None or said == label, f"of {word} it says {said}, not {label}: {text}"


EXTRACTION = Subject(cases=cases, check=check, arithmetics=("exact", ANY_FLOAT, ANY_FIXED))

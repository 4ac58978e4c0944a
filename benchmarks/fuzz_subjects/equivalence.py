"""Whether two systems say the same of every word, against what both say of every short word, one word at a time.

Words that a machine does not end within the limit are unsettled. Of exact runs on EOS without a verdict it is open
whether they are told not to halt: there less is asked.
"""

from math import inf
from typing import Any

from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import TuringMachine, interpret
from exactnn.equivalence import Equivalence, equivalent
from exactnn.outcome import Outcome
from fuzz_subjects.drawn_systems import PAIRS, STATES, Case, System, case_of
from fuzz_subjects.subject import Subject
from tests.equivalence.recognisers import label_of, plain_label, words_up_to

__all__ = ["EQUIVALENCE"]

LENGTHS = {1: 6, 2: 4, 3: 3}
"""Of the longest words that are tried, for each number of symbols."""
EOS_STEPS = 300
"""On which a network in a format is followed by the plain executor."""
OPEN, UNSETTLED = "open", "unsettled"


def says(system: System, word: tuple[str, ...], options: dict[str, Any]) -> object:
    """Return what a system says of a word."""
    if isinstance(system, TuringMachine):
        label: object = interpret(system, word, max_steps=options["max_steps"]).outcome
        label = UNSETTLED if label is Outcome.STEP_LIMIT else label
    elif isinstance(system, tuple):
        exact = system[1] is xn.EXACT
        label = plain_label(*system, word, options["max_steps"] if exact else EOS_STEPS)
        label = OPEN if label is None or (exact and label is Outcome.NON_HALTING) else label
    else:
        label = label_of(system, word)
    return label == Outcome.ACCEPTED if options["by"] == "acceptance" and label not in (OPEN, UNSETTLED) else label


def compared(case: Case, length: int) -> tuple[float, float, float]:
    """Return how long the shortest words are that tell the two apart, that are unsettled, and that are open."""
    found = {"apart": inf, UNSETTLED: inf, OPEN: inf}
    for word in words_up_to(symbols_of(case), length):
        said = {says(system, word, case.options) for system in (case.first, case.second)}
        for kind in [OPEN] if OPEN in said else [UNSETTLED] if UNSETTLED in said else ["apart"][: len(said) - 1]:
            found[kind] = min(found[kind], len(word))
    return found["apart"], found[UNSETTLED], found[OPEN]


def symbols_of(case: Case) -> tuple[str, ...]:
    return case.first[0].input_symbols if isinstance(case.first, tuple) else case.first.input_symbols


def check(arithmetic: str, seed: int) -> None:
    case = case_of(arithmetic, seed)
    length = LENGTHS[len(symbols_of(case))]
    if case.options["max_length"] is not None:
        length = min(length, case.options["max_length"])
    found = equivalent(case.first, case.second, **case.options)
    for text in faults(case, found, length):
        raise AssertionError(f"{found!r}, bound {found.bound}, {found.reason}: {text}; of {case}, seed {seed}")


def faults(case: Case, found: Equivalence, length: int) -> list[str]:
    """Return what is wrong with an answer."""
    apart, unsettled, opened = compared(case, length)
    bound = inf if found.bound is None else found.bound
    wrong = []
    if (found.equal is True) != (found.bound is None) or (found.equal is None) != bool(found.reason):
        wrong.append("a bound or a reason does not go with the answer")
    if "were not compared" in found.reason and found.bound != case.options["max_length"]:
        wrong.append("it is not the length that leaves it open")
    if min(apart, unsettled) <= min(bound, length):
        wrong.append(f"apart at {apart}, unsettled at {unsettled}")
    if found.witness is not None:
        said = [says(system, found.witness, case.options) for system in (case.first, case.second)]
        labels = [label == Outcome.ACCEPTED if case.options["by"] == "acceptance" else label for label in found.labels]
        if OPEN not in said and (said != labels or said[0] == said[1]):
            wrong.append(f"of the word they say {said}, not {labels}")
    if opened < inf or case.options["max_states"] < STATES or "limit of states" in found.reason:
        return wrong
    if found.witness is None and apart < unsettled:
        wrong.append(f"there is a word of {apart} symbols")
    end = len(found.witness) if found.witness is not None else inf
    if found.witness is not None and end <= unsettled and apart != (end if end <= length else inf):
        wrong.append(f"there is a word of {apart} symbols")
    most = case.options["max_length"]
    expected = min(end - 1, unsettled - 1, inf if most is None else most)
    if found.equal is not True and expected <= length and bound != expected:
        wrong.append(f"words were compared up to {expected}")
    return wrong


EQUIVALENCE = Subject(cases=lambda arithmetic: st.integers(0, 10**9), check=check, arithmetics=tuple(PAIRS))

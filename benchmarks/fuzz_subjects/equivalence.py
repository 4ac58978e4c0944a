"""Whether two systems say the same of every word, against what both say of every short word, one word at a time.

Automata, networks in formats and exactly, and Turing machines are compared with others that are nearly the same. Words
that a machine does not end within the limit are unsettled. Of exact runs on EOS without a verdict it is open whether
they are told not to halt: there less is asked.
"""

import random
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from gmpy2 import mpq
from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import DFA, MooreMachine, TuringMachine, interpret
from exactnn.constructions import minsky
from exactnn.equivalence import Equivalence, equivalent
from exactnn.networks import PIECEWISE_LINEAR, Activation
from exactnn.outcome import Outcome
from fuzz_subjects.subject import Subject
from tests.equivalence.recognisers import FORMATS, label_of, plain_label, random_dfa, random_recogniser, words_up_to

__all__ = ["EQUIVALENCE"]

SMALL = [format for format in FORMATS if format not in (xn.FLOAT32, xn.FLOAT64)]
LENGTHS = {1: 6, 2: 4, 3: 3}
"""Of the longest words that are tried, for each number of symbols."""
EOS_STEPS = 300
"""On which a network in a format is followed by the plain executor."""
STATES = 15_000
"""More than short words lead to, with those EOS steps; where there is room for fewer, less is asked."""
OPEN, UNSETTLED = "open", "unsettled"

System = DFA | MooreMachine | TuringMachine | tuple[xn.Network, Any]


@dataclass(frozen=True, slots=True)
class Case:
    first: System
    second: System
    options: dict[str, Any]


def automata(rng: random.Random) -> tuple[System, System]:
    """Return a DFA, with one final state changed or not, and another that may be a network or a Moore machine."""
    symbols = rng.choice(("a", "ab", "ab", "abc"))
    first = random_dfa(rng, rng.randint(1, 7), symbols)
    turned = {rng.choice(first.states)} if rng.random() < 0.7 else set()
    parts = {"states": first.states, "transitions": first.transitions, "initial_state": first.initial_state}
    parts["input_symbols"] = rng.sample(symbols, len(symbols))
    second = DFA(final_states=turned ^ set(first.final_states), **parts)
    if rng.random() < 0.2:
        said = {q: str(Outcome.ACCEPTED if q in second.final_states else Outcome.REJECTED) for q in second.states}
        return first, MooreMachine(outputs=said, **parts)
    return first, rng.choice((second, (minsky(second).network, rng.choice((*SMALL[:4], xn.EXACT)))))


def networks(rng: random.Random) -> tuple[System, System]:
    """Return two networks that have one bias apart, or are the same, in one arithmetic or in two."""
    format = rng.choice((*SMALL, xn.EXACT))
    other = format if rng.random() < 0.7 else rng.choice((*SMALL, xn.EXACT))
    activations = PIECEWISE_LINEAR if xn.EXACT in (format, other) else tuple(Activation)
    first = random_recogniser(rng, activations=activations)
    unit = first.readout[0]
    bias = unit.bias + rng.choice((0, mpq(1, 4), mpq(-1, 2)))
    return (first, format), (replace(first, readout=(replace(unit, bias=bias),)), other)


def machines(rng: random.Random) -> tuple[System, System]:
    """Return a Turing machine and the same with one rule changed, or its network."""
    running = [f"q{i}" for i in range(rng.randint(1, 3))]
    rows = {q: {a: random_rule(rng, running) for a in "_ab"} for q in running}
    first = turing_machine(running, rows)
    if rng.random() < 0.3:
        return first, (xn.compile(first).network, xn.EXACT)
    state, symbol = rng.choice(running), rng.choice("_ab")
    return first, turing_machine(running, rows | {state: rows[state] | {symbol: random_rule(rng, running)}})


def random_rule(rng: random.Random, running: list[str]) -> tuple[str, str, str]:
    return rng.choice((*running, *running, "yes", "no")), rng.choice("_ab"), rng.choice("LR")


def turing_machine(running: list[str], rows: dict[str, Any]) -> TuringMachine:
    return TuringMachine(
        states=[*running, "yes", "no"], input_symbols="ab", tape_symbols="_ab", transitions=rows, initial_state="q0",
        blank_symbol="_", accept_state="yes", reject_state="no", tape="two_way_infinite",
    )  # fmt: skip


PAIRS = {"automata": automata, "networks": networks, "machines": machines}


def case_of(arithmetic: str, seed: int) -> Case:
    rng = random.Random(seed)
    first, second = PAIRS[arithmetic](rng)
    options = {
        "by": rng.choice(("outcome", "outcome", "acceptance")),
        "max_length": rng.choice((None, None, 0, 1, 2, 3, 6)) if arithmetic == "automata" else rng.randint(0, 4),
        "max_steps": rng.choice((2, 5, 20, 60)),
        "max_states": rng.choice((3, 12, *[STATES] * 6)),
    }
    return Case(first, second, options)


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
        raise AssertionError(f"{found!r}, bound {found.bound}, {found.reason}: {text}; of {case}")


def faults(case: Case, found: Equivalence, length: int) -> list[str]:
    """Return what is wrong with an answer."""
    apart, unsettled, opened = compared(case, length)
    bound = inf if found.bound is None else found.bound
    wrong = []
    if (found.equal is True) != (found.bound is None) or (found.equal is None) != bool(found.reason):
        wrong.append("a bound or a reason does not go with the answer")
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


EQUIVALENCE = Subject(
    cases=lambda arithmetic: st.integers(0, 10**9), check=check, arithmetics=("automata", "networks", "machines")
)

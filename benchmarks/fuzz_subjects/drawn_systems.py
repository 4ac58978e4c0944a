"""Pairs of automata, of networks in formats and exactly, and of Turing machines, that are nearly the same."""

import random
from dataclasses import dataclass, replace
from typing import Any

from gmpy2 import mpq

import exactnn as xn
from exactnn.automata import DFA, MooreMachine, TuringMachine
from exactnn.constructions import minsky
from exactnn.networks import ACTIVATIONS, PIECEWISE_LINEAR
from exactnn.outcome import Outcome
from tests.equivalence.recognisers import FORMATS, random_dfa, random_recogniser

__all__ = ["PAIRS", "STATES", "Case", "System", "case_of"]

SMALL = [format for format in FORMATS if format not in (xn.FLOAT32, xn.FLOAT64)]
STATES = 15_000
"""More than short words lead to, with those EOS steps; where there is room for fewer, less is asked."""

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
    activations = PIECEWISE_LINEAR if xn.EXACT in (format, other) else tuple(ACTIVATIONS.values())
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

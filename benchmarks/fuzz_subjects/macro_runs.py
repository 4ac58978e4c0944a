"""Long runs of Turing machines in the exact engine, with macro steps and rules from early on, beside a plain tape.

A run begins on a blank tape, or on a few long runs of cells, which machines that go to and fro turn into others. It is
stopped now and then, and goes on from there, or from what a checkpoint would have kept.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from unittest.mock import patch

from hypothesis import strategies as st

import exactnn as xn
from exactnn.automata import tape_configuration
from exactnn.networks import EOS
from exactnn.simulation.positional import macro
from exactnn.simulation.positional.executor import ExactExecutor
from fuzz_subjects.plain_tape import PlainTape, swinging_machine
from fuzz_subjects.subject import Subject

__all__ = ["MACRO_RUNS"]

SIZES = ((2, 2), (3, 2), (4, 2), (5, 2), (2, 3), (3, 3), (2, 4))
"""States and symbols of the machines."""

EAGER = {"WORTHWHILE": 0, "STILL_WORTHWHILE": 0, "TRIAL": 50, "LONG_SLICE": 40}
"""Macro mode that is tried for any stretch."""

MOVES_AFTER = 3000
"""Moves that a machine is watched for which is proven never to halt."""

WAYS = (("rules",), ("rules",), ("rules",), ("loop", "rules"), ("loop",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A machine as text, the tape it begins on, and how the engine runs it; stops are (moves, whether it is packed)."""

    text: str
    tape: tuple[str, str, str]
    base: int | None
    macro_after: int
    digits: tuple[int, ...]
    ways: tuple[str, ...]
    stops: tuple[tuple[int, bool], ...]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    states, symbols = draw(st.sampled_from(SIZES))
    symbol = st.sampled_from("0123"[:symbols])
    runs = st.lists(st.builds(str.__mul__, symbol, st.integers(1, 50)), max_size=3).map("".join)
    tape = (draw(runs), draw(symbol), draw(runs))
    stop = st.tuples(st.integers(1, 50) | st.integers(2000, 20_000), st.booleans())
    return Case(
        text=swinging_machine(draw(st.integers(0, 2**32)), states, symbols, tape).name,
        tape=tape,
        base=draw(st.sampled_from((None, 9, 10) if symbols == 4 else (None, 7, 8, 9, 10))),
        macro_after=draw(st.sampled_from((0, 0, 60, 500))),
        digits=draw(st.sampled_from(((2,), (3,), (4,), macro.DIGITS))),
        ways=draw(st.sampled_from(WAYS)),
        stops=tuple(draw(st.lists(stop, min_size=2, max_size=4))),
    )


@contextmanager
def eager(digits: tuple[int, ...], ways: tuple[str, ...]) -> Iterator[None]:
    """Let macro mode have limbs of these lengths, and go its ways in turn, not the faster: a case is the same again."""
    turns = cycle(ways)
    with patch.multiple(macro, DIGITS=digits, **EAGER), patch.object(macro.Runner, "_way", lambda runner: next(turns)):
        yield


def check(arithmetic: str, case: Case) -> None:
    found = xn.load(case.text)
    machine = replace(found, input_symbols=found.tape_symbols[1:])  # they may be on the tape from the beginning
    left, scanned, right = case.tape
    tape = PlainTape(machine, tape_configuration(machine, "A", left, scanned, right))
    tape.advance(1)  # the first state may be one that no rule leads to
    if not tape.halted:
        with eager(case.digits, case.ways):
            check_run(case, machine, tape)


def check_run(case: Case, machine: xn.TuringMachine, tape: PlainTape) -> None:
    """Compare steps, outcome, outputs and configuration wherever the run is stopped."""
    net = xn.siegelmann_sontag(machine, base=case.base)
    network = replace(net.network, initial_state=net.encode(tape.configuration))
    executor = ExactExecutor(network, warm_up=0, macro_after=case.macro_after)
    state, steps = executor.start(), 0
    for count, packed in case.stops:
        told = f"{case}, {count} moves after {steps}"
        try:
            if packed:
                state = executor.unpack(json.loads(json.dumps(executor.pack(state))))
            state, taken, outputs, outcome = advanced(executor, state, count)
            found = net.decode(executor.values(state))
        except Exception as error:  # where a wrong state leads to may be anything
            raise AssertionError(f"{told}, {executor.engine}: {error!r}") from error
        never = outcome is xn.Outcome.NON_HALTING
        moves = tape.advance(taken if never else count)
        told, steps = f"{told}, {executor.engine}", steps + moves
        assert taken == moves, f"{told}: {taken} steps"
        assert never or outcome is (xn.Outcome.HALTED if tape.halted else None), f"{told}: {outcome} in {tape.state}"
        assert outputs == [0] * (moves - tape.halted) + [1] * tape.halted, f"{told}: outputs {outputs}"
        assert found == tape.configuration, f"{told}: {found}, not {tape.configuration}"
        if never:
            tape.advance(MOVES_AFTER)
            assert not tape.halted, f"{told}: it halts later"
        if never or tape.halted:
            return


def advanced(executor: ExactExecutor, state: object, count: int) -> tuple[object, int, list[object], xn.Outcome | None]:
    """Take so many steps, or those up to the verdict; return state, steps, outputs and outcome."""
    symbol, outputs, outcome, taken = executor.network.alphabet.index(EOS), [], None, 0
    while taken < count and outcome is None:
        segment = executor.advance(state, symbol, count - taken, until_decided=True)
        assert segment.steps > 0 or segment.outcome is xn.Outcome.NON_HALTING, "no step was taken"
        state, outcome = segment.state, segment.outcome
        taken += segment.steps
        outputs += [output for output, times in segment.outputs for _ in range(times)]
    return state, taken, outputs, outcome


MACRO_RUNS = Subject(cases=cases, check=check)

"""Runs under EOS that come to a state again: the cycle that `run` reports beside a dictionary of all states.

States come one at a time from what an arithmetic means: plain fractions, or a format computed in rationals. Where
rounding is stochastic the same state may be followed by another one, and no run is a cycle.
"""

from typing import Any

from gmpy2 import mpq
from hypothesis import strategies as st
from odometer import odometer
from plain_circuit import Plain, fraction, proof_step

import exactnn as xn
from exactnn.arithmetic import Rounding
from exactnn.errors import UnsupportedArithmeticError
from exactnn.networks import EOS, Activation, Protocol
from exactnn.simulation import Cycle
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedFixedExecutor
from exactnn.strategies import networks, rationals, words
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, FORMATS, Format, formats, pools
from fuzz_subjects.subject import Subject

__all__ = ["CYCLES"]

EXACT = {"exact": xn.EXACT, "rational": xn.RATIONAL}
SHORT, LONG = 12, 90
"""EOS steps of networks whose numbers may grow, and of those whose states are few."""

ENDLESS = (Protocol.EOS_VERDICT, Protocol.EOS_HALT)
HARD = (Activation.HEAVISIDE, Activation.SLU)
WHOLE = st.integers(-2, 2).map(mpq)

Case = tuple[xn.Network, tuple[object, ...], Format | None, int]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A network that reads EOS, a word, a format; and after how many steps of EOS the run is stopped."""
    format = None if arithmetic in EXACT else draw(formats(arithmetic))
    kind = draw(st.sampled_from(("few states", "counts", "any")))
    longest = SHORT if kind == "any" and format is None else LONG
    numbers = rationals() if format is None else st.sampled_from(draw(pools(format)))
    network = draw(networks_of(kind, numbers))
    word = draw(words([symbol for symbol in network.alphabet if symbol != EOS], max_size=4))
    return network, word, format, draw(st.just(longest) | st.integers(0, longest))


def networks_of(kind: str, numbers: st.SearchStrategy[mpq]) -> st.SearchStrategy[xn.Network]:
    if kind == "counts":
        return counters()
    if kind == "few states":
        return networks(weights=WHOLE, activations=HARD, protocols=ENDLESS, max_state=6, max_units=6, max_layers=2)
    return networks(weights=numbers, protocols=ENDLESS)


@st.composite
def counters(draw: st.DrawFn) -> xn.Network:
    """Networks whose cycle is long, and begins late; some come to a verdict on the way."""
    base = draw(st.integers(2, 4))
    verdict_at = draw(st.none() | st.integers(1, base - 1))
    return odometer(draw(st.integers(1, 3)), base, preperiod=draw(st.integers(0, 9)), verdict_at=verdict_at)


class Plainly:
    """A network in fractions, on symbols by their numbers."""

    def __init__(self, network: xn.Network) -> None:
        self.plain = Plain(network, fraction)
        self.values, self.start = tuple, self.plain.start

    def step(self, state: Any, symbol: int) -> tuple[Any, Any]:
        """Return the next state and its output."""
        following = self.plain.step(state, self.plain.one_hot(self.plain.network.alphabet[symbol]))
        return following, self.plain.output(following)


class Rationally:
    """A network in what a format means."""

    def __init__(self, network: xn.Network, format: Format) -> None:
        fixed = isinstance(format, xn.FixedPoint)
        self.executor = (EmulatedFixedExecutor if fixed else EmulatedExecutor)(network, format)
        self.values, self.start = self.executor.values, self.executor.start

    def step(self, state: Any, symbol: int) -> tuple[Any, Any]:
        """Return the next state and its output, which takes random numbers too."""
        segment = self.executor.advance(state, symbol, 1, until_decided=False)
        return segment.state, segment.outputs[0][0]


def number(value: Any) -> object:
    """Return what tells a number from others: all NaNs are alike, and 0 is not -0."""
    if isinstance(value, float):
        return mpq(value) if value and abs(value) < float("inf") else repr(value).replace("-nan", "nan")
    return mpq(value) if value else "0.0"


def repeats(format: Format | None) -> bool:
    """Return whether the same state is always followed by the same one."""
    return format is None or Rounding.STOCHASTIC not in (format.rounding, (format.accumulator or format).rounding)


def expectation(
    plain: Plainly | Rationally, network: xn.Network, word: tuple[object, ...], limit: int, repeating: bool
) -> tuple[xn.Outcome, int, Cycle | None, list[object]]:
    """Return outcome, EOS steps, cycle and the outputs of these, by a dictionary of all states."""
    state, eos = plain.start(), network.alphabet.index(EOS)
    for symbol in network.inputs(word):
        state, _ = plain.step(state, symbol)
    seen, outputs, cycle = {tuple(map(number, plain.values(state))): 0}, [], None
    for step in range(1, limit + 1):
        state, output = plain.step(state, eos)
        outputs.append(number(output))
        compared = output if isinstance(output, float) else fraction(output)  # gmpy2 fails on an mpq and a Fraction
        verdict = Plain(network, fraction).outcome(compared, 1, 0)
        if verdict is not None:
            return verdict, step, None, outputs
        before = seen.setdefault(tuple(map(number, plain.values(state))), step)
        if cycle is None and before < step and repeating:
            cycle = Cycle(preperiod=before, period=step - before)
        if cycle is not None and step == proof_step(cycle.preperiod, cycle.period):
            return xn.Outcome.NON_HALTING, step, cycle, outputs
    return xn.Outcome.STEP_LIMIT, limit, None, outputs


def check(arithmetic: str, case: Case) -> None:
    network, word, format, limit = case
    try:
        plain = Plainly(network) if format is None else Rationally(network, format)
        numbers = EXACT.get(arithmetic, format)
        run = xn.run(network, word, arithmetic=numbers, max_steps=len(word) + limit)
    except UnsupportedArithmeticError:
        return
    expected = expectation(plain, network, word, limit, repeats(format))
    found = (run.outcome, run.eos_steps, run.cycle, [number(y) for y in run.outputs[len(word) :]])
    told = f"{network!r} {network.circuit}, {network.initial_state}, {network.readout}, {network.decision}, on {word}"
    assert found == expected, f"{told}, {limit} EOS steps in {numbers!r}: {found}, not {expected}"
    assert run.steps == len(word) + run.eos_steps, f"{told} in {numbers!r}: {run!r}"


CYCLES = Subject(cases=cases, check=check, arithmetics=(*EXACT, *FORMATS, ANY_FLOAT, ANY_FIXED))

"""Networks at random in interval arithmetic: the exact run lies in the enclosures, and verdicts are the exact ones.

The exact run is one in rationals, or, where there are smooth units, one by MPFR with some hundred bits. Some networks
are large and dense, as those that Arb multiplies.
"""

import random
from collections.abc import Iterable, Sequence

from gmpy2 import mpq
from hypothesis import strategies as st
from plain_mpfr import holds, states_by_mpfr

import exactnn as xn
from exactnn.networks import PIECEWISE_LINEAR
from exactnn.outcome import Outcome
from exactnn.simulation.smooth_units import has_smooth_units
from exactnn.strategies import rationals
from fuzz_subjects.random_networks import SMOOTH, Word, networks_and_words
from fuzz_subjects.subject import Subject

__all__ = ["INTERVAL_RUNS"]

BITS = {f"{bits} bits": bits for bits in (2, 5, 24, 53, 200)}
LIMIT = 12
DENSE = 40
"""Neurons of a dense network."""


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> tuple[xn.Network, Word]:
    """A network with units of any kind, or a dense one, and a word."""
    if draw(st.integers(0, 9)) == 9:
        return draw(dense_networks()), draw(st.lists(st.just((mpq(1),)), max_size=LIMIT).map(tuple))
    kinds = PIECEWISE_LINEAR if draw(st.booleans()) else (*PIECEWISE_LINEAR, *SMOOTH)
    return draw(networks_and_words(st.sampled_from(draw(few_numbers(BITS[arithmetic]))), activations=kinds))


@st.composite
def few_numbers(draw: st.DrawFn, bits: int) -> tuple[mpq, ...]:
    """A few numbers and their negatives, some smaller than the last bits of others, or next to such with few bits."""
    little = st.integers(bits - 1, 2 * bits + 60).map(lambda k: mpq(1, 1 << k))
    nearly = st.builds(lambda x, y: x + y, st.sampled_from((mpq(1), mpq(-1))), little)
    numbers = st.one_of(rationals(), st.just(mpq(1)), little, little.map(lambda x: x / 3), nearly)
    pool = draw(st.lists(numbers, min_size=1, max_size=4))
    return mpq(0), *pool, *(-x for x in pool)


@st.composite
def dense_networks(draw: st.DrawFn) -> xn.Network:
    """A simple RNN whose numbers come from a seed."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    activation = draw(st.sampled_from((*PIECEWISE_LINEAR, *SMOOTH)))

    def numbers(count: int) -> list[mpq]:
        return [mpq(rng.randint(-9, 9), rng.choice((2, 3, 40))) for _ in range(count)]

    return xn.SimpleRNN(
        V=[numbers(DENSE) for _ in range(DENSE)],
        W=[numbers(1) for _ in range(DENSE)],
        b=numbers(DENSE),
        s=numbers(DENSE),
        readout_weight=numbers(DENSE),
        activation=activation,
    )


def check(arithmetic: str, case: tuple[xn.Network, Word]) -> None:
    network, word = case
    limit = min(len(word) + 3, LIMIT)
    word = word[:limit]
    run = xn.run(network, word, arithmetic=xn.Interval(bits=BITS[arithmetic]), record="all", max_steps=limit)
    assert len(run.trace) == len(run.outputs) + 1 == run.steps + 1, f"{case}: {run!r}"
    if run.outcome is Outcome.BIT_LIMIT:
        last = [run.initial_output, *run.outputs][-1]
        assert grows_beyond_all_floats(network) or can_be_undecided(network, last), f"{case}: {run!r}"
    if has_smooth_units(network):
        contained(run.trace, states_by_mpfr(network, network.inputs(word)), case)
        return
    exact = xn.run(network, word, arithmetic=xn.RATIONAL, record="all", max_steps=limit)
    contained(run.trace, exact.trace, case)
    contained(map(numbers_of, run.outputs), map(numbers_of, exact.outputs), case)
    decided = run.outcome is not Outcome.BIT_LIMIT and exact.outcome is not Outcome.NON_HALTING
    assert not decided or (run.outcome, run.steps) == (exact.outcome, exact.steps), case


def grows_beyond_all_floats(network: xn.Network) -> bool:
    """Whether numbers may get so large, by exp of exp, that their enclosures have no end."""
    return any(unit.activation == xn.Activation.EXP for layer in network.circuit.layers for unit in layer)


def can_be_undecided(network: xn.Network, output: xn.Enclosure) -> bool:
    """Whether the numbers of an enclosure are on both sides of a threshold, or on one."""
    ends = (network.decision.threshold, -network.decision.threshold)
    return any(output.low <= end <= output.high and output.low < output.high for end in ends)


def numbers_of(output: object) -> tuple[object, ...]:
    return output if isinstance(output, tuple) else (output,)


def contained(rows: Iterable[Sequence[xn.Enclosure]], exact: Iterable[Sequence[mpq]], case: object) -> None:
    for step, (enclosures, numbers) in enumerate(zip(rows, exact, strict=False)):
        for i, (enclosure, number) in enumerate(zip(enclosures, numbers, strict=True)):
            assert holds(enclosure, number), f"{case}, step {step}, {i}: {number} not in {enclosure}"


INTERVAL_RUNS = Subject(cases=cases, check=check, arithmetics=tuple(BITS))

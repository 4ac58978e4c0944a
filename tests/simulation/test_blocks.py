"""Several steps of direct mode at once, forced at once: bit for bit the single steps of the reference."""

import random
from contextlib import suppress
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from exactnn.constructions import siegelmann_sontag
from exactnn.machine_files import load
from exactnn.networks import EOS
from exactnn.simulation.positional import block_table, blocks, words
from exactnn.simulation.positional.direct import DirectEngine
from exactnn.simulation.positional.numeral_kernels import SLOT
from exactnn.simulation.positional.radix import radix_of
from exactnn.simulation.positional.several_steps import Form, SeveralSteps
from exactnn.simulation.positional.table_kernels import GrowingArray
from tests.simulation.exact_networks import KINDS, LIMBS, Trace, compare, fast, forever, tapes

FEW = settings(max_examples=8)
RANDOM = st.builds(random.Random, st.integers(0, 10**9))
LENGTHS = (1, 5, 6, 15, 16, 17, 18, 31, 60, 200)


def lengths(rng):
    """Lengths of slices that end inside blocks as well as between them."""
    return forever(lambda: rng.choice(LENGTHS))


@pytest.mark.mostly_slow(quick=8)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("until_decided", [False, True])
@FEW
@given(rng=RANDOM)
def test_every_state_and_output(kind, until_decided, rng):
    """The second time all steps are known that blocks are made of."""
    trace = Trace(kind(rng, steps=60))
    executor = fast(trace.network, macro=False, block_pace=0, limb_digits=rng.choice((None, *LIMBS)))
    leading = rng.choice((1 << 12, 1 << rng.randint(3, 11)))
    with patch.multiple(blocks, LEADING=leading, WIDE=1 << rng.randint(3, 14), SETTLED=rng.choice((0, 100, 10**6))):
        for _ in range(4):
            compare(trace, executor, lengths(rng), until_decided=until_decided)


@pytest.mark.slow
@FEW
@given(rng=RANDOM)
def test_long_random_tapes(rng):
    trace = Trace(tapes(rng, steps=300))
    executor = fast(trace.network, macro=False, block_pace=0)
    for _ in range(2):
        compare(trace, executor, lengths(rng), until_decided=rng.random() < 0.5)


def beaver(name, pace):
    """Return the engine of a busy beaver's network after its run, and the run's steps, outputs and end."""
    network = siegelmann_sontag(load(name)).network
    engine = DirectEngine(network, radix_of(network), block_pace=pace)
    state = engine.load(network.initial_state)
    return engine, engine.advance(state, network.alphabet.index(EOS), 10**7, until_decided=True)


@pytest.mark.parametrize("name", ["bb2", "bb3", "bb4", "bb2x4"])
def test_whole_runs(name):
    expected_engine, expected = beaver(name, None)
    engine, found = beaver(name, 0)
    assert (found.steps, found.outputs, found.decided) == (expected.steps, expected.outputs, expected.decided)
    assert engine.values(found.state) == expected_engine.values(expected.state)
    assert engine.slots[-SLOT:].tolist() == expected_engine.slots[-SLOT:].tolist()  # the slot of 0


def steps_of_blocks(engine):
    """Return how many steps each block of an engine is."""
    blocks = engine.blocks.arrays.blocks.reshape(-1, words.BLOCK_SIZE)
    return [steps for steps in blocks[:, words.K_STEPS].tolist() if steps]


def test_blocks_are_several_steps():
    """The tests above would pass without any."""
    engine, _ = beaver("bb2x4", 0)
    steps = steps_of_blocks(engine)
    assert len(steps) > 20
    assert max(steps) >= 8


@pytest.mark.parametrize("constant", ["MOST_NODES", "MOST_BLOCKS", "MOST_STEPS"])
def test_blocks_are_not_written_without_end(constant, monkeypatch):
    monkeypatch.setattr(block_table, constant, 1)
    expected_engine, expected = beaver("bb4", None)
    engine, found = beaver("bb4", 0)
    assert (found.steps, found.outputs) == (expected.steps, expected.outputs)
    assert engine.values(found.state) == expected_engine.values(expected.state)


@pytest.mark.parametrize(
    "where", [(np, "append"), (block_table, "SeveralSteps"), (GrowingArray, "append")], ids=["a class", "room", "words"]
)
def test_ctrl_c_while_blocks_are_written(where, monkeypatch):
    """Whoever goes on with the engine gets the same, whatever was half written."""
    network = siegelmann_sontag(load("bb2x4")).network
    eos, steps = network.alphabet.index(EOS), 20_000
    plain = DirectEngine(network, radix_of(network))
    expected = plain.advance(plain.load(network.initial_state), eos, steps, until_decided=True)
    holder, name = where
    real = getattr(holder, name)
    for moment in range(1, 40):
        engine = DirectEngine(network, radix_of(network), block_pace=0)
        calls = 0

        def interrupted(*arguments, moment=moment):
            nonlocal calls
            calls += 1
            if calls == moment:
                raise KeyboardInterrupt
            return real(*arguments)

        state = engine.load(network.initial_state)
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(holder, name, interrupted)
            engine.advance(state, eos, steps, until_decided=True)
        found = engine.advance(state, eos, steps, until_decided=True)
        assert (found.steps, found.outputs, found.decided) == (expected.steps, expected.outputs, expected.decided)
        assert engine.values(found.state) == plain.values(expected.state)


def test_digits_that_come_too_late_for_a_class(monkeypatch):
    """They have no block, and it is none of those that have one."""
    monkeypatch.setattr(block_table, "MOST_CLASSES", 4)
    expected_engine, expected = beaver("bb4", None)
    engine, found = beaver("bb4", 0)
    assert engine.blocks.table.classes == 4
    assert (engine.blocks.arrays.table < 0).any()
    assert (found.steps, found.outputs) == (expected.steps, expected.outputs)
    assert engine.values(found.state) == expected_engine.values(expected.state)


def run_in_parts(name, *, settled, most=None):
    """Run a busy beaver by a hundred steps at a time; return what digits blocks looked at, engine, state and steps."""
    network = siegelmann_sontag(load(name)).network
    engine = DirectEngine(network, radix_of(network), block_pace=0)
    state, steps, digits, given = engine.load(network.initial_state), 0, [], network.alphabet.index(EOS)
    with (
        patch.multiple(blocks, SETTLED=settled, LEADING=1 << 6),
        patch.object(block_table, "MOST_CLASSES", most or 128),
    ):
        while True:
            found = engine.advance(state, given, 100, until_decided=True)
            state, steps = found.state, steps + found.steps
            if engine.blocks.table is not None and engine.blocks.table.digits not in digits[-1:]:
                digits.append(engine.blocks.table.digits)
            if found.decided:
                return digits, engine, state, steps


@pytest.mark.parametrize(
    ("settled", "most", "digits"),
    [(10**9, None, [6]), (1000, None, [6, 18]), (1000, 16, [6, 18, 6])],
    ids=["few", "more", "fewer again"],
)
def test_blocks_look_at_more_digits_where_few_come_up(settled, most, digits, monkeypatch):
    """And at fewer again where there are too many of these."""
    monkeypatch.setattr(blocks, "FEW", 32)
    expected_engine, expected = beaver("bb2x4", None)
    found, engine, state, steps = run_in_parts("bb2x4", settled=settled, most=most)
    assert (found, steps) == (digits, expected.steps)
    assert engine.values(state) == expected_engine.values(expected.state)


class Witness:
    """One that keeps all transitions."""

    def __init__(self):
        self.trace = np.zeros(1 << 12, dtype=np.int64)
        self.seen = []

    def saw(self, taken):
        self.seen += self.trace[:taken].tolist()

    def back(self):
        pass


def test_a_traced_run_takes_single_steps():
    """Whoever is told the transitions is told those of each step, even after blocks were written."""
    engine, found = beaver("bb4", 0)
    assert found.steps > 100
    witness, network = Witness(), engine.network
    state = engine.load(network.initial_state)
    again = engine.advance(state, network.alphabet.index(EOS), 10**6, until_decided=True, witness=witness)
    assert (again.steps, again.outputs) == (found.steps, found.outputs)
    assert len(witness.seen) == again.steps
    assert set(witness.seen) <= set(engine.program.transitions)


@cache
def of_bb2(known):
    network = siegelmann_sontag(load("bb2")).network
    return SeveralSteps(DirectEngine(network, radix_of(network)).program, known)


@given(rng=RANDOM, sign=st.sampled_from([1, -1]), shift=st.integers(-4, 4), digits=st.integers(0, 6))
def test_leading_digits_of_a_form(rng, sign, shift, digits):
    """They are given if and only if they are the same for all numbers with the same leading digits."""
    known, steps = 5, of_bb2(5)
    form = Form(8, sign, shift, mpq(rng.randrange(-64, 64), 32))
    entry = rng.randrange(1, 2 << known)
    low, high = entry // 2, (entry + 1) // 2
    samples = {mpq(low + (high - low) * mpq(i, 1 << 14), 1 << known) for i in range(1, 1 << 14, 127)}
    samples |= {mpq(low + (high - low) * mpq(i, 1 << 14), 1 << known) for i in (1, 2, (1 << 14) - 2, (1 << 14) - 1)}
    found = {leading_digits(sign * mpq(2) ** shift * x + form.constant, digits) for x in samples}
    assert steps._entry(form, digits, {8: entry}) == (found.pop() if len(found) == 1 else None)


@settings(max_examples=200)
@given(rng=RANDOM, sign=st.sampled_from([1, -1]), shift=st.integers(-4, 4), digits=st.integers(0, 4))
def test_the_digits_that_tell_a_look_up(rng, sign, shift, digits):
    """All numbers that have them in common come to the same."""
    known, steps = 5, of_bb2(5)
    form = Form(8, sign, shift, mpq(rng.randrange(-64, 64), 1 << rng.randint(0, 6)))
    for entry in range(1, 2 << known, 2):
        found = steps._entry(form, digits, {8: entry})
        if found is None:
            continue
        seen = steps._digits_seen(form, digits)
        unit = 2 << (known - seen)
        first = entry // unit * unit
        assert {steps._entry(form, digits, {8: other}) for other in range(first + 1, first + unit)} == {found}


def leading_digits(value, digits):
    """Return twice so many leading binary digits of a number, and one more if it has others."""
    scaled = value * 2**digits
    return int(2 * (scaled // 1)) + (scaled.denominator > 1)

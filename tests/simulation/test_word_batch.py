"""Words run by patterns end with the verdicts, steps and outputs that the executor of the format gives."""

import random
from dataclasses import replace

import numpy as np
import pytest
from gmpy2 import mpq

from exactnn.arithmetic import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, FloatFormat, Rounding
from exactnn.constructions import minsky, siegelmann_sontag, siegelmann_sontag_book
from exactnn.machine_files import load
from exactnn.networks import EOS, Decision, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for, verdict_of, word_batch
from exactnn.simulation.emulated import EmulatedExecutor
from exactnn.simulation.state_kernels import key_of
from exactnn.simulation.word_batch import WordBatch, Words, can_batch
from tests.simulation import exact_networks as at_random
from tests.simulation.test_rounded import MANNERS, bits, format_at_random, network_at_random

DETERMINISTIC = [mode for mode in Rounding if mode not in (Rounding.STOCHASTIC, Rounding.DOWN)]
ORDERS = [manner for manner in MANNERS if manner not in ("no subnormals", "bias last", "pairwise", "fused")]


def stepped(network, format, word, limit):
    """Return the steps and the last output of a word, one step after the other."""
    executor = executor_for(network, format)
    state = executor.start()
    for symbol in word:
        state = executor.advance(state, symbol, 1, until_decided=False).state
    output, steps = executor.output(state), len(word)
    if network.decision.protocol.reads_eos:
        eos = network.alphabet.index(EOS)
        while steps < len(word) + limit:
            segment = executor.advance(state, eos, 1, until_decided=True)
            state, output, steps = segment.state, segment.outputs[-1][0], steps + 1
            if segment.outcome is not None:
                break
    return steps, bits(output)


def words_of(network, rng, count=12, longest=12):
    symbols = len(network.alphabet) - network.decision.protocol.reads_eos
    return [[rng.randrange(symbols) for _ in range(rng.randint(0, longest))] if symbols else [] for _ in range(count)]


def check(network, format, rng, **sizes):
    """Compare a batch with single steps; return how many words the batch ran."""
    words = words_of(network, rng, **sizes)
    reads_eos = network.decision.protocol.reads_eos
    limits = [rng.choice((rng.randint(0, 40), 300)) if reads_eos else 0 for _ in words]
    batch = WordBatch(network, format)
    steps, outputs = batch.run(Words(words), limits)
    again = batch.run(Words(words), limits)  # now the states are known
    assert (again[0], [bits(x) for x in again[1]]) == (steps, [bits(x) for x in outputs])
    ran = 0
    for word, limit, *found in zip(words, limits, steps, outputs, strict=True):
        if found[0] >= 0:
            ran += 1
            assert (found[0], bits(found[1])) == stepped(network, format, word, limit), (word, limit)
    return ran


def network_of_kind(kind, rng, format):
    if kind == "random":
        return network_at_random(rng, format)[0]
    return getattr(at_random, kind)(rng).network


@pytest.mark.mostly_slow(quick=60)
@pytest.mark.parametrize("manner", ORDERS)
@pytest.mark.parametrize("kind", ["random", "machines", "stacks", "relu_pairs", "unsaturated", "shapes"])
@pytest.mark.parametrize("mode", DETERMINISTIC)
def test_networks_at_random(kind, mode, manner):
    ran = 0
    for n in range(200):
        rng = random.Random(f"{kind} {mode} {manner} {n}")
        format = format_at_random(rng, mode, MANNERS[manner], False)
        network = network_of_kind(kind, rng, format)
        if can_batch(network, format):
            ran += check(network, format, rng)
        if ran >= 12:
            return
    assert ran


@pytest.mark.mostly_slow(quick=8)
@pytest.mark.parametrize("precision", [54, 55, 64, 79])
@pytest.mark.parametrize("mode", DETERMINISTIC)
@pytest.mark.parametrize("kind", ["random", "machines", "stacks", "relu_pairs", "unsaturated", "shapes"])
def test_pairs_of_floats(kind, mode, precision):
    ran = 0
    for n in range(200):
        rng = random.Random(f"{kind} {mode} {precision} {n}")
        format = FloatFormat(
            precision=precision,
            exponent_bits=rng.choice((3, 5, 8, 10)),
            rounding=mode,
            overflow=rng.choice(("infinity", "saturate")),
        )
        network = network_of_kind(kind, rng, format)
        if can_batch(network, format):
            ran += check(network, format, rng)
        if ran >= 12:
            return
    assert ran


@pytest.mark.parametrize("format", [FLOAT64, FLOAT32, FLOAT16, BFLOAT16], ids=str)
@pytest.mark.parametrize(
    ("construction", "name"),
    [(siegelmann_sontag, "palindrome"), (siegelmann_sontag, "binary-addition"), (minsky, "parity")],
)
def test_compiled_machines(construction, name, format):
    network = construction(load(name)).network
    assert can_batch(network, format)
    assert check(network, format, random.Random(name), longest=25) == 12


@pytest.mark.parametrize("most", [1, 2, 7, 40])
@pytest.mark.parametrize("format", [FLOAT64, FLOAT16, FloatFormat(precision=60, exponent_bits=10)], ids=str)
def test_states_beyond_those_that_are_numbered(most, format, monkeypatch):
    """Words leave the known states somewhere, and their EOS steps may go on in unknown ones."""
    monkeypatch.setattr(word_batch, "MOST_STATES", most)
    network = siegelmann_sontag(load("palindrome")).network
    assert check(network, format, random.Random(most), longest=25) == 12
    network = network_of_kind("machines", random.Random(most), format)
    if can_batch(network, format):
        check(network, format, random.Random(most))


def test_words_are_looked_up_where_states_recur():
    network = siegelmann_sontag(load("palindrome")).network
    batch = WordBatch(network, FloatFormat(precision=4, exponent_bits=4))
    rng = random.Random(0)
    for count in (100, 1000):
        words = [[rng.randrange(2) for _ in range(50)] for _ in range(count)]
        batch.run(Words(words), [300] * count)
    assert 0 < batch._states.used[0] < 2000
    known = batch._states.used[0]
    batch.run(Words(words), [300] * count)
    assert batch._states.used[0] == known


def test_the_hash_sees_numbers_of_few_bits():
    """They differ in the first digits of their words only, and the places of a table are told by the last ones."""
    places = 1 << 14
    words = np.arange(places // 2, dtype=np.float32).astype(np.float64) / 2**14
    with np.errstate(over="ignore"):
        slots = {int(key_of(3, np.array([word]).view(np.uint64), 1)) % places for word in words}
    assert len(slots) > 0.75 * len(words)  # of as many balls in twice as many boxes 79 % are alone in theirs, or first


def test_too_many_live_units_are_left_out():
    network = siegelmann_sontag_book(load("anbn")).network
    steps, _ = WordBatch(network, FLOAT32).run(Words([[0, 1], []]), [100, 100])
    assert steps == [-1, -1]


@pytest.mark.parametrize("kind", ["random", "machines", "stacks", "unsaturated", "shapes"])
def test_float64(kind):
    ran = 0
    for n in range(20):
        rng = random.Random(f"{kind} {n}")
        network = network_of_kind(kind, rng, FLOAT64)
        if can_batch(network, FLOAT64):
            ran += check(network, FLOAT64, rng, count=4)
    assert ran


def test_products_below_all_numbers_of_float64():
    for weight in ("1/3", "-1/3", "2/3"):
        network = one_number(FLOAT64, weight=weight, inputs=(mpq(1, 2**1060), 0))
        for word in ([0, *[1] * n] for n in range(0, 60, 3)):
            (steps,), (output,) = WordBatch(network, FLOAT64).run(Words([word]), [0])
            assert (steps, bits(output)) == stepped(network, FLOAT64, word, 0)


def test_tables_that_are_full_begin_anew(monkeypatch):
    network = siegelmann_sontag(load("palindrome")).network
    words = [[0, 1] * n + [1, 0] * n for n in range(9)]
    expected = WordBatch(network, FLOAT16).run(Words(words), [400] * len(words))
    monkeypatch.setattr(word_batch, "SMALLEST", 2)
    found = WordBatch(network, FLOAT16).run(Words(words), [400] * len(words))
    assert found == expected


def test_words_whose_patterns_do_not_recur_are_left_out(monkeypatch):
    network = siegelmann_sontag(load("palindrome")).network
    monkeypatch.setattr(word_batch, "SMALLEST", 8)
    monkeypatch.setattr(word_batch, "LARGEST", 8)
    steps, _ = WordBatch(network, FLOAT32).run(Words([[], [0, 1, 1, 0], []]), [100] * 3)
    assert steps == [3, -1, 3]


def test_what_no_batch_runs():
    network = siegelmann_sontag(load("palindrome")).network
    assert not can_batch(network, replace(FLOAT32, rounding=Rounding.STOCHASTIC, name=""))
    assert not can_batch(network, FloatFormat(precision=64, exponent_bits=15))
    assert not can_batch(network, FloatFormat(precision=80, exponent_bits=10))


def one_number(format, *, weight=1, inputs=(0, 0), start=0, threshold=0):
    """Return a network whose state is a number, and its output."""
    network = SimpleRNN(
        V=[[weight]], W=[inputs], b=[0], s=[start], readout_weight=[1], activation="identity", alphabet=["a", "b"]
    )
    protocol = Decision(protocol="end of word", threshold=threshold)
    return replace(network, decision=protocol)


def test_products_of_pairs_that_overflow_float64():
    for rounding in DETERMINISTIC:
        for overflow in ("infinity", "saturate"):
            format = FloatFormat(precision=60, exponent_bits=10, rounding=rounding, overflow=overflow)
            network = one_number(format, weight=format.largest, start=2)
            (steps,), (output,) = WordBatch(network, format).run(Words([[0, 0, 0]]), [0])
            assert (steps, bits(output)) == stepped(network, format, [0, 0, 0], 0)


def test_the_largest_number_of_pairs():
    for specials in ("ieee", "none"):
        format = FloatFormat(precision=55, exponent_bits=5, specials=specials)
        last = format.spacing(format.largest)
        network = one_number(format, inputs=(format.largest - last, last))
        assert can_batch(network, format)
        for word in ([0], [0, 1], [0, 1, 1]):
            (steps,), (output,) = WordBatch(network, format).run(Words([word]), [0])
            assert (steps, bits(output)) == stepped(network, format, word, 0)
    assert not can_batch(network, replace(format, specials="nan"))


@pytest.mark.mostly_slow(quick=2, slow=2)
@pytest.mark.parametrize("threshold", [-(10**41), 10**41, 10**400, -(10**400), 0, mpq(-1, 3)])
def test_thresholds_beyond_the_largest_number(threshold):
    for format in (
        FloatFormat(precision=11, exponent_bits=5, overflow="nan"),
        FloatFormat(precision=4, exponent_bits=4, specials="nan"),
        FloatFormat(precision=60, exponent_bits=10),
        FLOAT16,
        FLOAT64,
    ):
        network = siegelmann_sontag(load("palindrome")).network
        network = replace(network, decision=Decision(protocol=network.decision.protocol, threshold=threshold))
        executor = EmulatedExecutor(network, format)
        for word in ([], [0], [0, 1]):
            expected = verdict_of(executor, word, 30)
            assert verdict_of(executor_for(network, format), word, 30) == expected
            if can_batch(network, format):
                (steps,), (output,) = WordBatch(network, format).run(Words([word]), [30 - len(word)])
                assert (network.decision.outcome(output) or Outcome.STEP_LIMIT, steps) == expected

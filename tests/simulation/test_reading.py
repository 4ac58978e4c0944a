"""Symbols that are read in one go lead to the state that one step for each of them leads to."""

import random
from dataclasses import replace

import pytest
from gmpy2 import mpq

from exactnn.arithmetic import EXACT, RATIONAL
from exactnn.constructions import siegelmann_sontag
from exactnn.machine_files import load
from exactnn.networks import Decision, Protocol, SimpleRNN
from exactnn.outcome import Outcome
from exactnn.simulation import executor_for, run, stepping, verdict_of
from exactnn.simulation.positional import direct, modes, table_kernels
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.rational import RationalExecutor
from exactnn.simulation.walk import Walk
from tests.simulation import exact_networks as at_random
from tests.simulation.exact_networks import fast

KINDS = ("positional", "outside", "shapes", "stacks", "border", "relu_pairs", "unsaturated", "machines")


def drawn(kind, rng):
    """Return a network that takes symbols."""
    while True:
        network = getattr(at_random, kind)(rng).network
        if network.alphabet is not None:
            return network


def stepped(network, word):
    """Return the state after a word, its output, and the outputs on the way, by the reference."""
    executor, outputs = RationalExecutor(network), []
    state = executor.start()
    for symbol in word:
        state = executor.advance(state, symbol, 1, until_decided=False).state
        outputs.append(executor.output(state))
    return executor.values(state), executor.output(state), outputs


def along(executor, state, word):
    """Take the steps of a word with their outputs."""
    outputs = []
    while word:
        segment = executor.advance_word(state, word)
        assert 0 < segment.steps == sum(times for _, times in segment.outputs) <= len(word)
        assert segment.outcome is None
        outputs += [output for output, times in segment.outputs for _ in range(times)]
        state, word = segment.state, word[segment.steps :]
    return state, outputs


def piece_of_a_word(network, rng):
    """Return up to 25 symbols, in runs that are long or short."""
    symbols, runs = range(len(network.alphabet)), rng.choice((1, 1, 4))
    word = [symbol for _ in range(25) for symbol in [rng.choice(symbols)] * rng.randint(1, runs)]
    return word[: rng.choice((0, 1, 2, 7, 25))]


def compare(network, rng, **options):
    """Read a word in pieces, with their outputs or without, with steps and checkpoints between them."""
    executor, word = fast(network, **options), []
    state = executor.start()
    for _ in range(4):
        piece = piece_of_a_word(network, rng)
        if rng.random() < 0.5:
            state, outputs = along(executor, state, piece)
        else:
            state, outputs = executor.read(state, piece).state, None
        at, word = len(word), word + piece
        values, output, expected = stepped(network, word)
        assert (tuple(executor.values(state)), executor.output(state)) == (values, output)
        assert outputs in (None, expected[at:])
        if rng.random() < 0.3:
            state = executor.unpack(executor.pack(state))
        if rng.random() < 0.5:
            symbol = rng.randrange(len(network.alphabet))
            word.append(symbol)
            state = executor.advance(state, symbol, 1, until_decided=False).state
    return executor


@pytest.mark.parametrize("kind", KINDS)
def test_networks_at_random(kind):
    for n in range(12):
        rng = random.Random(f"{kind} {n}")
        compare(drawn(kind, rng), rng, **at_random.options(rng))


@pytest.mark.parametrize("activation", ["slu", "relu"])
def test_an_arena_that_is_full_in_the_middle_of_a_word(activation, monkeypatch):
    monkeypatch.setattr(direct, "SMALLEST_ARENA", 0)
    compactions = []
    compacted = Arena.compacted
    monkeypatch.setattr(Arena, "compacted", lambda *given: compactions.append(1) or compacted(*given))
    network = siegelmann_sontag(load("palindrome"), activation=activation).network
    executor = fast(network, limb_digits=1)
    word = [random.Random(7).randrange(2) for _ in range(6000)]
    state, outputs = along(executor, executor.start(), word)
    expected = stepped(network, word)
    assert (tuple(executor.values(state)), executor.output(state), outputs) == expected
    assert compactions
    state = executor.read(executor.start(), word).state
    assert (tuple(executor.values(state)), executor.output(state)) == expected[:2]


def test_a_table_that_grows(monkeypatch):
    monkeypatch.setattr(table_kernels, "SMALLEST", 2)
    network = siegelmann_sontag(load("binary-addition")).network
    rng = random.Random(3)
    compare(network, rng)


def test_a_word_takes_few_calls():
    network = siegelmann_sontag(load("palindrome")).network
    walk = Walk(executor_for(network, EXACT), [0, 1] * 40_000, whole_words=True, limit=80_000)
    taken = [stretch.segment.steps for stretch in walk]
    assert sum(taken) == 80_000
    assert len(taken) < 40  # two by direct mode, some in plain integers before it is loaded


@pytest.mark.parametrize("warm_up", [0, 3])
def test_the_clock_ends_a_call_where_transitions_are_written(warm_up, monkeypatch):
    """Each takes some time in Python, in a large network a long one: the state is kept, and the next call goes on."""
    network = siegelmann_sontag(load("palindrome")).network
    word, eos = [0, 1, 1, 0] * 10, network.eos
    whole = fast(network, macro=False)
    state = whole.read(whole.start(), word).state
    expected = whole.advance(state, eos, 5000, until_decided=True)
    monkeypatch.setattr(stepping, "LONGEST_SLICE", 0)
    executor, calls = fast(replace(network), macro=False, warm_up=warm_up), []
    state, outputs = along(executor, executor.start(), word)
    assert (tuple(executor.values(state)), outputs) == (stepped(network, word)[0], stepped(network, word)[2])
    outputs, outcome = [], None
    while outcome is None:
        segment = executor.advance(state, eos, 5000, until_decided=True)
        state, outcome = segment.state, segment.outcome
        calls.append(segment.steps)
        outputs += [output for output, times in segment.outputs for _ in range(times)]
    assert (sum(calls), outcome) == (expected.steps, expected.outcome)
    assert outputs == [output for output, times in expected.outputs for _ in range(times)]
    assert executor.values(state) == whole.values(expected.state)
    assert 10 < len(calls) < expected.steps


def test_a_word_of_vectors_takes_few_calls():
    network = siegelmann_sontag(load("palindrome")).network
    network = replace(network, alphabet=None, decision=Decision(protocol=Protocol.OUTPUTS))
    letters = [tuple(mpq(i == j) for j in range(network.circuit.input_size)) for i in range(2)]
    walk = Walk(fast(network), letters * 1000, whole_words=True)
    assert len([stretch.segment.steps for stretch in walk]) < 20


def test_ctrl_c_while_a_table_grows(monkeypatch):
    table = table_kernels.Table()
    for key in range(table_kernels.SMALLEST // 2):
        table.add(key, key)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(table_kernels.np, "zeros", interrupted)
        with pytest.raises(KeyboardInterrupt):
            table.add(10**6, 1)
    for key in range(10**6, 10**6 + 100):
        table.add(key, key)
    assert len(table.keys) == len(table.values)
    for key in (*range(table_kernels.SMALLEST // 2), *range(10**6, 10**6 + 100)):
        assert table_kernels.find(key, table.keys, table.values) == key


def test_long_runs_of_equal_symbols_are_stretches_of_their_own(monkeypatch):
    monkeypatch.setattr(modes, "LONG_RUN", 2)
    rng = random.Random("long runs")
    for kind in ("machines", "stacks", "relu_pairs"):
        compare(drawn(kind, rng), rng, **at_random.options(rng))


@pytest.mark.parametrize("base", [2, 3])
def test_no_room_in_the_middle_of_a_word(base):
    shares = [f"1/{base}", f"1/{base + 1}"]  # over one base they are positional
    network = SimpleRNN(
        V=[[shares[0], 0], [0, shares[base == 3]]], W=[[shares[0], 0], [0, 1]], b=[0, 0], s=[1, 1],
        readout_weight=[1, 0], alphabet="ab", activation="slu",
    )  # fmt: skip
    found = run(network, "ba" * 20_000, max_bits=10**4, record="end")
    assert found.outcome is Outcome.SIZE_LIMIT
    assert 1000 < found.steps < 10_000
    expected = run(network, "ba" * 20_000, RATIONAL, record="end", max_steps=found.steps)
    assert found.final_state == expected.final_state


def test_verdicts_of_words_are_those_of_the_reference():
    network = siegelmann_sontag(load("palindrome")).network
    executor, reference = fast(network), executor_for(network, RATIONAL)
    for word in ([], [0], [0, 1], [0, 1, 1, 0], [1, 0, 0, 0, 1] * 3):
        for limit in (None, 0, 2, len(word), len(word) + 1, 40):
            assert verdict_of(executor, word, limit) == verdict_of(reference, word, limit)

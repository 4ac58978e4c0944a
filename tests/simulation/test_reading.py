"""Symbols that are read in one go lead to the state that one step for each of them leads to."""

import random

import pytest

from exactnn.arithmetic import RATIONAL
from exactnn.constructions import siegelmann_sontag
from exactnn.machine_files import load
from exactnn.simulation import executor_for, verdict_of
from exactnn.simulation.positional import direct, table_kernels
from exactnn.simulation.positional.numeral_kernels import Arena
from exactnn.simulation.rational import RationalExecutor
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
    executor = RationalExecutor(network)
    state = executor.start()
    for symbol in word:
        state = executor.advance(state, symbol, 1, until_decided=False).state
    return executor.values(state), executor.output(state)


def compare(network, rng, **options):
    """Read a word in pieces, with steps and checkpoints between them."""
    executor, word = fast(network, **options), []
    state = executor.start()
    for _ in range(4):
        piece = [rng.randrange(len(network.alphabet)) for _ in range(rng.choice((0, 1, 2, 7, 25)))]
        word += piece
        state = executor.read(state, piece).state
        assert (tuple(executor.values(state)), executor.output(state)) == stepped(network, word)
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
    state = executor.read(executor.start(), word).state
    assert (tuple(executor.values(state)), executor.output(state)) == stepped(network, word)
    assert compactions


def test_a_table_that_grows(monkeypatch):
    monkeypatch.setattr(table_kernels, "SMALLEST", 2)
    network = siegelmann_sontag(load("binary-addition")).network
    rng = random.Random(3)
    compare(network, rng)


def test_verdicts_of_words_are_those_of_the_reference():
    network = siegelmann_sontag(load("palindrome")).network
    executor, reference = fast(network), executor_for(network, RATIONAL)
    for word in ([], [0], [0, 1], [0, 1, 1, 0], [1, 0, 0, 0, 1] * 3):
        for limit in (None, 0, 2, len(word), len(word) + 1, 40):
            assert verdict_of(executor, word, limit) == verdict_of(reference, word, limit)

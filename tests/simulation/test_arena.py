"""The memory of tails: what nobody uses is used again, and nothing else."""

import threading
from collections import deque

import pytest

import exactnn as xn
from exactnn.simulation.positional import arena as of_arenas
from exactnn.simulation.positional.arena import Arena
from exactnn.simulation.positional.numeral_kernels import LINK
from exactnn.simulation.positional.radix import Radix

RADIX = Radix(base=10, limb=1, least=2, most=4)
NODES = 1 << 15


@pytest.fixture(autouse=True)
def none_kept(monkeypatch):
    monkeypatch.setattr(of_arenas, "_kept", deque(maxlen=16))


def test_memory_is_used_again_once_nobody_uses_it():
    first, second = Arena(RADIX, NODES), Arena(RADIX, NODES)
    assert first.nodes is not second.nodes
    address, view = first.nodes.ctypes.data, first.nodes[:3]
    del first
    third = Arena(RADIX, NODES)
    assert third.nodes.ctypes.data != address  # somebody looks at a part of it
    del view
    fourth, fifth = Arena(RADIX, NODES), Arena(RADIX, NODES)
    assert fourth.nodes.ctypes.data == address
    assert len({arena.nodes.ctypes.data for arena in (second, third, fourth, fifth)}) == 4


def test_memory_of_another_length_is_not_used():
    address = Arena(RADIX, NODES).nodes.ctypes.data
    other = Arena(RADIX, NODES + 1)
    assert len(other.nodes) == LINK * (NODES + 1)
    assert Arena(RADIX, NODES).nodes.ctypes.data == address


@pytest.mark.parametrize("nodes", [100, 1 << 20])
def test_short_and_very_long_memory_is_not_kept(nodes):
    Arena(RADIX, nodes)
    assert not of_arenas._kept


def test_not_more_than_some_pieces_are_kept():
    arenas = [Arena(RADIX, NODES) for _ in range(40)]
    assert len(of_arenas._kept) == 16
    assert len({arena.nodes.ctypes.data for arena in arenas}) == 40


def test_two_threads_never_get_the_same():
    faults = []

    def work(mark):
        for _ in range(300):
            arenas = [Arena(RADIX, NODES) for _ in range(3)]
            for i, arena in enumerate(arenas):
                arena.nodes[-64:] = 10 * mark + i
            faults.extend(arena for i, arena in enumerate(arenas) if (arena.nodes[-64:] != 10 * mark + i).any())

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_states_of_runs_that_are_over_keep_their_numbers():
    """Whoever holds a state, or a final state that was not written out yet, holds its tails."""
    network = xn.compile("mirror-stacks", "layered_stacks").network
    words = ["ab" * n for n in (300, 400, 500, 600)]
    for _ in range(3):
        runs = [xn.run(network, word, max_steps=len(word)) for word in words]
        for run, word in zip(runs, words, strict=True):
            assert run.final_state == xn.run(network, word, xn.RATIONAL, max_steps=len(word)).final_state

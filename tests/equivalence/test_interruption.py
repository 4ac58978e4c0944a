"""A search that is interrupted, wherever that is, goes on to what it finds without interruption."""

import signal
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from gmpy2 import mpq
from recognisers import random_recogniser, seeded

from exactnn import compile, load
from exactnn.arithmetic import EXACT, FLOAT8_E4M3, FLOAT16, FixedPoint, FloatFormat
from exactnn.equivalence import check_extraction, extract_state_machine
from exactnn.equivalence.extraction import StateSearch, _table
from exactnn.equivalence.limits import Limits
from exactnn.equivalence.spaces import kernels
from exactnn.equivalence.spaces.choice import state_space
from exactnn.equivalence.spaces.compiled import StateTable
from exactnn.networks import Activation, Circuit, Network, Protocol, SimpleRNN, Unit

LIMITS = Limits(states=5000, bytes=1 << 30, seconds=None)
MOMENTS = 200
"""How many of the moments of a search are tried."""


def eos_network(seed, format):
    return random_recogniser(seeded("eos", seed), Protocol.EOS_VERDICT), format


def grows():
    """Integers that stay as they are on "a", and leave the machine words on "b"."""
    unit = Unit(name="x", bias=mpq(0), bilinear=((0, 1, mpq(1)), (0, 2, mpq(1 << 20))), activation=Activation.RELU)
    circuit = Circuit(state_size=1, input_size=2, layers=((unit,),), next_state=(3,))
    readout = (Unit(name="out", bias=mpq(0), linear=((0, mpq(1)),)),)
    return Network(circuit=circuit, initial_state=(mpq(1),), readout=readout, alphabet=tuple("ab"))


def wraps():
    network = SimpleRNN(
        V=[[3, 1], [0, 5]], W=[[1, 0], [0, 1]], b=[0, 1], s=[0, 0], readout_weight=[1, 0], alphabet="ab"
    )
    return network, FixedPoint(integer_bits=5, fraction_bits=0, overflow="wrap")


CASES = {
    "verdicts": (compile(load("palindrome")).network, FLOAT8_E4M3),
    "parity": (compile(load("parity")).network, FLOAT16),
    "random": eos_network(10, FLOAT8_E4M3),
    "wide": eos_network(70, FloatFormat(precision=60, exponent_bits=8)),
    "words": wraps(),
}


@contextmanager
def interruption(moment):
    """Press Ctrl-C where a line of the folder begins or a function returns; gives how many such moments there were."""
    moments = [0]

    def trace(frame, event, argument):
        if "exactnn/equivalence" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        if event != "call":
            moments[0] += 1
            if moments[0] == moment:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield moments
    finally:
        sys.settrace(before)


def search_of(network, arithmetic):
    return StateSearch(state_space(network, arithmetic, LIMITS.states))


@pytest.mark.parametrize("case", CASES)
def test_any_moment(case):
    network, arithmetic = CASES[case]
    plain = search_of(network, arithmetic)
    with interruption(0) as moments:
        assert plain.go_on(LIMITS, None) == ""
    expected = _table(plain, "")
    for moment in seeded(case).sample(range(1, moments[0] + 1), min(MOMENTS, moments[0])):
        search = search_of(network, arithmetic)
        try:
            with interruption(moment):
                search.go_on(LIMITS, None)
        except KeyboardInterrupt:
            pass
        assert search.go_on(LIMITS, None) == "", moment
        assert _table(search, "") == expected, moment
        assert len(search.space) == len(plain.space), moment


def test_between_two_looks_at_the_runs_on_eos():
    """Chains that were followed in part are followed on."""
    for seed, format in ((10, FLOAT8_E4M3), (70, FLOAT8_E4M3), (292, FLOAT16)):
        network, _ = eos_network(seed, format)
        calls = []

        def note(expanded, found, calls=calls):
            calls.append(found)

        whole = extract_state_machine(network, format, max_states=5000, progress=note)
        assert whole.complete
        for last in range(1, len(calls) + 1):
            left = [last]

            def interrupt(expanded, found, left=left):
                left[0] -= 1
                if not left[0]:
                    raise KeyboardInterrupt

            part = extract_state_machine(network, format, max_states=5000, progress=interrupt)
            assert part.reason == "it was interrupted"
            done = part.resumed(max_states=5000)
            assert done.complete
            assert done.table == whole.table
            check_extraction(done.certificate)


@pytest.mark.parametrize(("kernel", "size"), [("find_or_add", 1000), ("enter_all", 3000)])
@pytest.mark.parametrize("after", [False, True])
def test_a_table_of_states_that_is_interrupted_at_a_kernel(monkeypatch, kernel, size, after):
    """Ctrl-C within compiled code takes effect when that returns."""
    rows = np.arange(5000, dtype=np.int32).reshape(-1, 1)
    table = StateTable(1, rows.dtype)
    table.numbers(rows[:900], most=10_000)
    run = getattr(kernels, kernel)

    def interrupted(*arguments):
        if after:
            run(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(kernels, kernel, interrupted)
        with pytest.raises(KeyboardInterrupt):
            table.numbers(rows[:size], most=10_000)
    found = [table.numbers(rows[begin : begin + 10], most=10_000) for begin in range(0, 5000, 10)]
    assert len(table) == 5000
    assert np.array_equal(table.rows[np.concatenate(found)], rows)


def test_a_state_beyond_machine_words_is_seen_after_an_interruption(monkeypatch):
    network = grows()
    space = state_space(network, EXACT, 1000)
    step = space._compiled.successors

    def interrupted(states, symbol):
        following = step(states, symbol)
        if symbol == 1:
            raise KeyboardInterrupt
        return following

    search = StateSearch(space)
    limits = Limits(states=10, bytes=1 << 30, seconds=None)
    with monkeypatch.context() as patch:
        patch.setattr(space._compiled, "successors", interrupted)
        assert search.go_on(limits, None) == "it was interrupted"
    assert search.go_on(limits, None) == "the limit of 10 states was reached"
    assert [space.values(n) for n in range(10)] == [(mpq(1 << 20 * n),) for n in range(10)]


def test_a_table_that_is_interrupted(monkeypatch):
    def interrupted(search, name):
        raise KeyboardInterrupt

    network, format = CASES["parity"]
    with monkeypatch.context() as patch:
        patch.setattr("exactnn.equivalence.extraction._table", interrupted)
        part = extract_state_machine(network, format)
    assert (part.complete, part.reason, part.table) == (False, "it was interrupted", None)
    assert part.resumed().complete

"""What a comparison costs is counted, and what is no automaton is refused."""

import dataclasses
import itertools

import numpy as np
import pytest

import exactnn as xn
from exactnn.arithmetic import arithmetic_to_json
from exactnn.equivalence.moore_machines import moore_of
from exactnn.errors import CertificateError


def beaver(symbol, accept):
    return xn.TuringMachine(
        states=["s", "yes", "no"], input_symbols=[], tape_symbols=["_", symbol], initial_state="s", blank_symbol="_",
        transitions={"s": dict.fromkeys(("_", symbol), ("yes" if accept else "no", symbol, "R"))},
        accept_state="yes", reject_state="no",
    )  # fmt: skip


@pytest.mark.parametrize("accept", [True, False])
def test_without_input_symbols_there_is_one_word(accept):
    first, second = beaver("x", True), beaver("y", accept)
    for other in (second, xn.compile(second), (xn.compile(second), xn.FLOAT16)):
        found = xn.equivalent(first, other)
        assert (found.equal, found.witness) == (accept, None if accept else ())
        assert found.reason == ""


@pytest.mark.parametrize("machine", ["anbn", "palindrome"])
def test_words_are_counted_as_memory(machine):
    for subject in (xn.load(machine), xn.compile(xn.load(machine))):
        found = xn.equivalent(subject, subject, max_bytes=1 << 20, max_states=1 << 20, max_length=14)
        assert found.equal is None
        assert "bytes" in found.reason


def test_memory_grows_with_what_is_found():
    for subject in (xn.load("anbn"), xn.compile(xn.load("anbn")), (xn.compile(xn.load("palindrome")), xn.BFLOAT16)):
        moore = moore_of(subject, 10**6, 1000)
        before = moore.nbytes
        states = np.zeros(1, dtype=np.int32)
        for _ in range(8):
            moore.labels(states)
            states = np.unique(np.concatenate([moore.successors(states, symbol) for symbol in (0, 1)]))
        assert moore.nbytes > before


@pytest.mark.parametrize("accumulator", [False, True])
def test_a_certificate_with_rounding_at_random_is_refused(accumulator):
    certificate = xn.extract_state_machine(xn.compile(xn.load("parity")), xn.FLOAT8_E4M3).certificate
    random = dataclasses.replace(xn.FLOAT16, rounding=xn.Rounding.STOCHASTIC, name="float8_e4m3")
    format = dataclasses.replace(xn.FLOAT8_E4M3, accumulator=random) if accumulator else random
    assert xn.check_extraction(certificate).states == 5
    with pytest.raises(CertificateError, match="at random"):
        xn.check_extraction(certificate | {"arithmetic": arithmetic_to_json(format)})


@pytest.mark.parametrize("subject", [xn.load("anbn"), xn.compile(xn.load("anbn"))])
def test_the_limits_are_looked_at_often_where_steps_are_slow(subject):
    seen = []
    found = xn.equivalent(subject, subject, max_length=9, progress=lambda length, pairs: seen.append(pairs))
    assert (found.equal, found.pairs) == (None, 2**10 - 1)
    assert max(after - before for before, after in itertools.pairwise(seen)) <= 64
    states = []
    xn.extract_state_machine(
        xn.compile(xn.load("anbn")), max_states=2000, progress=lambda expanded, found: states.append(expanded)
    )
    assert max(after - before for before, after in itertools.pairwise(states)) <= 64

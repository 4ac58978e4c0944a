"""A search that was stopped at any point goes on to the same end."""

import pickle

import pytest

import exactnn as xn


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [
        ("palindrome", xn.FLOAT16),
        ("palindrome", xn.BFLOAT16),
        ("anbn", xn.FLOAT8_E5M2),
        ("divisible-by-7", xn.EXACT),
        ("bb4", xn.FLOAT16),
    ],
)
def test_an_interruption_at_every_look_at_the_clock(name, arithmetic):
    net = xn.compile(xn.load(name))
    looks = 0

    def count(*_: int) -> None:
        nonlocal looks
        looks += 1

    whole = xn.extract_state_machine(net, arithmetic, progress=count)
    assert looks > 0
    for last in range(looks):
        left = last

        def stop(*_: int) -> None:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1

        part = xn.extract_state_machine(net, arithmetic, progress=stop)
        assert (part.complete, part.reason) == (False, "it was interrupted")
        rest = part.resumed()
        assert (rest.complete, rest.states, rest.eos_states) == (True, whole.states, whole.eos_states)
        assert rest.table == whole.table
        assert rest.certificate == whole.certificate


@pytest.mark.parametrize(
    "arithmetic", [xn.FLOAT8_E4M3, xn.EXACT, xn.FloatFormat(precision=70, exponent_bits=9)], ids=str
)
def test_a_search_goes_on_after_it_was_pickled(arithmetic):
    net, seen = xn.compile(xn.load("parity")), []
    begun = xn.extract_state_machine(net, arithmetic, max_states=3, progress=lambda *counts: seen.append(counts))
    again = pickle.loads(pickle.dumps(begun))
    assert (again, hash(again), again.complete) == (begun, hash(begun), False)
    assert again.frontier() == begun.frontier()
    done, whole = again.resumed(), xn.extract_state_machine(net, arithmetic)
    assert (done, done.certificate) == (whole, whole.certificate)
    assert pickle.loads(pickle.dumps(done)).values(1) == whole.values(1)
    assert seen
    assert done != begun

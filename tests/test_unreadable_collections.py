"""A collection that cannot be read through, since its code raises, is refused by its name."""

from collections.abc import Iterator

import pytest

import exactnn as xn


class Unreadable:
    def __iter__(self) -> Iterator[object]:
        raise RuntimeError("not now")


@pytest.mark.parametrize("given", ["words", "formats"])
def test_collapse(given: str) -> None:
    options = {"words": ["a"], "formats": [xn.FLOAT16]} | {given: Unreadable()}
    with pytest.raises(xn.ExactnnError, match=rf"^{given}=.* raises RuntimeError\('not now'\)"):
        xn.collapse(xn.compile(xn.load("parity")), **options)


def test_machine() -> None:
    options = {"input_symbols": "a", "transitions": {"p": {"a": "p"}}, "initial_state": "p", "final_states": []}
    with pytest.raises(xn.ExactnnError, match=r"states=.* raises RuntimeError"):
        xn.DFA(states=Unreadable(), **options)

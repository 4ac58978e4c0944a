"""Networks at random, with negative numbers, products and ties that no compiled machine gives, in every executor.

Beside the comparison of `formats` they run in every executor that the tests know, beside loops that are written down
plainly there.
"""

from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import strategies as st

import exactnn as xn
from exactnn.strategies import networks, rationals, words
from exactnn.testing import assert_same_run
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, FORMATS, STEPS, Format, formats, numbers_of, same_as_emulated
from fuzz_subjects.subject import Subject

__all__ = ["RANDOM_NETWORKS"]

EVERY = "every executor"

Case = tuple[xn.Network, tuple[object, ...], Format | None]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A network, a word that it reads, and a format."""
    format = None if arithmetic in ("exact", EVERY) else draw(formats(arithmetic))
    numbers = rationals() if format is None else numbers_of(format)
    network = draw(networks(weights=numbers, max_state=6, max_units=6))
    return network, draw(words_of(network, numbers)), format


def words_of(network: xn.Network, numbers: st.SearchStrategy[mpq]) -> st.SearchStrategy[tuple[object, ...]]:
    if network.alphabet is not None:
        return words([symbol for symbol in network.alphabet if symbol != xn.EOS], max_size=8)
    return st.lists(st.tuples(*[numbers] * network.circuit.input_size), max_size=8).map(tuple)


def check(arithmetic: str, case: Case) -> None:
    network, word, format = case
    if format is not None:
        same_as_emulated(network, word, format)
    elif arithmetic == EVERY:
        check_every_executor(network, word)
    else:
        assert_same_run(network, word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)


RANDOM_NETWORKS = Subject(cases=cases, check=check, arithmetics=("exact", EVERY, *FORMATS, ANY_FLOAT, ANY_FIXED))

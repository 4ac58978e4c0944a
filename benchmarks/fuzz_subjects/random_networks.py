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
from fuzz_subjects.formats import ANY_FIXED, ANY_FLOAT, FORMATS, STEPS, Format, formats, pools, same_as_emulated
from fuzz_subjects.subject import Subject

__all__ = ["RANDOM_NETWORKS", "networks_and_words"]

EVERY = "every executor"

Word = tuple[object, ...]
Case = tuple[xn.Network, Word, Format | None]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A network, a word that it reads, and a format."""
    if arithmetic in ("exact", EVERY):
        return *draw(networks_and_words()), None
    format = draw(formats(arithmetic))
    return *draw(networks_and_words(st.sampled_from(draw(pools(format))))), format


@st.composite
def networks_and_words(draw: st.DrawFn, numbers: st.SearchStrategy[mpq] | None = None) -> tuple[xn.Network, Word]:
    """A network with these numbers, small rationals by default, and a word that it reads."""
    numbers = rationals() if numbers is None else numbers
    network = draw(networks(weights=numbers, max_state=6, max_units=6))
    return network, draw(words_of(network, numbers))


def words_of(network: xn.Network, numbers: st.SearchStrategy[mpq]) -> st.SearchStrategy[Word]:
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

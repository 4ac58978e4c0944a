"""Networks at random, with negative numbers, products, ties and smooth units, that no compiled machine has.

Beside the comparison of `formats` they run in every executor that the tests know, beside loops that are written down
plainly there.
"""

from collections.abc import Sequence
from functools import partial

from every_executor import check_every_executor
from gmpy2 import mpq
from hypothesis import strategies as st

import exactnn as xn
from exactnn.networks import ACTIVATIONS, PIECEWISE_LINEAR, Activation
from exactnn.strategies import networks, rationals
from exactnn.testing import assert_same_run
from fuzz_subjects.formats import (
    ANY_FIXED,
    ANY_FLOAT,
    FORMATS,
    STEPS,
    Format,
    compared_formats,
    pools,
    same_as_emulated,
)
from fuzz_subjects.subject import Subject

__all__ = ["RANDOM_NETWORKS", "networks_and_words"]

EVERY = "every executor"
SMOOTH = tuple(activation for activation in ACTIVATIONS.values() if not activation.is_rational)

Word = tuple[object, ...]
Case = tuple[xn.Network, Word, Format | None]


@st.composite
def cases(draw: st.DrawFn, activations: Sequence[Activation], arithmetic: str) -> Case:
    """A network, a word that it reads, and a format."""
    if arithmetic in ("exact", EVERY):
        return *draw(networks_and_words(activations=activations)), None
    format = draw(compared_formats(arithmetic))
    numbers = st.sampled_from(draw(pools(format)))
    return *draw(networks_and_words(numbers, activations=activations)), format


@st.composite
def networks_and_words(
    draw: st.DrawFn,
    numbers: st.SearchStrategy[mpq] | None = None,
    *,
    activations: Sequence[Activation] = PIECEWISE_LINEAR,
) -> tuple[xn.Network, Word]:
    """A network with these numbers, small rationals by default, and a word that it reads.

    Hypothesis likes small things: three of four networks must have neurons and units, and read something.
    """
    numbers = rationals() if numbers is None else numbers
    some = networks(weights=numbers, activations=activations, max_state=6, max_units=6)
    small = draw(st.integers(0, 3)) == 3
    network = draw(some if small else some.filter(lambda network: network.neurons and network.circuit.weights))
    return network, draw(words_of(network, numbers, min_size=0 if small else 2))


def words_of(network: xn.Network, numbers: st.SearchStrategy[mpq], min_size: int) -> st.SearchStrategy[Word]:
    if network.alphabet is None:
        entries = st.tuples(*[numbers] * network.circuit.input_size)
    elif letters := [symbol for symbol in network.alphabet if symbol != xn.EOS]:
        entries = st.sampled_from(letters)
    else:
        return st.just(())
    return st.lists(entries, min_size=min_size, max_size=8).map(tuple)


def check(arithmetic: str, case: Case) -> None:
    network, word, format = case
    if format is not None:
        same_as_emulated(network, word, format)
    elif arithmetic == EVERY:
        check_every_executor(network, word)
    else:
        assert_same_run(network, word, xn.EXACT, xn.RATIONAL, max_steps=2 * STEPS)


RANDOM_NETWORKS = {
    "networks at random": Subject(
        cases=partial(cases, PIECEWISE_LINEAR),
        check=check,
        arithmetics=("exact", EVERY, *FORMATS, ANY_FLOAT, ANY_FIXED),
    ),
    "smooth networks at random": Subject(
        cases=partial(cases, (*PIECEWISE_LINEAR, *SMOOTH, *SMOOTH)),
        check=check,
        arithmetics=(EVERY, *FORMATS, ANY_FLOAT, ANY_FIXED),
    ),
}

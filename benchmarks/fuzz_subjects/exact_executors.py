"""Every executor of exact runs against the rational reference: each state, output and verdict, in slices of any length.

The networks are those on which such executors can go wrong: stacks in one number, long and negative numbers, shared
tails, equal units, products, large primes, compiled machines on long tapes; and networks of any kind.
"""

import random
from collections.abc import Callable
from functools import partial

from hypothesis import assume
from hypothesis import strategies as st

from exactnn.errors import SizeLimitError
from exactnn.networks import Network
from exactnn.simulation.common_denominator import CommonDenominatorExecutor
from exactnn.simulation.executor import Executor, basic_twin
from exactnn.simulation.flint_matrix import FlintMatrixExecutor, can_flint
from exactnn.simulation.lowest_terms import LowestTermsExecutor
from exactnn.simulation.machine_words import MachineWordExecutor
from exactnn.simulation.plain_exact import PlainExactExecutor
from fuzz_subjects.random_networks import networks_and_words
from fuzz_subjects.subject import Subject
from tests.simulation.exact_networks import KINDS, Pair, Trace, compare, fast, forever, options

__all__ = ["EXACT_EXECUTORS"]


def plain_exact(network: Network) -> PlainExactExecutor:
    """Return the executor in which all others take turns."""
    executor = PlainExactExecutor(network)
    executor.add_words()
    return executor


PLAIN = {
    "common denominator": CommonDenominatorExecutor,
    "lowest terms": LowestTermsExecutor,
    "flint matrix": FlintMatrixExecutor,
    "plain exact": plain_exact,
    "machine words": MachineWordExecutor,
}
ENGINES = {"positional engine": {}, "blocks of steps": {"macro": False, "block_pace": 0, "warm_up": 0}}
"""With the options that are not left to chance."""
SLICES = (1, 1, 2, 3, 7, 20, 50)
TRIES = 10
MOST_BITS = 12_000
"""Words end where the numbers of a state have become longer than this."""

Case = tuple[Pair, random.Random]


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    """A network and its inputs with repetitions, and what else is left to chance."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    if arithmetic == "flint matrix":
        return dense_pair(draw(st.sampled_from(tuple(KINDS.values()))), rng), rng
    kind = draw(st.sampled_from((None, *KINDS.values())))
    if kind is not None:
        return kind(rng), rng
    network, word = draw(networks_and_words())
    twin = basic_twin(network)
    assume(twin is not None)  # the others stay in lowest terms
    return Pair(twin, tuple((symbol, 1) for symbol in twin.inputs(word))), rng


def dense_pair(kind: Callable[[random.Random], Pair], rng: random.Random) -> Pair:
    """Return a network of a kind that is dense enough for matrices of flint, if some tries give one."""
    for _ in range(TRIES):
        pair = kind(rng)
        if can_flint(pair.network):
            break
    return pair


def check(arithmetic: str, case: Case) -> None:
    pair, rng = case
    if arithmetic == "flint matrix" and not can_flint(pair.network):
        return
    executor: Executor
    if arithmetic in ENGINES:
        executor = fast(pair.network, **options(rng) | ENGINES[arithmetic])
    else:
        try:
            executor = PLAIN[arithmetic](pair.network)
        except SizeLimitError:
            assert arithmetic == "machine words"
            return
    lengths, until_decided = forever(partial(rng.choice, SLICES)), rng.random() < 0.5
    trace = Trace(pair, MOST_BITS)
    try:
        for _ in range(2):  # the second time all steps are known that blocks are made of
            compare(trace, executor, lengths, until_decided=until_decided)
    except SizeLimitError:
        assert arithmetic == "machine words"  # the others have room
    except AssertionError as error:
        raise AssertionError(f"{pair.network!r} on {pair.word}, {arithmetic}: {error}") from error


EXACT_EXECUTORS = Subject(cases=cases, check=check, arithmetics=(*ENGINES, *PLAIN))

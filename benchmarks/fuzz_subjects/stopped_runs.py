"""Runs that are to be stopped and resumed, and what other runs have that their files are not of."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from every_executor import fits
from hypothesis import strategies as st

import exactnn as xn
from exactnn.errors import CheckpointError
from exactnn.networks import EOS
from exactnn.strategies import networks, rationals, turing_machines
from fuzz_subjects.formats import FORMATS, formats, pools
from fuzz_subjects.random_networks import words_of

__all__ = ["OTHERS", "Case", "cases"]

OTHERS = {"exact": xn.EXACT, "rational": xn.RATIONAL, "interval": xn.Interval(bits=40)}
RECORDS = ("outputs", "all", 2, 3)
LONGEST = 20

Word = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A run, the steps at which it is stopped (True: by Ctrl-C, so many steps later), and what other runs have."""

    network: xn.Network
    word: Word
    arithmetic: Any
    record: str | int
    limit: int
    stops: tuple[tuple[int, bool], ...]
    other_words: tuple[Word, ...]
    other_record: str | int
    other_arithmetic: Any

    def run(self, **options: Any) -> xn.Run:
        """Return the run, or one with other options."""
        network, word = options.pop("network", self.network), options.pop("word", self.word)
        chosen = {"arithmetic": self.arithmetic, "record": self.record, "max_steps": self.limit} | options
        return xn.run(network, word, **chosen)

    def go_on(self, file: Path, **options: Any) -> xn.Run:
        """Return the run from where its file is."""
        try:
            return self.run(checkpoint=file, **options)
        except CheckpointError as error:
            raise AssertionError(f"{self}: its own file is refused: {error}") from error


@st.composite
def cases(draw: st.DrawFn, arithmetic: str) -> Case:
    numbers = OTHERS[arithmetic] if arithmetic in OTHERS else draw(formats(arithmetic))
    entries = rationals() if arithmetic in OTHERS else st.sampled_from(draw(pools(numbers)))
    compiled = turing_machines(max_states=3).map(lambda machine: xn.siegelmann_sontag(machine).network)
    some = networks(weights=entries) | compiled
    fixed = isinstance(numbers, xn.FixedPoint)
    network = draw(some.filter(lambda network: fits(network, numbers)) if fixed else some)
    word = draw(words_of(network, entries, min_size=0))
    known = (*OTHERS.values(), *FORMATS.values())
    records = draw(st.permutations(RECORDS))
    return Case(
        network=network,
        word=word,
        arithmetic=numbers,
        record=records[0],
        limit=draw(st.integers(0, LONGEST)),
        stops=tuple(draw(st.lists(st.tuples(st.integers(0, LONGEST), st.booleans()), min_size=1, max_size=3))),
        other_words=draw(other_words(network, word, entries)),
        other_record=records[1],
        other_arithmetic=draw(st.sampled_from(known).filter(lambda other: repr(other) != repr(numbers))),
    )


@st.composite
def other_words(draw: st.DrawFn, network: xn.Network, word: Word, entries: st.SearchStrategy[Any]) -> tuple[Word, ...]:
    """Words that differ from a word in one place, those that are longer and shorter: as far as there are any."""
    found = [word[:-1]] if word else []
    if network.alphabet is None:
        symbols = st.tuples(*[entries] * network.circuit.input_size)
    else:
        letters = [a for a in network.alphabet if a != EOS]
        symbols = st.sampled_from(letters) if letters else st.nothing()
    if not symbols.is_empty:
        place, symbol = draw(st.integers(0, len(word))), draw(symbols)
        found += [(*word[:place], symbol, *word[place + 1 :]), (*word[:place], symbol, *word[place:])]
    return tuple(other for other in found if network.inputs(other) != network.inputs(word))

"""Weighted automata: any weights, or those of a probability distribution over words."""

from collections.abc import Sequence

from gmpy2 import mpq
from hypothesis import strategies as st

from exactnn.automata import WeightedAutomaton
from exactnn.linear_algebra import Vector
from exactnn.strategies.machines import shuffle
from exactnn.strategies.numbers import LETTERS, check_bounds, rationals

__all__ = ["weighted_automata"]


def weighted_automata(
    *,
    max_states: int = 3,
    max_symbols: int = 2,
    largest: int = 3,
    probabilistic: bool = False,
    deterministic: bool = False,
    shuffled: bool = False,
) -> st.SearchStrategy[WeightedAutomaton]:
    """Weighted automata over the symbols a, b, ...; they shrink to one state, one symbol, and weights 0.

    Parameters
    ----------
    max_states, max_symbols : int
    largest : int
        Weights are p/q with \\|p\\|, q at most this number; of a probabilistic automaton those of a state are in the
        ratios of whole numbers up to it.
    probabilistic : bool
        Whether weights are probabilities: those to begin have the sum 1, and so have, of each state, the one to end and
        those of all steps.
    deterministic : bool
        Whether words begin in one state, and each symbol leads from a state to one at most.
    shuffled : bool
        Whether symbols are listed in any order, and not in that of the alphabet.

    Raises
    ------
    OptionError
        If there are to be no states or no symbols, more than 26 symbols, or no numbers.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(weighted_automata(probabilistic=True), lambda automaton: automaton.size == 2)
    >>> found.initial, found.final, found.value("a")
    ((mpq(1,1), mpq(0,1)), (mpq(1,1), mpq(1,1)), mpq(0,1))
    """
    check_bounds(1, max_states=max_states, largest=largest)
    check_bounds(1, len(LETTERS), max_symbols=max_symbols)
    return _weighted_automata(max_states, max_symbols, largest, probabilistic, deterministic, shuffled)


@st.composite
def _weighted_automata(
    draw: st.DrawFn,
    max_states: int,
    max_symbols: int,
    largest: int,
    probabilistic: bool,
    deterministic: bool,
    shuffled: bool,
) -> WeightedAutomaton:
    size = draw(st.integers(1, max_states))
    symbols: Sequence[str] = LETTERS[: draw(st.integers(1, max_symbols))]
    states = range(size)
    entry = st.integers(0, largest).map(mpq) if probabilistic else rationals(largest=largest)

    def row() -> list[mpq]:
        """Return a row of weights: to one state, if that is determined."""
        if not deterministic:
            return [draw(entry) for _ in states]
        to, weight = draw(st.sampled_from(states)), draw(entry)
        return [weight if j == to else mpq(0) for j in states]

    initial = row()
    final = [draw(entry) for _ in states]
    rows = {a: [row() for _ in states] for a in symbols}
    if probabilistic:
        initial = _shares(initial)
        for i in states:
            final[i], *steps = _shares([final[i], *(weight for a in symbols for weight in rows[a][i])])
            for number, a in enumerate(symbols):
                rows[a][i] = steps[number * size : (number + 1) * size]
    return WeightedAutomaton(
        input_symbols=shuffle(draw, symbols) if shuffled else symbols, initial=initial, transitions=rows, final=final
    )


def _shares(row: Sequence[mpq] | Vector) -> list[mpq]:
    """Return numbers as shares of their sum; the first is all if they are 0."""
    total = sum(row, mpq(0))
    return [weight / total for weight in row] if total else [mpq(not i) for i in range(len(row))]

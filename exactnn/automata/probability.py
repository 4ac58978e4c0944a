"""Weighted automata whose values are probabilities: their sum, what comes next, and how much a word tells."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import gmpy2
from gmpy2 import mpq

from exactnn.automata.alphabet import Symbol, as_word
from exactnn.automata.transitions import Transitions
from exactnn.automata.weighted_automaton import WeightedAutomaton, require_weighted
from exactnn.automata.weighted_decisions import minimal_weighted
from exactnn.errors import MachineError, SizeLimitError, shown
from exactnn.linear_algebra import (
    Matrix,
    Vector,
    characteristic_polynomial,
    dot,
    identity,
    reduced_rows,
    row_times,
)
from exactnn.markup import MOST_ROWS, Table, Tabular
from exactnn.options import whole_number
from exactnn.size_limit import bits_of

__all__ = [
    "WordEntropy",
    "is_deterministic",
    "is_probabilistic",
    "next_symbol_probabilities",
    "normalized",
    "total_weight",
    "word_entropy",
]

ZERO, ONE = mpq(0), mpq(1)

MOST_WORK = 5_000_000
"""Products of numbers of a thousand bits, about, that the weights of the states take after all words of a length."""
SHORTEST = 700
"""Bits whose product takes as long as that of shorter numbers."""

MOST_SIGNED = 40
"""States of an automaton over one symbol whose eigenvalues are looked at."""

MOST_SYMBOLS = 10_000

END = ""
"""Stands for the end of the word among the symbols that come next."""


def is_probabilistic(automaton: WeightedAutomaton) -> bool:
    """Return whether all weights are probabilities: no one is negative, and the sums are 1.

    Those are the sum of the weights to begin with and, of each state, that of the weight to end with and of all steps.

    >>> half = WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [["1/2"]]}, final=["1/2"])
    >>> is_probabilistic(half), is_probabilistic(half + half)
    (True, False)
    """
    require_weighted(automaton)
    if any(x < 0 for x in _weights(automaton)) or sum(automaton.initial, ZERO) != 1:
        return False
    steps = _all_steps(automaton)
    return all(sum(row, weight) == 1 for row, weight in zip(steps, automaton.final, strict=True))


def is_deterministic(automaton: WeightedAutomaton) -> bool:
    """Return whether words begin in one state, and each symbol leads from each state to one state at most.

    >>> is_deterministic(WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [[2]]}, final=[1]))
    True
    """
    require_weighted(automaton)
    rows = (row for matrix in automaton.transitions.values() for row in matrix)
    return sum(map(bool, automaton.initial)) == 1 and all(sum(map(bool, row)) <= 1 for row in rows)


def total_weight(automaton: WeightedAutomaton) -> mpq | float:
    """Return the sum of the values of all words, exactly; infinity where no weight is negative and there is no sum.

    The values of all words of a length are summed first, then over the lengths. A probability distribution over words
    has the sum 1.

    Raises
    ------
    MachineError
        If it is no weighted automaton, or some weight is negative and the sums over lengths do not converge.
    SizeLimitError
        If some weight is negative, and more than 40 states are needed for the sums over lengths.

    Notes
    -----
    With M the sum of the matrices, the total is ``initial · x`` for ``x = M x + final``, if there is one. Where no
    weight is negative, and states that no word needs are left out, it is finite if and only if that equation has one
    solution, and no number of it is negative. Else the sums over lengths are those of an automaton of least size over
    one symbol, and converge if and only if the eigenvalues of its matrix are inside the unit circle, which the
    recursion of Schur and Cohn decides.

    Examples
    --------
    >>> half = WeightedAutomaton(input_symbols="ab", initial=[1], final=["1/2"],
    ...     transitions={"a": [["1/4"]], "b": [["1/4"]]})
    >>> total_weight(half)
    mpq(1,1)
    >>> total_weight(WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [[1]]}, final=[1]))
    inf
    """
    require_weighted(automaton)
    if all(x >= 0 for x in _weights(automaton)):
        core = automaton.trimmed()
        ahead = _ahead(core)
        return inf if ahead is None or any(x < 0 for x in ahead) else dot(core.initial, ahead)
    lengths = WeightedAutomaton(
        input_symbols="a",
        initial=automaton.initial,
        transitions={"a": _all_steps(automaton)},
        final=automaton.final,
        name=automaton.name,
    )
    least = minimal_weighted(lengths)
    if least.size > MOST_SIGNED:
        raise SizeLimitError(
            f"{automaton.name}: the sums over lengths need {least.size} states; with negative weights at most "
            f"{MOST_SIGNED} are looked at"
        )
    if not _is_stable(tuple(reversed(characteristic_polynomial(least.transitions["a"]))) if least.size else (ONE,)):
        raise MachineError(
            automaton.name, ["the sums of the values of all words of a length do not converge: there is no total"]
        )
    ahead = _ahead(least)
    assert ahead is not None  # 1 is no eigenvalue
    return dot(least.initial, ahead)


def normalized(automaton: WeightedAutomaton) -> WeightedAutomaton:
    """Return a probabilistic automaton that gives each word its share of the total weight.

    Raises
    ------
    MachineError
        If a weight is negative, or the total is 0 or infinite.

    References
    ----------
    M. Mohri, "Weighted automata algorithms", in *Handbook of Weighted Automata*, 2009: weight pushing.

    Examples
    --------
    >>> twice = WeightedAutomaton(input_symbols="a", initial=[2], transitions={"a": [["1/3"]]}, final=[1])
    >>> shares = normalized(twice)
    >>> is_probabilistic(shares), shares.value("a")
    (True, mpq(2,9))
    """
    require_weighted(automaton)
    if any(x < 0 for x in _weights(automaton)):
        raise MachineError(automaton.name, ["a weight is negative: only other automata give words shares"])
    core = automaton.trimmed()
    total = total_weight(core)
    if not 0 < total < inf:
        raise MachineError(automaton.name, [f"the sum of all values is {total}: there are no shares of it"])
    ahead = _ahead(core)
    assert ahead is not None  # the total is finite
    return WeightedAutomaton(
        input_symbols=core.input_symbols,
        initial=[weight * share / mpq(total) for weight, share in zip(core.initial, ahead, strict=True)],
        transitions={
            a: [[weight * ahead[j] / ahead[i] for j, weight in enumerate(row)] for i, row in enumerate(matrix)]
            for a, matrix in core.transitions.items()
        },
        final=[weight / share for weight, share in zip(core.final, ahead, strict=True)],
        name=automaton.name,
    )


def next_symbol_probabilities(
    automaton: WeightedAutomaton, word: str | Sequence[Symbol] = ""
) -> Mapping[Symbol, mpq] | None:
    """Return the probability of each symbol after a word, and under "" that of its end; None of impossible words.

    Raises
    ------
    MachineError
        If it is not probabilistic.
    WordError
        If the word has a symbol outside the alphabet.

    Examples
    --------
    >>> half = WeightedAutomaton(input_symbols="ab", initial=[1], final=["1/2"],
    ...     transitions={"a": [["1/2"]], "b": [[0]]})
    >>> dict(next_symbol_probabilities(half, "aa"))
    {'a': mpq(1,2), 'b': mpq(0,1), '': mpq(1,2)}
    """
    _require_probabilistic(automaton)
    weights = automaton.forward(as_word(word, automaton.input_symbols))
    total = sum(weights, ZERO)
    if not total:
        return None
    following = {a: sum(row_times(weights, matrix), ZERO) / total for a, matrix in automaton.transitions.items()}
    return Transitions(following | {END: dot(weights, automaton.final) / total})


def _require_probabilistic(automaton: WeightedAutomaton) -> None:
    """Raise MachineError unless all weights are probabilities."""
    if not is_probabilistic(automaton):
        raise MachineError(
            automaton.name,
            [
                "its weights are no probabilities: those to begin with must have the sum 1, and of each state that to "
                "end with and those of all steps; exactnn.normalized makes them so"
            ],
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WordEntropy(Tabular):
    """The entropy of the words of one length, in bits: that of their shares of the values of them all.

    Parameters
    ----------
    length : int
    total : mpq
        The sum of the values of all words of that length.
    shares : tuple of pairs (mpq, int)
        Each share of a word, with how many words have it, in descending order: the entropy is the sum of
        -count * share * log2(share), exactly.
    lower, upper : mpq
        Numbers that it is between, at most 2^-64 times itself (or 2^-64) apart.
    """

    length: int
    total: mpq
    shares: tuple[tuple[mpq, int], ...]
    lower: mpq
    upper: mpq

    def __repr__(self) -> str:
        return f"<entropy of words of length {self.length}: {float(self.lower):.6g} bits>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        rows = tuple((str(share), count) for share, count in self.shares[:MOST_ROWS])
        more = max(0, len(self.shares) - MOST_ROWS)
        return Table(title=repr(self)[1:-1], heading=("share of a word", "words"), rows=rows, more=more)


def word_entropy(automaton: WeightedAutomaton, length: int) -> WordEntropy:
    """Return the entropy of the words of one length, exactly.

    Words with the same weights of the states are counted together, so that of automata in which few are different the
    length may be large.

    Raises
    ------
    MachineError
        If a weight is negative, or all words of that length have the value 0.
    SizeLimitError
        If words are of more than 10,000 symbols, or lead to too many different weights of the states.

    Examples
    --------
    >>> coin = WeightedAutomaton(input_symbols="ht", initial=[1], final=[1],
    ...     transitions={"h": [["1/2"]], "t": [["1/2"]]})
    >>> found = word_entropy(coin, 10)
    >>> found.shares, found.lower, found.upper
    (((mpq(1,1024), 1024),), mpq(10,1), mpq(10,1))
    """
    require_weighted(automaton)
    length = whole_number("length", length)
    if length > MOST_SYMBOLS:
        raise SizeLimitError(f"length={shown(length)}: words have at most {MOST_SYMBOLS:,} symbols here")
    if any(x < 0 for x in _weights(automaton)):
        raise MachineError(automaton.name, ["a weight is negative: values are no shares"])
    level: Counter[Vector] = Counter({automaton.initial: 1})
    # Not `__sizeof__`, which for a number in the memory of an older one may be that one's.
    longest = SHORTEST + max(map(bits_of, _weights(automaton)), default=0)
    products = len(automaton.input_symbols) * automaton.size**2
    work = 0.0
    for step in range(length):
        work += len(level) * products * (1 + (step + 1) * longest / 1000)
        if work > MOST_WORK:
            raise SizeLimitError(
                f"words of {step:,} symbols lead to {len(level):,} different weights of the states: those of "
                f"{length:,} symbols are too many, give a smaller length"
            )
        following: Counter[Vector] = Counter()
        for weights, count in level.items():
            for matrix in automaton.transitions.values():
                following[row_times(weights, matrix)] += count
        level = following
    values: Counter[mpq] = Counter()
    for weights, count in level.items():
        values[dot(weights, automaton.final)] += count
    del values[ZERO]
    total = sum((value * count for value, count in values.items()), ZERO)
    if not total:
        raise MachineError(automaton.name, [f"all words of length {length:,} have the value 0: there are no shares"])
    shares = tuple((value / total, values[value]) for value in sorted(values, reverse=True))
    lower, upper = _entropy(shares)
    return WordEntropy(length=length, total=total, shares=shares, lower=lower, upper=upper)


def _entropy(shares: Sequence[tuple[mpq, int]]) -> tuple[mpq, mpq]:
    """Return numbers that the sum of -count * share * log2(share) is between."""
    precision = 128
    while True:
        bounds = []
        for rounding in (gmpy2.RoundDown, gmpy2.RoundUp):
            with gmpy2.context(precision=precision, round=rounding):
                logarithms = [mpq(gmpy2.log2(gmpy2.mpfr(1 / share))) for share, _ in shares]
            bounds.append(sum((count * share * x for (share, count), x in zip(shares, logarithms, strict=True)), ZERO))
        lower, upper = bounds
        if upper - lower <= max(upper, ONE) / (1 << 64):
            return lower, upper
        precision *= 2


def _weights(automaton: WeightedAutomaton) -> Vector:
    matrices = automaton.transitions.values()
    return (*automaton.initial, *automaton.final, *(x for matrix in matrices for row in matrix for x in row))


def _all_steps(automaton: WeightedAutomaton) -> Matrix:
    """Return the sum of the matrices of all symbols."""
    zero = ((ZERO,) * automaton.size,) * automaton.size
    total = zero
    for matrix in automaton.transitions.values():
        total = tuple(
            tuple(x + y for x, y in zip(sums, row, strict=True)) for sums, row in zip(total, matrix, strict=True)
        )
    return total


def _ahead(automaton: WeightedAutomaton) -> Vector | None:
    """Return the solution of ``x = M x + final``, M the sum of the matrices; None if there is not exactly one.

    It is of each state the sum of the weights of all ways to an end, if these sums converge.
    """
    size, steps = automaton.size, _all_steps(automaton)
    rows = [
        (*(unit - step for unit, step in zip(line, row, strict=True)), automaton.final[i])
        for i, (line, row) in enumerate(zip(identity(size), steps, strict=True))
    ]
    solved, leading = reduced_rows(rows)
    return tuple(row[size] for row in solved) if leading == tuple(range(size)) else None


def _is_stable(polynomial: Sequence[mpq]) -> bool:
    """Return whether all roots of a polynomial, its leading coefficient first, are inside the unit circle.

    >>> [_is_stable([mpq(1), -root]) for root in (mpq(1, 2), mpq(-1), mpq(2))], _is_stable([mpq(1), mpq(0), mpq(1, 4)])
    ([True, False, False], True)
    """
    rest = list(polynomial)
    while len(rest) > 1:
        ratio = rest[-1] / rest[0]
        if abs(ratio) >= 1:
            return False
        rest = [x - ratio * y for x, y in zip(rest[:-1], reversed(rest[1:]), strict=True)]
    return True

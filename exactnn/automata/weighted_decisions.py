"""What is decidable of weighted automata: the least size, and equality, with a shortest word where two differ.

Both go through the words in order of their length and keep those whose weights are not a combination of weights met
before: at most as many as there are states. That weights are independent shows modulo a prime; that they are dependent
is proven over the rationals. Whether two automata of least size are the same is decided by finitely many values, and
those are compared modulo so many primes that they cannot differ otherwise.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.automata.alphabet import Word
from exactnn.automata.configuration import word_text
from exactnn.automata.weighted_automaton import WeightedAutomaton, require_weighted
from exactnn.errors import MachineError, shown
from exactnn.linear_algebra import (
    Matrix,
    ModularRows,
    UnluckyPrimeError,
    Vector,
    dot,
    primes,
    product,
    reduced_rows,
    row_times,
    transposed,
)
from exactnn.markup import Table, Tabular
from exactnn.size_limit import SizeLimit, common_denominator

__all__ = ["WeightedComparison", "compare_weighted", "minimal_weighted"]

ZERO = mpq(0)

T = TypeVar("T")

MOST_BITS = 10_000
"""Of numbers that are compared modulo primes: 400 of them."""


class _ForwardSpace:
    """The weights of the states to which words lead: a basis, of the first words that have it.

    Raises
    ------
    UnluckyPrimeError
        If the prime divides a denominator.
    """

    def __init__(self, automaton: WeightedAutomaton, prime: int) -> None:
        self.automaton = automaton
        self._rows = ModularRows(automaton.size, prime)
        self._matrices = {a: _residues(matrix, self._rows) for a, matrix in automaton.transitions.items()}
        self.words: list[Word] = []
        self._rejected: list[Word] = []
        self._weights: dict[Word, Vector] = {(): automaton.initial}

    def levels(self) -> Iterator[list[Word]]:
        """Yield the empty word, then words of one symbol, of two, and so on, until the weights are all combinations.

        Of words of one length these are the ones that continue a word of the basis.
        """
        level: dict[Word, Any] = {(): self._rows.reduced(self.automaton.initial)}
        while level:
            new = [word for word, residues in level.items() if self._rows.add(residues)]
            known = set(new)
            self.words += new
            self._rejected += [word for word in level if word not in known]
            yield list(level)
            level = {
                (*word, a): self._rows.product(level[word], self._matrices[a])
                for word in new
                for a in self.automaton.input_symbols
            }

    def weights(self, word: Word) -> Vector:
        """Return the weights after a word, exactly."""
        known = len(word)
        while word[:known] not in self._weights:
            known -= 1
        for end in range(known + 1, len(word) + 1):
            before = self._weights[word[: end - 1]]
            self._weights[word[:end]] = row_times(before, self.automaton.transitions[word[end - 1]])
        return self._weights[word]

    def check(self) -> None:
        """Prove that the weights which are combinations modulo the prime are some: those since the last check.

        Raises
        ------
        UnluckyPrimeError
            If it is not.
        """
        rejected, self._rejected = self._rejected, []
        if len(self.words) == self.automaton.size:  # then everything is
            return
        new = {self.weights(word) for word in rejected} - {(ZERO,) * self.automaton.size}
        if not new:
            return
        basis = list(map(self.weights, self.words))
        if new - set(basis) and len(reduced_rows([*basis, *new])[0]) > len(basis):
            raise UnluckyPrimeError("weights are dependent modulo the prime only")


def minimal_weighted(automaton: WeightedAutomaton) -> WeightedAutomaton:
    """Return an automaton of the least size with the same values.

    That size is the rank of the Hankel matrix, whose entry in row u and column v is the value of u v (Carlyle and Paz
    1971, Fliess 1974). The result is unique but for a change of basis.

    Raises
    ------
    MachineError
        If it is no weighted automaton.
    SizeLimitError
        If the next numbers may be too long for the memory.

    Examples
    --------
    The square of a count has four states as a product, and needs three.

    >>> count = WeightedAutomaton(input_symbols="ab", initial=[1, 0], final=[0, 1],
    ...     transitions={"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
    >>> minimal_weighted(count * count).size, minimal_weighted(count * count).value("aabaa")
    (3, mpq(16,1))
    """
    require_weighted(automaton)
    return _forward(_forward(automaton).reversed()).reversed().renamed(automaton.name)


def _forward(automaton: WeightedAutomaton) -> WeightedAutomaton:
    """Return the automaton on the space of weights to which words lead."""
    for prime in primes():
        try:
            space = _ForwardSpace(automaton, prime)
            for _ in space.levels():
                pass
            space.check()
        except UnluckyPrimeError:
            continue
        break
    if len(space.words) == automaton.size:
        return automaton
    rows, columns = reduced_rows(list(map(space.weights, space.words)))
    # A combination of rows in reduced echelon form has its coefficients in the columns of the leading ones.
    return WeightedAutomaton(
        input_symbols=automaton.input_symbols,
        initial=tuple(automaton.initial[j] for j in columns),
        transitions={
            a: tuple(tuple(image[j] for j in columns) for image in (row_times(row, matrix) for row in rows))
            for a, matrix in automaton.transitions.items()
        },
        final=tuple(dot(row, automaton.final) for row in rows),
        name=automaton.name,
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeightedComparison(Tabular):
    """Whether two weighted automata give every word the same value.

    `witness` is a shortest word where they do not, and `values` what they give it. `bound` is the length below which
    automata of these sizes must differ if they do.
    """

    equal: bool
    witness: Word | None
    values: tuple[mpq, mpq] | None
    bound: int

    def __repr__(self) -> str:
        if self.values is None:
            return f"<equal: no word shorter than {self.bound} has two values, so none has>"
        assert self.witness is not None
        return f"<different: {shown(word_text(self.witness))} has the values {self.values[0]} and {self.values[1]}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        return Table.of_fields(
            "comparison",
            {
                "equal": str(self.equal),
                "shortest word": None if self.witness is None else word_text(self.witness),
                "values": None if self.values is None else f"{self.values[0]}, {self.values[1]}",
            },
        )


def compare_weighted(first: WeightedAutomaton, second: WeightedAutomaton) -> WeightedComparison:
    """Decide whether two automata give every word the same value.

    Raises
    ------
    MachineError
        If they read different symbols, or one is no weighted automaton.
    SizeLimitError
        If the next numbers may be too long for the memory.

    Notes
    -----
    They differ on a word shorter than the sum of their sizes, or nowhere (Schützenberger 1961); that length less one
    is attained.

    Examples
    --------
    >>> one = WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [[1]]}, final=[1])
    >>> sign = WeightedAutomaton(input_symbols="a", initial=[1], transitions={"a": [[-1]]}, final=[1])
    >>> compare_weighted(one, sign)
    <different: 'a' has the values 1 and -1>
    >>> compare_weighted(one, sign * sign).equal
    True
    """
    require_weighted(first, second)
    if set(first.input_symbols) != set(second.input_symbols):
        symbols = f"it reads {shown(first.input_symbols)}, {second.name} {shown(second.input_symbols)}"
        raise MachineError(first.name, [f"{symbols}: only automata over the same symbols are compared"])
    bound = first.size + second.size
    first, second = minimal_weighted(first), minimal_weighted(second)
    if first.size == second.size and _have_the_same_values(first, second):
        return WeightedComparison(equal=True, witness=None, values=None, bound=bound)
    difference = first - second
    for prime in primes():
        try:
            space = _ForwardSpace(difference, prime)
            for level in space.levels():
                for word in level:
                    if dot(space.weights(word), difference.final):
                        values = first.value(word), second.value(word)
                        return WeightedComparison(equal=False, witness=word, values=values, bound=bound)
                space.check()  # so a word of this length that differs would have been found
        except UnluckyPrimeError:
            continue
        break
    raise AssertionError("automata of least size that differ in a value have no word where they do")


def _have_the_same_values(first: WeightedAutomaton, second: WeightedAutomaton) -> bool:
    """Return whether two automata of least size, which is the same, give every word the same value.

    Let P and S be words whose weights, forward and backward, are bases of the first automaton. The block P by S of its
    Hankel matrix is invertible, and with the blocks P a S and the row and column of the empty word, which is in both,
    it determines any function of that rank. So two such functions are the same if they agree on these words.

    Values are rational numbers over a common denominator; numerators that are congruent modulo primes whose product is
    above all that their difference can be are the same.
    """
    if not first.size:
        return True
    prefixes, suffixes = _basis_words(first), _basis_words(first.reversed())
    longest = 1 + max(map(len, prefixes), default=0) + max(map(len, suffixes), default=0)
    most, proven = _largest_difference(first, second, longest), 1
    if most is None:  # fewer products of long numbers than there would be primes
        return _exact_blocks(first, prefixes, suffixes) == _exact_blocks(second, prefixes, suffixes)
    for prime in primes():
        if proven > most:
            return True
        try:
            ours, theirs = (_blocks(automaton, prime, prefixes, suffixes) for automaton in (first, second))
        except UnluckyPrimeError:
            continue
        if any((x != y).any() for x, y in zip(ours, theirs, strict=True)):
            return False
        proven *= prime
    raise AssertionError("there is no end of primes")


def _basis_words(automaton: WeightedAutomaton) -> list[Word]:
    """Return words whose weights are a basis, of an automaton of least size, with all words that they begin with."""
    for prime in primes():
        try:
            space = _ForwardSpace(automaton, prime)
            for _ in space.levels():
                pass
        except UnluckyPrimeError:
            continue
        if len(space.words) == automaton.size:
            return space.words
    raise AssertionError("there is no end of primes")


def _blocks(
    automaton: WeightedAutomaton, prime: int, prefixes: list[Word], suffixes: list[Word]
) -> list[NDArray[np.int64]]:
    """Return the values of words P S, and P a S for each symbol, modulo a prime; suffixes are written backwards."""
    rows = ModularRows(automaton.size, prime)
    steps = {a: _residues(matrix, rows) for a, matrix in automaton.transitions.items()}
    ahead = _along(prefixes, rows.reduced(automaton.initial), lambda row, a: rows.product(row, steps[a]))
    back = _along(suffixes, rows.reduced(automaton.final), lambda row, a: rows.product(row, steps[a].T))
    begin, end = np.array(ahead), np.array(back).T
    return [rows.product(some, end) for some in (begin, *(rows.product(begin, steps[a]) for a in sorted(steps)))]


def _exact_blocks(automaton: WeightedAutomaton, prefixes: list[Word], suffixes: list[Word]) -> list[Matrix]:
    """Return the same values over the rationals."""
    steps = automaton.transitions
    backwards = {a: transposed(matrix) for a, matrix in steps.items()}
    begin = tuple(_along(prefixes, automaton.initial, lambda row, a: row_times(row, steps[a])))
    end = transposed(tuple(_along(suffixes, automaton.final, lambda row, a: row_times(row, backwards[a]))))
    return [product(some, end) for some in (begin, *(product(begin, steps[a]) for a in sorted(steps)))]


def _along(words: list[Word], begin: T, times: Callable[[T, str], T]) -> list[T]:
    """Return for each word the row that it makes of the first one; all words that a word begins with come before it."""
    known = {(): begin}
    for word in words[1:]:
        known[word] = times(known[word[:-1]], word[-1])  # type: ignore[index]
    return list(known.values())


def _residues(matrix: Matrix, rows: ModularRows) -> NDArray[np.int64]:
    """Return a square matrix modulo a prime."""
    return np.array([rows.reduced(row) for row in matrix], dtype=np.int64).reshape(len(matrix), len(matrix))


def _largest_difference(first: WeightedAutomaton, second: WeightedAutomaton, longest: int) -> int | None:
    """Return what no difference of the values of a word exceeds, times a common denominator of both, up to a length.

    None if that has more than 10,000 bits.
    """
    sizes, denominators = [], []
    bits = 0
    for automaton in (first, second):
        matrices = automaton.transitions.values()
        rows = [row for matrix in matrices for row in matrix]
        step = max((sum(map(abs, row), ZERO) for row in rows), default=ZERO)
        begin, end = sum(map(abs, automaton.initial), ZERO), max(map(abs, automaton.final), default=ZERO)
        entries = (x for row in rows for x in row)
        limit = SizeLimit()
        parts = [int(common_denominator(some, limit)) for some in (automaton.initial, automaton.final, entries)]
        bits += longest * (parts[2].bit_length() + int(step).bit_length()) + (parts[0] * parts[1]).bit_length()
        if bits > MOST_BITS:
            return None
        sizes.append(begin * end * max(step, mpq(1)) ** longest)
        denominators.append(parts[0] * parts[1] * parts[2] ** longest)
    bound = sum(sizes, ZERO) * denominators[0] * denominators[1]
    return int(bound) + 1

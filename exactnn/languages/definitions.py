"""What definitions of languages share: checks, reading words for factors and subsequences, the minimal automaton."""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from exactnn.automata import DFA, Symbol, Word, as_word
from exactnn.automata.validation import collected, symbol_faults
from exactnn.equivalence import AutomatonTable, dfa_of, minimal_table
from exactnn.errors import OptionError, shown
from exactnn.options import entries, listed, whole_number

__all__ = [
    "BEGIN",
    "END",
    "MOST_LETTERS",
    "WORDS",
    "Counts",
    "Scan",
    "accepted_rows",
    "alphabet_of",
    "complete",
    "factors_of",
    "further",
    "minimal_automaton",
    "subset_of",
    "words_of",
]

BEGIN, END = "^", "$"
"""What stands for the ends of a word in a factor."""

MOST_SYMBOLS = 1_000
MOST_WORDS = 10_000
MOST_LETTERS = 200
"""Of all factors, subsequences or blocks together."""

MOST_CELLS = 100_000
"""States times symbols of an automaton before it is made minimal."""

MOST_ACCEPTED = 10_000

WORDS = "a list of words, such as ['ab', 'ba']"
"""What errors say is to be given."""

S = TypeVar("S", bound=Hashable)
Counts = tuple[int, ...]


class Scan:
    """Reads a word symbol by symbol and says which factors end there.

    What it remembers is the longest end of what was read that begins a factor.
    """

    def __init__(self, symbols: tuple[Symbol, ...], factors: list[Word], tier: Iterable[Symbol] | None) -> None:
        self.factors = factors
        self.tier = set(symbols) if tier is None else subset_of("tier", tier, symbols)
        for factor in factors:
            if wrong := set(factor) - self.tier - {BEGIN, END}:
                raise OptionError(f"the factor {shown(' '.join(factor))} has {shown(min(wrong))}, not on the tier")
        self._known: dict[Word, tuple[Word, frozenset[int]]] = {(): ((), frozenset())}
        for word in sorted({factor[:i] for factor in factors for i in range(1, len(factor) + 1)}, key=len):
            border = self._longest(self._known[word[:-1]][0], word[-1]) if len(word) > 1 else ()
            self._known[word] = border, self._known[border][1] | {i for i, each in enumerate(factors) if each == word}

    def after(self, state: Word, symbol: Symbol) -> tuple[Word, frozenset[int]]:
        """Return what is remembered after a symbol, and the numbers of the factors that end with it."""
        kept = self._longest(state, symbol)
        return kept, self._known[kept][1]

    def _longest(self, state: Word, symbol: Symbol) -> Word:
        """Return the longest end of `state` with a symbol more that begins a factor; it is among those that are known.

        To each beginning of a factor is known its own longest end that begins one, and which factors end with it.
        """
        while state and (*state, symbol) not in self._known:
            state = self._known[state][0]
        return (*state, symbol) if (*state, symbol) in self._known else ()


def further(words: list[Word], state: Counts, symbol: Symbol) -> Counts:
    """Return how many symbols of each subsequence have come, after one symbol more."""
    return tuple(at + (at < len(word) and word[at] == symbol) for word, at in zip(words, state, strict=True))


def complete(words: list[Word], state: Counts) -> bool:
    """Return whether a subsequence has come as a whole."""
    return any(at == len(word) for word, at in zip(words, state, strict=True))


def minimal_automaton(
    symbols: tuple[Symbol, ...],
    start: S,
    step: Callable[[S, Symbol], S],
    accepts: Callable[[S], bool],
    name: str,
) -> DFA:
    """Return the minimal automaton whose states are those that `step` leads to."""
    number: dict[S, int] = {start: 0}
    rows: list[list[int]] = []
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        rows.append([])
        for symbol in symbols:
            after = step(state, symbol)
            if after not in number:
                if len(number) * len(symbols) > MOST_CELLS:
                    raise OptionError(
                        f"an automaton that is {name} has more than {MOST_CELLS:,} entries, states times symbols: give "
                        "fewer or shorter words"
                    )
                number[after] = len(number)
                waiting.append(after)
            rows[-1].append(number[after])
    labels = [int(accepts(state)) for state in number]
    table = AutomatonTable(transitions=rows, labels=labels, symbols=symbols, label_names=(False, True))
    return dfa_of(minimal_table(table), name=name)


# --- Checks of what is given.


def alphabet_of(input_symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """Return an alphabet as a tuple."""
    faults: list[str] = []
    symbols = collected("input_symbols", input_symbols, faults)
    faults = faults or symbol_faults(symbols, "input symbol")
    if not faults and not 1 <= len(symbols) <= MOST_SYMBOLS:
        faults = [f"there are {len(symbols)} input symbols: give 1 to {MOST_SYMBOLS:,}"]
    if faults:
        raise OptionError(faults[0])
    return symbols


def words_of(name: str, value: Iterable[str | Sequence[Symbol]], symbols: Collection[Symbol]) -> list[Word]:
    """Return words, each once; they are not empty, and have not too many symbols together."""
    found: dict[Word, None] = {}
    several = listed(name, value, WORDS)
    if len(several) > MOST_WORDS:
        raise OptionError(f"{name} has {len(several):,} words: give at most {MOST_WORDS:,}")
    for given in several:
        if not isinstance(given, str | Sequence):
            raise OptionError(f"{name}={shown(value)}: give {WORDS}")
        found[as_word(given, symbols)] = None
        if sum(map(len, found)) > MOST_LETTERS:
            raise OptionError(f"{name} have more than {MOST_LETTERS} symbols together: give fewer or shorter ones")
    if () in found:
        raise OptionError(f"{name}={shown(value)}: one is empty, which occurs everywhere: leave it out")
    return list(found)


def factors_of(name: str, value: Iterable[str | Sequence[Symbol]], symbols: tuple[Symbol, ...]) -> list[Word]:
    """Return words over the symbols and the marks of the ends of words."""
    for mark in (BEGIN, END):
        if mark in symbols:
            raise OptionError(f"the input symbol {mark!r} stands for an end of a word in factors: take another")
    found = words_of(name, value, (*symbols, BEGIN, END))
    for factor in found:
        if BEGIN in factor[1:] or END in factor[:-1]:
            raise OptionError(f"the factor {shown(' '.join(factor))}: '^' may only begin it, and '$' only end it")
    return found


def subset_of(name: str, value: Iterable[Symbol], symbols: tuple[Symbol, ...]) -> set[Symbol]:
    """Return some symbols of an alphabet as a set."""
    known, faults = set(symbols), list[str]()
    found = collected(name, value, faults)
    if faults:
        raise OptionError(faults[0])
    for symbol in found:
        if not isinstance(symbol, str) or symbol not in known:
            raise OptionError(f"{name}: {shown(symbol)} is no input symbol: give symbols of the alphabet")
    return set(found)


def accepted_rows(value: Iterable[Iterable[int]], count: int, most: int) -> set[Counts]:
    """Return rows of numbers from 0 to `most`, one for each word that is looked for."""
    what = f"rows of {count} whole numbers from 0 to {most}, one for each word that is looked for"
    found = set[Counts]()
    for row in listed("accepted", value, what):
        numbers = entries("accepted", row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else []
        if len(numbers) != count:
            raise OptionError(f"accepted has {shown(row)}: give {what}")
        found.add(tuple(whole_number("accepted", number, 0, most) for number in numbers))
        if len(found) > MOST_ACCEPTED:
            raise OptionError(f"accepted has more than {MOST_ACCEPTED:,} rows: give the complement")
    return found

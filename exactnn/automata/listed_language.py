"""Languages given by a list of their words, and machines that list them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, product
from typing import Any

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.errors import OptionError, WordError, shown
from exactnn.markup import named
from exactnn.options import entries, text, whole_number
from exactnn.outcome import Outcome, Verdict

__all__ = [
    "LanguageSource",
    "ListConfiguration",
    "ListRun",
    "ListState",
    "ListedLanguage",
    "list_configurations",
    "look_up",
]


LanguageSource = Callable[[Any], object] | Iterable[str | Sequence[Symbol]]
"""A predicate on words; or a collection of words; or an iterator of words in order of length."""

MOST_TRIED = 1_000_000
"""Words in a row that a predicate may deny."""


class ListedLanguage:
    """The words of a language in order of length, found one after the other and kept.

    Parameters
    ----------
    language : predicate, collection or iterator
        A predicate gets each word, in order of length and then of the alphabet: as a string if symbols are characters,
        else as a tuple. A collection of words (list, set, ...) is finite, is sorted and loses its duplicates. An
        iterator, such as a generator, gives words in order of length, at most for ever.
    alphabet : str or sequence of str
    name : str
    most_tried : int
        Where a predicate denies so many words in a row, an error says so: there may be no further word, which no
        predicate can tell.

    Raises
    ------
    WordError
        If the alphabet is none; or, by :meth:`word`, if a word has another symbol or is shorter than the one before, or
        none is found.
    OptionError
        If `language` is none of these, or `most_tried` is less than 1; by :meth:`word`, if `number` is negative.

    Examples
    --------
    >>> doubled = ListedLanguage(lambda w: w[: len(w) // 2] * 2 == w, "ab", name="ww")
    >>> ["".join(doubled.word(i)) for i in range(6)]
    ['', 'aa', 'bb', 'aaaa', 'abab', 'baba']
    >>> ListedLanguage(["b", "", "ab"], "ab").text(9)
    '#b#ab#!'
    """

    __slots__ = ("_ended", "_failure", "_source", "_words", "alphabet", "name")

    def __init__(
        self,
        language: LanguageSource,
        alphabet: str | Sequence[Symbol],
        *,
        name: str = "L",
        most_tried: int = MOST_TRIED,
    ) -> None:
        self.alphabet = _alphabet(alphabet)
        self.name = text("name", name)
        most_tried = whole_number("most_tried", most_tried, 1)
        self._words: list[Word] = []
        self._ended = False
        self._failure: str | None = None
        self._source: Iterator[Word] = self._found(language, most_tried)

    def __repr__(self) -> str:
        return f"<ListedLanguage {named(self.name)}>"

    @property
    def separator(self) -> int:
        """The digit that ends a word in :meth:`digits`."""
        return len(self.alphabet)

    @property
    def end(self) -> int:
        """The digit that follows the last word."""
        return len(self.alphabet) + 1

    def word(self, number: int) -> Word | None:
        """Return the word with this number, from 0 on, or None if there are fewer."""
        number = whole_number("number", number)
        while len(self._words) <= number and not self._ended:
            self._find()
        return self._words[number] if number < len(self._words) else None

    def _find(self) -> None:
        if self._failure is not None:
            raise WordError(self._failure)
        # What has raised once would seem to have ended: a list that breaks off is not a shorter list.
        self._failure = f"the source of {self.name} failed at word {len(self._words)}: begin with a new one"
        word = next(self._source, None)
        if word is not None and self._words and len(word) < len(self._words[-1]):
            raise WordError(
                f"word {len(self._words)} of {self.name}, {shown(word)}, is shorter than the one before: list words in "
                "order of length"
            )
        self._failure = None
        self._ended = word is None
        if word is not None:
            self._words.append(word)

    def words(self) -> Iterator[Word]:
        """Yield the words, perhaps for ever."""
        for number in count():
            word = self.word(number)
            if word is None:
                return
            yield word

    def digits(self) -> Iterator[int]:
        """Yield ⟨L⟩: the numbers of the symbols of each word, with the separator after it, and at last the end."""
        number = {a: i for i, a in enumerate(self.alphabet)}
        for word in self.words():
            yield from (number[a] for a in word)
            yield self.separator
        yield self.end

    def text(self, digits: int) -> str:
        """Return the first digits of ⟨L⟩ as text, with "#" for the separator and "!" for the end."""
        digits = whole_number("digits", digits)
        symbols = [*self.alphabet, "#", "!"]
        return "".join(symbols[digit] for digit, _ in zip(self.digits(), range(digits), strict=False))

    def _found(self, language: Any, most_tried: int) -> Iterator[Word]:
        if isinstance(language, Iterator):
            return (as_word(word, self.alphabet) for word in language)
        if isinstance(language, Iterable) and not isinstance(language, str):
            return iter(self._sorted(language))
        if callable(language):
            return self._accepted(language, most_tried)
        raise OptionError(
            f"language={shown(language)}: give a predicate, a collection of words, or an iterator of words"
        )

    def _sorted(self, words: Iterable[Any]) -> list[Word]:
        number = {a: i for i, a in enumerate(self.alphabet)}
        different = {as_word(word, self.alphabet) for word in entries("language", words)}
        return sorted(different, key=lambda word: (len(word), [number[a] for a in word]))

    def _accepted(self, predicate: Callable[[Any], object], most_tried: int) -> Iterator[Word]:
        characters = all(len(a) == 1 for a in self.alphabet)
        denied = 0
        for length in count() if self.alphabet else (0,):
            for word in product(self.alphabet, repeat=length):
                if predicate("".join(word) if characters else word):
                    denied = 0
                    yield word
                    continue
                denied += 1
                if denied >= most_tried:
                    raise WordError(
                        f"{self.name}: the predicate denies {denied} words in a row, up to {shown(word)}: if there are "
                        "no more, give the words as a list; else raise most_tried"
                    )


def _alphabet(symbols: Any) -> tuple[Symbol, ...]:
    found = tuple(entries("alphabet", symbols, error=WordError)) if isinstance(symbols, Iterable) else (symbols,)
    for symbol in found:
        if not isinstance(symbol, str) or not symbol or symbol == "EOS":
            raise WordError(f"alphabet symbol {shown(symbol)}: a symbol is a non-empty string, and not 'EOS'")
    if len(set(found)) != len(found):
        raise WordError(f"alphabet {shown(found)} names a symbol twice")
    return found


# --- The machine that compares a word with the words of a list: a tape, and a stack that is only popped.
#
# It is the machine of the proof that networks with real weights decide any language, corrected: the list has an end
# marker, and after a mismatch the lengths are compared on.


class ListState(StrEnum):
    """The states. The first two compare: all has been equal since the left end, or something was not."""

    EQUAL = "equal"
    UNEQUAL = "unequal"
    REWIND = "rewind"
    ACCEPT = "accept"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConfiguration:
    """A configuration of the machine.

    Parameters
    ----------
    state : str
        A `ListState`, or what a network does before the first of them.
    left, right : tuple of str
        The word on either side of the head, nearest symbol first; `right` begins with the scanned one.
    listed : int or None
        How many digits of ⟨L⟩ have been popped. None if that cannot be known.
    """

    state: str
    left: Word
    right: Word
    listed: int | None

    def __str__(self) -> str:
        """The word with the head before the scanned symbol, after the state; and where in the list the machine is."""
        cells = " ".join([*reversed(self.left), "^", *self.right])
        return f"{self.state}: {cells} | {'?' if self.listed is None else self.listed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRun:
    """What a run of the machine gave.

    Parameters
    ----------
    outcome : Outcome
        Accepted or rejected.
    steps : int
        Moves.
    eos_steps : int
        EOS symbols until the verdict of a network that loads and rewinds the word before: T = |w| + 2 + steps.
    digits : int
        How many digits of ⟨L⟩ were read.
    """

    outcome: Outcome
    steps: int
    eos_steps: int
    digits: int

    @property
    def verdict(self) -> Verdict | None:
        """Accept or reject."""
        return self.outcome.verdict


def list_configurations(language: ListedLanguage, word: str | Sequence[Symbol]) -> Iterator[ListConfiguration]:
    """Yield the configurations of the machine on a word, the initial one first, the halting one last.

    In each move of a comparison the machine sees the scanned symbol and the top of the list, and pops it:

    - the end of the list: no word is left, reject;
    - a letter, where the word is at its end: the listed word is longer, and so are all that follow: reject;
    - the separator at the end of the word: accept if all was equal, else rewind for the next word;
    - the separator before the end of the word: rewind;
    - a letter over a letter: go on, unequal from there if they differ.
    """
    tape = as_word(word, language.alphabet)
    digits = language.digits()
    head = popped = 0
    state = ListState.EQUAL

    def configuration() -> ListConfiguration:
        return ListConfiguration(state=state, left=tape[:head][::-1], right=tape[head:], listed=popped)

    yield configuration()
    while state not in (ListState.ACCEPT, ListState.REJECT):
        if state is ListState.REWIND:
            if head:
                head -= 1
            else:
                state = ListState.EQUAL
            yield configuration()
            continue
        top, at_end = next(digits), head == len(tape)
        if top == language.end or (at_end and top != language.separator):
            state = ListState.REJECT
        elif top == language.separator:
            popped += 1
            state = ListState.ACCEPT if at_end and state is ListState.EQUAL else ListState.REWIND
        else:
            popped += 1
            if language.alphabet[top] != tape[head]:
                state = ListState.UNEQUAL
            head += 1
        yield configuration()


def look_up(language: ListedLanguage, word: str | Sequence[Symbol]) -> ListRun:
    """Run the machine on a word.

    For L = {ww}, the word ab is behind the list ε, aa, bb, aaaa: after bb it takes one more word to reject it.

    >>> doubled = ListedLanguage(lambda w: w[: len(w) // 2] * 2 == w, "ab", name="ww")
    >>> for word in ("", "aa", "ab", "aaba"):
    ...     run = look_up(doubled, word)
    ...     print(run.outcome, run.eos_steps, run.digits)
    accepted 3 1
    accepted 9 4
    rejected 21 10
    rejected 65 32
    """
    tape = as_word(word, language.alphabet)
    for step, configuration in enumerate(list_configurations(language, tape)):
        steps, last = step, configuration
    assert last.listed is not None
    accepted = last.state == ListState.ACCEPT
    digits = last.listed if accepted else last.listed + 1  # the digit that rejects is read, and not popped
    outcome = Outcome.ACCEPTED if accepted else Outcome.REJECTED
    return ListRun(outcome=outcome, steps=steps, eos_steps=len(tape) + 2 + steps, digits=digits)

"""The words of a collapse table: as given, from patterns for a range of n, or from a machine's own file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from exactnn.automata import is_word_family, word_of_family
from exactnn.cli.subject import Subject, word_from_text
from exactnn.cli.text import shortened
from exactnn.errors import OptionError, shown
from exactnn.outcome import Outcome

__all__ = ["Case", "cases_of", "number_range", "picture_title"]

MOST_WORDS = 100_000
MOST_SYMBOLS = 10**7
"""Of all words together: each is run several times, and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One word of the table, with the pattern and the n that it comes from, if it does."""

    text: str
    word: tuple[object, ...]
    pattern: str | None = None
    n: int | None = None

    @property
    def label(self) -> str:
        """The word for people: its pattern with n, or itself, cut where it is long."""
        if self.pattern is None:
            return shortened(self.text, 24) or "(empty)"
        return f"{shortened(self.pattern)}, n = {self.n}"


def number_range(text: str) -> range:
    """Return the numbers that ``first:last`` or ``first:last:step`` means, the last included.

    Raises
    ------
    OptionError
        If it means none.

    Examples
    --------
    >>> list(number_range("1:9:4")), list(number_range("7"))
    ([1, 5, 9], [7])
    """
    parts = text.split(":")
    if not 1 <= len(parts) <= 3 or not all(p.isascii() and p.isdecimal() and len(p) <= 9 for p in parts):
        raise OptionError(f"range {shown(text)}: write first:last or first:last:step, such as 1:40 or 10:200:10")
    first, last, step = (int(parts[0]), int(parts[1 if len(parts) > 1 else 0]), int(parts[2]) if len(parts) > 2 else 1)
    if not step or last < first:
        raise OptionError(f"range {shown(text)} is empty: the last n is at least the first, the step at least 1")
    numbers = range(first, last + 1, step)
    if len(numbers) > MOST_WORDS:
        raise OptionError(f"range {shown(text)} gives {len(numbers)} words: at most {MOST_WORDS}, give a larger step")
    return numbers


def cases_of(subject: Subject, texts: Sequence[str], n: str) -> list[Case]:
    """Return the cases that the arguments name; without any, the words that the machine's file expects to pass.

    Raises
    ------
    WordError, OptionError
        If a word or pattern does not fit, or there are no words.
    """
    numbers = number_range(n)
    if texts:
        return _within_memory(case for text in texts for case in _cases(subject, text, numbers))
    found = [] if subject.file is None else _expected(subject)
    if not found:
        raise OptionError(f"{shown(subject.name)} names no words of its own: give some, or a pattern such as 'a^n b^n'")
    return found


def _within_memory(cases: Iterable[Case]) -> list[Case]:
    found = []
    symbols = 0
    for case in cases:
        found.append(case)
        symbols += len(case.word)
        if symbols > MOST_SYMBOLS:
            raise OptionError(f"the words have more than {MOST_SYMBOLS} symbols together: give a smaller --n")
    return found


def _cases(subject: Subject, text: str, numbers: range) -> Iterator[Case]:
    network = subject.network
    if not is_word_family(text) or "^" in (network.input_symbols or ()):
        yield Case(text=text, word=word_from_text(network, text))
        return
    for number in numbers:
        word = word_of_family(text, number)
        yield Case(text=word, word=word_from_text(network, word), pattern=text, n=number)


def _expected(subject: Subject) -> list[Case]:
    """Return the words that the file says are accepted, or make the machine halt, by length."""
    assert subject.file is not None
    words = {
        expectation.word: None
        for expectation in subject.file.expectations
        if expectation.outcome in (Outcome.ACCEPTED, Outcome.HALTED)
    }
    join = "" if all(len(a) == 1 for a in subject.network.input_symbols or ()) else " "
    return [Case(text=join.join(word), word=word) for word in sorted(words, key=lambda word: (len(word), word))]


def picture_title(subject: Subject, cases: Sequence[Case]) -> str:
    """Return what a picture of these words is called: the machine, and the pattern if all words come from one."""
    patterns = {case.pattern for case in cases}
    family = patterns.pop() if len(patterns) == 1 else None
    return shortened(subject.name, 40) + (f" on {shortened(family)}" if family else "")

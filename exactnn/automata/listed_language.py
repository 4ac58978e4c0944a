"""Languages as lists of their words in order of length: what the textbook calls the infinite string ⟨L⟩."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, product
from typing import Any

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.errors import OptionError, WordError, shown
from exactnn.markup import named
from exactnn.options import text, whole_number

__all__ = ["LanguageSource", "ListedLanguage"]

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
        different = {as_word(word, self.alphabet) for word in words}
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
    found = tuple(symbols) if isinstance(symbols, Iterable) else (symbols,)
    for symbol in found:
        if not isinstance(symbol, str) or not symbol or symbol == "EOS":
            raise WordError(f"alphabet symbol {shown(symbol)}: a symbol is a non-empty string, and not 'EOS'")
    if len(set(found)) != len(found):
        raise WordError(f"alphabet {shown(found)} names a symbol twice")
    return found

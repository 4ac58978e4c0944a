"""How far a format gets with a language in its start state: how many words it decides before the first wrong one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice, product

from exactnn.arithmetic import AnyArithmetic, Arithmetic, arithmetic_of, counted
from exactnn.automata import Word, look_up, word_text
from exactnn.constructions.reals.language_in_a_weight import LanguageInAWeight
from exactnn.errors import OptionError, shown
from exactnn.markup import clipped
from exactnn.options import whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import real_executor_for, verdict_of

__all__ = ["DecidedWords", "decided_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedWords:
    """How many words are decided right, in order of length and of the alphabet, before the first that is not.

    Parameters
    ----------
    arithmetic : Arithmetic
    words : int
        How many there are.
    digits : int
        The most digits that one of them needs.
    first_wrong : tuple of str or None
        The word that is not decided as it should be, at the step at which it should be; None if there is none among
        those tried.
    needed : int or None
        The digits that this word needs.
    outcome : Outcome or None
        What becomes of it instead; "step limit" says that there was no verdict at that step.
    """

    arithmetic: Arithmetic
    words: int
    digits: int
    first_wrong: Word | None
    needed: int | None
    outcome: Outcome | None

    def __repr__(self) -> str:
        right = f"{counted(self.words, 'word')} right"
        wrong = (
            "" if self.first_wrong is None else f", then {clipped(word_text(self.first_wrong), 40)} is {self.outcome}"
        )
        return f"<DecidedWords in {self.arithmetic}: {right}{wrong}>"


def decided_words(construction: LanguageInAWeight, arithmetic: AnyArithmetic, *, max_words: int = 1000) -> DecidedWords:
    """Run all words, in order of length, until one is not decided as the list decides it.

    The reals of the start state are rounded to the arithmetic, which is what a network in a format can hold of them.
    A word is right if its verdict is, at the step of the theorem.

    Parameters
    ----------
    construction : LanguageInAWeight
    arithmetic : Arithmetic
    max_words : int
        Try at most so many.

    Raises
    ------
    OptionError
        If `construction` is no LanguageInAWeight, or `max_words` is less than 1.
    UnsupportedArithmeticError
        If a real cannot be rounded to the arithmetic.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16
    >>> from exactnn.constructions.reals.language_in_a_weight import language_in_a_weight
    >>> unary = language_in_a_weight(lambda w: True, "a")
    >>> found = decided_words(unary, FLOAT16)
    >>> found.words, found.digits, found.first_wrong, found.needed
    (2, 3, ('a', 'a'), 6)
    """
    arithmetic = arithmetic_of(arithmetic)
    if not isinstance(construction, LanguageInAWeight):
        raise OptionError(f"{shown(construction)} has no list of words: give what language_in_a_weight returns")
    most_words = whole_number("max_words", max_words, 1)
    language = construction.language
    executor = real_executor_for(construction.network, arithmetic)
    words = most = 0
    for word in islice(_words(language.alphabet), min(most_words, sys.maxsize)):
        truth = look_up(language, word)
        steps = len(word) + truth.eos_steps
        outcome, taken = verdict_of(executor, [language.alphabet.index(a) for a in word], steps)
        if (outcome, taken) != (truth.outcome, steps):
            return DecidedWords(
                arithmetic=arithmetic,
                words=words,
                digits=most,
                first_wrong=word,
                needed=truth.digits,
                outcome=outcome,
            )
        words, most = words + 1, max(most, truth.digits)
    return DecidedWords(arithmetic=arithmetic, words=words, digits=most, first_wrong=None, needed=None, outcome=None)


def _words(alphabet: Word) -> Iterator[Word]:
    for length in count() if alphabet else (0,):
        yield from product(alphabet, repeat=length)

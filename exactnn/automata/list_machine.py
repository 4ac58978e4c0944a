"""The machine that compares a word with the words of a list: a tape, and a stack that is only popped.

It is the machine of the proof that networks with real weights decide any language, corrected: the list has an end
marker, and after a mismatch the lengths are compared on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from exactnn.automata.alphabet import Symbol, Word, as_word
from exactnn.automata.listed_language import ListedLanguage
from exactnn.outcome import Outcome, Verdict

__all__ = ["ListConfiguration", "ListRun", "ListState", "list_configurations", "look_up"]


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

"""Whether two systems say the same of every word: decided where both are finite, with a shortest witness."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from exactnn.arithmetic import Arithmetic, counted
from exactnn.automata import DFA, CounterMachine, MooreMachine, StackMachine, TuringMachine, Word, word_text
from exactnn.equivalence.lazy_moore import Label
from exactnn.equivalence.limits import Limits
from exactnn.equivalence.pair_search import PairSearch
from exactnn.equivalence.subject import moore_of
from exactnn.errors import OptionError, shown
from exactnn.markup import Entry, Table, Tabular, clipped
from exactnn.networks import Network
from exactnn.simulation import Runnable

__all__ = ["Equivalence", "Subject", "equivalent"]

Subject = (
    DFA
    | MooreMachine
    | CounterMachine
    | StackMachine
    | TuringMachine
    | Network
    | Runnable
    | tuple[Network | Runnable, Arithmetic]
)
"""What can be compared: automata, machines, networks in exact arithmetic, and networks in a given one."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence(Tabular):
    """What :func:`equivalent` found.

    Parameters
    ----------
    equal : bool or None
        Whether the two say the same of every word; None if that was not decided.
    witness : tuple of str or None
        A word of which they say different things; no shorter one was found. It is a shortest one if `bound` is one
        less than its length; else there are shorter words of which it is not known within `max_steps` what is said.
    labels : pair or None
        What the two say of it.
    bound : int or None
        All words up to this length were compared, and nothing but the witness was found; None for words of any length:
        then the answer is a proof for all of them. With a witness it is one less than its length, unless what is said
        of some shorter word was not known within the limits.
    reason : str
        Why it was not decided; "" otherwise.
    pairs : int
        Pairs of states that were compared.
    seconds : float
    """

    equal: bool | None
    witness: Word | None
    labels: tuple[Label, Label] | None
    bound: int | None
    reason: str
    pairs: int
    seconds: float

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        equal = "not decided" if self.equal is None else "yes" if self.equal else "no"
        first, second = self.labels or (None, None)
        compared = "words of any length" if self.bound is None else f"words of up to {counted(self.bound, 'symbol')}"
        fields = {
            "equal": Entry(equal, mark={True: "right", False: "wrong", None: "unsure"}[self.equal]),
            "word": None if self.witness is None else word_text(self.witness),
            "the first says": None if self.witness is None else _label_text(first),
            "the second says": None if self.witness is None else _label_text(second),
            "compared": None if self.bound is not None and self.bound < 0 else compared,
            "reason": self.reason,
            "pairs of states": self.pairs,
        }
        return Table.of_fields("", fields)

    def __repr__(self) -> str:
        if self.equal is None:
            return f"<Equivalence: not decided, {self.reason}>"
        if self.witness is None:
            return "<Equivalence: equal on all words>"
        says = " / ".join(map(_label_text, self.labels or ()))
        return f"<Equivalence: they differ on {clipped(word_text(self.witness), 60)}: {says}>"


def _label_text(label: object) -> str:
    return f"({', '.join(map(str, label))})" if isinstance(label, tuple) else str(label)


def equivalent(
    a: Subject,
    b: Subject,
    *,
    by: str = "outcome",
    max_length: int | None = None,
    max_states: int = 20_000_000,
    max_bytes: int = 8 << 30,
    max_seconds: float | None = None,
    max_steps: int = 100_000,
    progress: Progress | None = None,
) -> Equivalence:
    """Decide whether two systems say the same of every word, or search for a shortest word on which they differ.

    Parameters
    ----------
    a, b : DFA, MooreMachine, CounterMachine, StackMachine, TuringMachine, Network, Construction
        Or a pair (network, arithmetic); over the same symbols. A network alone is meant exactly; with a format, as it
        runs in that.
    by : "outcome" or "acceptance"
        What is compared: how runs end, where rejecting differs from never halting, or only whether a word is accepted.
    max_length : int, optional
        Compare words up to this length only.
    max_states : int
        States that may be found of each of the two; of a machine that is no finite automaton these are words.
    max_bytes, max_seconds :
        Limits of memory, for each of the two, and of time.
    max_steps : int
        EOS steps of an exact network, or moves of a Turing machine, on one word; beyond, what it says is not known.
    progress : callable, optional
        Called now and then with the length of words that are compared and the number of pairs of states.

    Raises
    ------
    OptionError
        If the alphabets differ, an option is out of range, or something is none of these.
    UnsupportedArithmeticError
        If a network cannot run in its arithmetic, or that rounds at random.

    Notes
    -----
    The algorithm of Hopcroft and Karp (1971) over the states of the two that words lead to, breadth first: pairs of
    states whose members are in one class of those met before say nothing new. See
    :func:`exactnn.equivalence.distinguish` for why the witness is a shortest one. Equivalence of recurrent networks in
    general is undecidable: an exact network with no end of states never gives True, but None at a limit.

    Examples
    --------
    >>> import exactnn as xn
    >>> palindrome = xn.compile(xn.load("palindrome"))
    >>> found = equivalent(palindrome, (palindrome, xn.FLOAT8_E4M3))
    >>> found.equal, "".join(found.witness), found.bound
    (False, 'ab', 1)
    """
    if by not in ("outcome", "acceptance"):
        raise OptionError(f"by={shown(by)}: give 'outcome' or 'acceptance'")
    for what, value in (("max_length", 0 if max_length is None else max_length), ("max_steps", max_steps)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise OptionError(f"{what}={shown(value)}: give a whole number of at least 0")
    began = time.perf_counter()
    limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
    first, second = (moore_of(subject, max_states, max_steps) for subject in (a, b))
    search = PairSearch(first, second, acceptance=by == "acceptance")
    reason = search.run(limits, max_length, progress)
    witness = search.witness
    return Equivalence(
        equal=False if witness is not None else None if reason else True,
        witness=witness,
        labels=search.labels,
        bound=search.compared if witness is not None or reason else None,
        reason="" if witness is not None else reason,
        pairs=search.pairs,
        seconds=time.perf_counter() - began,
    )

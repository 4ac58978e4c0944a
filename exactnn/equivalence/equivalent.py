"""Whether two systems say the same of every word: decided where both are finite, with a shortest witness."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.arithmetic import AnyEnclosing, counted
from exactnn.automata import (
    DFA,
    CounterMachine,
    MultiTapeTuringMachine,
    StackMachine,
    Transducer,
    TuringMachine,
    ValuedMachine,
    Word,
    compare_weighted,
    word_text,
)
from exactnn.equivalence.automata.table import common_order
from exactnn.equivalence.lazy_moore import UNSETTLED, Label, LazyMoore
from exactnn.equivalence.limits import INTERRUPTED, LimitReached, Limits
from exactnn.equivalence.moore_machines import (
    gives_outputs,
    gives_verdicts,
    moore_of,
    named_subject,
    network_in_arithmetic,
)
from exactnn.equivalence.spaces.state_space import Numbers
from exactnn.equivalence.values import as_weighted, number_of, valued
from exactnn.errors import ExactnnError, OptionError
from exactnn.interrupts import Uninterrupted
from exactnn.markup import Entry, Table, Tabular, clipped
from exactnn.networks import AnyNetwork, Network, Runnable, network_of
from exactnn.options import callback, choice, whole_number
from exactnn.outcome import Outcome

__all__ = ["Equivalence", "Subject", "equivalent"]

Machines = DFA | Transducer | CounterMachine | StackMachine | TuringMachine | MultiTapeTuringMachine
Subject = Machines | ValuedMachine | Network | Runnable | str | tuple[AnyNetwork, AnyEnclosing]
"""What can be compared: automata, machines, networks in exact arithmetic, and networks in a given one."""

Progress = Callable[[int, int], object]

Pairs = tuple[Numbers, Numbers]


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
    labels: tuple[Label, Label] | tuple[mpq, mpq] | None
    bound: int | None
    reason: str
    pairs: int
    seconds: float

    def __bool__(self) -> bool:
        """Return `equal`; raises ExactnnError where that was not decided."""
        if self.equal is None:
            raise ExactnnError(f"not decided, {self.reason}: this is neither true nor false, `equal` is None")
        return self.equal

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
            some = self.bound is not None and self.bound >= 0
            compared = f"; equal on words of up to {self.bound:,} symbols" if some else ""
            return f"<Equivalence: not decided, {self.reason}{compared}>"
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
    a, b : DFA, MooreMachine, CounterMachine, StackMachine, TuringMachine, WeightedAutomaton, Network, Construction
        Or a WeightedPushdownAutomaton, a pair (network, arithmetic), or a name; over the same symbols. A network alone
        is meant exactly, with smooth units in `CERTIFIED`; with a format, as it runs in that. The name of a machine or
        a file is that machine or network, and "palindrome@float16" is the pair ("palindrome", "float16").
    by : "outcome", "acceptance" or "value"
        What is compared: how runs end, where rejecting differs from never halting; only whether a word is accepted; or
        its value, which of a DFA is 1 or 0 and of a network the output after the word. With a weighted automaton it
        is the value. That is always decided of weighted automata, DFAs and exact linear networks, whatever the limits
        of memory and time; of weighted pushdown automata words are compared one by one.
    max_length : int, optional
        Compare words up to this length only.
    max_states : int
        States that may be found of each of the two; of a Turing or stack machine these are words, of a counter machine
        states with counters.
    max_bytes, max_seconds :
        Limits of memory, for each of the two, and of time.
    max_steps : int
        EOS steps of an exact network, or moves of a Turing machine, on one word; beyond, what it says is not known.
    progress : callable, optional
        Called now and then with the length of words that are compared and the number of pairs of states.

    Raises
    ------
    OptionError
        If the alphabets differ, an option is out of range, something is none of these, or outputs are compared with
        verdicts.
    MachineError
        If the alphabets of weighted automata differ.
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
    >>> equivalent("palindrome", "palindrome@float16")
    <Equivalence: they differ on aaaa: accepted / proven non-halting>
    """
    choice("by", by, ("outcome", "acceptance", "value"))
    if max_length is not None:
        max_length = whole_number("max_length", max_length, otherwise="None for no limit")
    max_steps = whole_number("max_steps", max_steps)
    callback("progress", progress)
    began = time.perf_counter()
    a, b = _resolved(a), _resolved(b)
    values = by == "value" or isinstance(a, ValuedMachine) or isinstance(b, ValuedMachine)
    if values:
        if by == "acceptance":
            raise OptionError("by='acceptance': a weighted automaton gives words values: leave it out")
        a, b = valued(a), valued(b)
    else:
        _check_what_they_say(a, b)
    limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
    one, other = (None, None) if by == "acceptance" else (as_weighted(a), as_weighted(b))
    if one is not None and other is not None:
        found = compare_weighted(one, other)
        late = found.witness is not None and max_length is not None and len(found.witness) > max_length
        return Equivalence(
            equal=None if late else found.equal,
            witness=None if late else found.witness,
            labels=None if late else found.values,
            bound=max_length if late else None if found.witness is None else len(found.witness) - 1,
            reason=f"words of more than {max_length} symbols were not compared" if late else "",
            pairs=0,
            seconds=time.perf_counter() - began,
        )
    first, second = (moore_of(subject, max_states, max_steps) for subject in (a, b))
    search = PairSearch(first, second, acceptance=by == "acceptance")
    reason = search.run(limits, max_length, progress)
    witness = search.witness
    return Equivalence(
        equal=False if witness is not None else None if reason else True,
        witness=witness,
        labels=tuple(map(number_of, search.labels)) if values and search.labels else search.labels,
        bound=search.compared if witness is not None or reason else None,
        reason="" if witness is not None else reason,
        pairs=search.pairs,
        seconds=time.perf_counter() - began,
    )


def _resolved(subject: Any) -> Any:
    """Return what a name means, and a pair with the network of its machine, which is compiled here and only here."""
    meant = named_subject(subject)
    return network_in_arithmetic(meant) if isinstance(meant, tuple) and len(meant) == 2 else meant


def _check_what_they_say(first: object, second: object) -> None:
    """Raise OptionError if one is a network that gives outputs, and the other gives verdicts."""
    cores = [network_of(network_in_arithmetic(x)[0]) if gives_outputs(x) else None for x in (first, second)]
    for core, other in zip(cores, (second, first), strict=True):
        if core is not None and core.alphabet is not None and gives_verdicts(other):
            raise OptionError(
                f"{core.name} gives outputs, and what it is compared with gives verdicts: as_acceptor(network, number) "
                "accepts where that output is the largest, and by='value' compares one output with 1 and 0"
            )


class PairSearch:
    """Compares two machines by the pairs of states that words lead to.

    `compared` is the length up to which all words were compared, -1 at first, `witness` a word that tells the two
    apart, `labels` what they say of it.
    """

    def __init__(self, first: LazyMoore, second: LazyMoore, *, acceptance: bool) -> None:
        self.first, self.second = first, second
        self.compared = -1
        self.pairs = 0
        self.witness: Word | None = None
        self.labels: tuple[Label, Label] | None = None
        self._batch = min(first.batch, second.batch)
        self._columns = common_order(first.symbols, second.symbols).tolist()
        self._acceptance = acceptance
        self._meanings: dict[object, int] = {}
        self._parent = np.full(2, -1, dtype=np.int32)
        self._levels: list[Pairs] = []  # by length: of each pair the place of the one before, and the symbol between
        self._unsettled = ""

    def run(self, limits: Limits, max_length: int | None, progress: Progress | None) -> str:
        """Search until it is decided, which gives "", or up to a limit: then return which it was."""
        look = limits.watch(self._bytes)

        def watch() -> None:
            look()
            if progress is not None:
                progress(len(self._levels), self.pairs)

        try:
            return self._search(max_length, watch) or self._unsettled
        except LimitReached as reached:
            return str(reached)
        except KeyboardInterrupt:
            return INTERRUPTED

    def _search(self, max_length: int | None, watch: Callable[[], object]) -> str:
        zero = np.zeros(1, dtype=np.int32)
        pairs = self._fresh((zero, zero))[0]
        self._levels.append((zero, zero))
        while len(pairs[0]):
            for begin in range(0, len(pairs[0]), self._batch):
                watch()
                self._compare((pairs[0][begin : begin + self._batch], pairs[1][begin : begin + self._batch]), begin)
                if self.witness is not None:
                    return ""
            if not self._unsettled:
                self.compared = len(self._levels) - 1
            if not self._columns:
                break  # the empty word is the only one
            if max_length is not None and len(self._levels) > max_length:
                return self._unsettled or f"words of more than {max_length} symbols were not compared"
            pairs = self._next(pairs, watch)
        return ""

    def _compare(self, pairs: Pairs, begin: int) -> None:
        """Compare what is said of some pairs of this level, and keep the first difference."""
        self.pairs += len(pairs[0])
        mine, theirs = self.first.labels(pairs[0]), self.second.labels(pairs[1])
        settled = (mine != UNSETTLED) & (theirs != UNSETTLED)
        meant = [self._meant(machine, labels) for machine, labels in ((self.first, mine), (self.second, theirs))]
        differ = np.flatnonzero(settled & (meant[0] != meant[1]))
        if len(differ):
            place = int(differ[0])
            labels = self.first.label(int(mine[place])), self.second.label(int(theirs[place]))
            self.labels, self.witness = labels, self._word(begin + place)
        elif not settled.all() and not self._unsettled:
            word = self._word(begin + int(np.flatnonzero(~settled)[0]))
            self._unsettled = f"what is said of {''.join(word) or 'the empty word'!r} is not known within the limits"

    def _meant(self, machine: LazyMoore, labels: Numbers) -> NDArray[Any]:
        """Return labels as numbers that mean the same for both machines."""
        distinct, where = np.unique(labels, return_inverse=True)
        return np.array([self._meaning(machine, label) for label in distinct.tolist()], dtype=np.int32)[where]

    def _meaning(self, machine: LazyMoore, number: int) -> int:
        if number == UNSETTLED:
            return UNSETTLED
        label: object = machine.label(number)
        if self._acceptance:
            label = label == Outcome.ACCEPTED  # a Moore machine may say it as text
        return self._meanings.setdefault(label, len(self._meanings))

    def _next(self, pairs: Pairs, watch: Callable[[], object]) -> Pairs:
        """Return the pairs one symbol further that say something new."""
        parts: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
        symbols = np.arange(len(self._columns), dtype=np.int32)
        for begin in range(0, len(pairs[0]), self._batch):
            watch()
            left, right = (part[begin : begin + self._batch] for part in pairs)
            following = (
                np.stack([self.first.successors(left, symbol) for symbol in symbols.tolist()], axis=1).ravel(),
                np.stack([self.second.successors(right, column) for column in self._columns], axis=1).ravel(),
            )
            if min(following[0].min(), following[1].min()) < 0:
                raise LimitReached("the limit of states (max_states) was reached")
            fresh, places = self._fresh(following)
            before = np.arange(begin, begin + len(left), dtype=np.int32).repeat(len(symbols))
            parts.append((*fresh, before[places], np.tile(symbols, len(left))[places]))
        left, right, before, steps = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._levels.append((before, steps))
        return left, right

    def _fresh(self, pairs: Pairs) -> tuple[Pairs, NDArray[np.int64]]:
        """Return the pairs whose members were not in one class, and their places; their classes are united."""
        with Uninterrupted("loading numba"):  # only here, since that takes as long as everything else together
            from exactnn.equivalence.automata.kernels import unite_all

        nodes = 2 + 2 * int(max(pairs[0].max(), pairs[1].max()))
        if nodes > len(self._parent):
            self._parent = np.append(self._parent, np.full(2 * nodes - len(self._parent), -1, dtype=np.int32))
        fresh = np.empty(len(pairs[0]), dtype=np.bool_)
        unite_all(pairs[0], pairs[1], self._parent, fresh)
        return (pairs[0][fresh], pairs[1][fresh]), np.flatnonzero(fresh)

    def _word(self, place: int) -> Word:
        """Return the word that leads to a pair of the last level."""
        word = []
        for before, symbols in reversed(self._levels[1:]):
            word.append(self.first.symbols[symbols[place]])
            place = int(before[place])
        return tuple(reversed(word))

    def _bytes(self) -> int:
        """Return what the two machines take, or the search itself if that is more."""
        own = self._parent.nbytes + sum(before.nbytes + symbols.nbytes for before, symbols in self._levels)
        return max(own, self.first.nbytes, self.second.nbytes)

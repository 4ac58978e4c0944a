"""The automaton that a network in a finite arithmetic is, with a certificate that nothing of it is missing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exactnn.arithmetic import EXACT, AnyArithmetic, Arithmetic, arithmetic_of, arithmetic_to_json, count_text, counted
from exactnn.automata import DFA, MooreMachine, Word
from exactnn.equivalence.automata.minimisation import minimal_table
from exactnn.equivalence.automata.table import AutomatonTable, dfa_of, moore_machine_of
from exactnn.equivalence.closure_certificate import FORMAT, VERSION
from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.limits import INTERRUPTED, LimitReached, Limits
from exactnn.equivalence.moore_machines import NetworkMoore
from exactnn.equivalence.spaces.choice import is_clipped_integer, state_space
from exactnn.equivalence.spaces.state_bound import state_bound
from exactnn.equivalence.spaces.state_space import Numbers, StateSpace
from exactnn.errors import OptionError
from exactnn.markup import Entry, Table, Tabular, named
from exactnn.networks import AnyNetwork, Network, Protocol, network_of
from exactnn.networks.network_file import network_to_json
from exactnn.options import callback, whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import Values

__all__ = ["Extraction", "StateSearch", "extract_state_machine"]

Progress = Callable[[int, int], object]

MOST_STATES = 20_000_000
MOST_EXACT_STATES = 50_000
"""Where a network may have no end of states: they take 5 to 20 s."""
MOST_BYTES = 8 << 30

MOST_LABELS = 12
"""That are shown; a network that gives outputs may have as many as states."""


class StateSearch:
    """A search that can be stopped at any moment and go on, with the same result.

    States are numbered level by level: those that longer words lead to come later. `reading` says how many states words
    lead to, once all are found; states with higher numbers are met on EOS symbols only.
    """

    def __init__(self, space: StateSpace) -> None:
        self.moore = NetworkMoore(space)
        self.space = space
        self.expanded = 0
        self.reading: int | None = None
        self._level_end = 1

    def go_on(self, limits: Limits, progress: Progress | None) -> str:
        """Search until all is found, which gives "", or up to a limit: then return which it was."""
        self.space.most = limits.states
        look = limits.watch(lambda: self.space.nbytes)

        def watch() -> None:
            look()
            if progress is not None:
                progress(self.expanded, len(self.space))

        self.moore.watch = watch
        try:
            self._read(watch)
            labels = self.labels()
        except LimitReached as reached:
            return str(reached)
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            self.moore.watch = bool  # what is kept does not hold on to the caller's function, and can be pickled
        return self._full() if (labels == UNSETTLED).any() else ""

    def transitions(self) -> Numbers:
        """Return the next states on every symbol of the states that words lead to."""
        states = self._all_read()
        columns = [self.moore.successors(states, symbol) for symbol in range(len(self.moore.symbols))]
        return np.stack(columns, axis=1) if columns else np.zeros((len(states), 0), dtype=np.int32)

    def labels(self) -> Numbers:
        """Return what the states that words lead to say."""
        return self.moore.labels(self._all_read())

    def words_to(self, states: range) -> list[Word]:
        """Return a shortest word for each state, but for those that only states without all transitions lead to."""
        expanded = np.arange(self.expanded, dtype=np.int32)
        unknown = len(self.space)
        following = [self.moore.successors(expanded, symbol) for symbol in range(len(self.moore.symbols))]
        parents = np.full(unknown, unknown, dtype=np.int32)
        for reached in following:
            np.minimum.at(parents, reached, expanded)
        last = np.zeros(unknown, dtype=np.int32)  # the first of the symbols that lead to a state from its parent
        for symbol, reached in reversed(list(enumerate(following))):
            last[reached[parents[reached] == expanded]] = symbol
        return [self._word_to(state, parents, last) for state in states if not state or parents[state] < unknown]

    def _word_to(self, state: int, parents: Numbers, last: Numbers) -> Word:
        word = []
        while state:
            word.append(self.moore.symbols[last[state]])
            state = int(parents[state])
        return tuple(reversed(word))

    def _all_read(self) -> Numbers:
        assert self.reading is not None
        return np.arange(self.reading, dtype=np.int32)

    def _read(self, watch: Callable[[], object]) -> None:
        """Find all states that words lead to."""
        while self.reading is None:
            watch()
            end = min(self._level_end, self.expanded + self.space.batch)
            states = np.arange(self.expanded, end, dtype=np.int32)
            for symbol in range(len(self.moore.symbols)):
                if (self.moore.successors(states, symbol) < 0).any():
                    raise LimitReached(self._full())
            self.expanded, self._level_end = end, len(self.space) if end == self._level_end else self._level_end
            if self.expanded == len(self.space):
                self.reading = self.expanded

    def _full(self) -> str:
        return f"the limit of {self.space.most:,} states was reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction(Tabular):
    """What :func:`extract_state_machine` found.

    Two are equal if they found the same, in whatever time. One can be pickled, and goes on elsewhere (:meth:`resumed`).

    Parameters
    ----------
    network : Network
    arithmetic : Arithmetic
    complete : bool
        Whether every state that a word leads to was found, and how each of them ends.
    reason : str
        Why the search ended before that; "" if it is complete.
    states : int
        States found that words lead to; all of them if the search is complete.
    eos_states : int
        States found besides, that only EOS symbols lead to.
    expanded : int
        Of the states, those with all their transitions.
    bound : int or None
        What :func:`state_bound` says: that many states there can be.
    table : AutomatonTable or None
        The automaton as arrays, one state for each state of the network; None if the search is not complete.
    seconds : float
        What the search took, with those that it goes on from.
    """

    network: Network
    arithmetic: Arithmetic
    complete: bool
    reason: str
    states: int
    eos_states: int
    expanded: int
    bound: int | None
    table: AutomatonTable | None
    seconds: float = field(compare=False)
    _search: StateSearch = field(repr=False, compare=False)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        why = f"no: {self.reason}; {self.expanded:,} of the states have all their transitions"
        fields = {
            "network": f"{self.network.name}: {counted(self.network.neurons, 'neuron')}",
            "arithmetic": str(self.arithmetic),
            "complete": Entry("yes", mark="right") if self.complete else Entry(why, mark="unsure"),
            "states": self.states,
            "on EOS only": self.eos_states or None,
            "at most": None if self.bound is None else f"{count_text(self.bound)} states, whatever the words",
            "outputs" if self.network.decision.protocol is Protocol.OUTPUTS else "words end": self._labels_text(),
        }
        return Table.of_fields("", fields)

    def _labels_text(self) -> str:
        """Return how many states say what, of the first few labels."""
        if self.table is None:
            return ""
        counts = np.bincount(self.table.labels, minlength=len(self.table.label_names)).tolist()
        pairs = list(zip(self.table.label_names, counts, strict=True))
        more = f", and {len(pairs) - MOST_LABELS:,} more" if len(pairs) > MOST_LABELS else ""
        return ", ".join(f"{label}: {counted(count, 'state')}" for label, count in pairs[:MOST_LABELS]) + more

    def __repr__(self) -> str:
        found = "complete" if self.complete else f"not complete, {self.reason}"
        return (
            f"<Extraction of {named(self.network.name)} in {self.arithmetic}: {counted(self.states, 'state')}, {found}>"
        )

    @property
    def automaton(self) -> DFA | MooreMachine | None:
        """A DFA if every word is accepted or rejected, else a Moore machine that tells how words end, or the outputs.

        None if the search is not complete. States are called "0", "1", and so on, in the order of shortest words.
        """
        return None if self.table is None else _machine(self.table)

    @property
    def minimal(self) -> DFA | MooreMachine | None:
        """The automaton with as few states as possible; None if the search is not complete."""
        return None if self.table is None else _machine(minimal_table(self.table))

    @property
    def certificate(self) -> dict[str, Any]:
        """JSON data by which anybody can check that no state is missing: see :func:`check_extraction`.

        Raises
        ------
        OptionError
            If the search is not complete.
        """
        if not self.complete:
            raise OptionError(f"there is no certificate of an incomplete search: {self.reason}")
        return _certificate(self._search, self.network, self.arithmetic)

    def values(self, state: int) -> Values:
        """Return the numbers of the network that a state of the automaton stands for.

        Raises OptionError if there is no such state.
        """
        return self._search.space.values(whole_number("state", state, 0, self.states - 1))

    def frontier(self, most: int = 10) -> list[Word]:
        """Return shortest words to states that were found but have no transitions yet, at most so many.

        States are left out that the search met on the way to a limit only: a shorter word may lead there.
        """
        return self._search.words_to(range(self.expanded, min(self.states, self.expanded + most)))

    def resumed(
        self,
        *,
        max_states: int = MOST_STATES,
        max_bytes: int = MOST_BYTES,
        max_seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Extraction:
        """Go on with the search and return what is found then; the limits are those of the whole, but for the time."""
        limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
        callback("progress", progress)
        return _found(self.network, self.arithmetic, self._search, limits, progress, self.seconds)


def extract_state_machine(
    network: AnyNetwork,
    arithmetic: AnyArithmetic = EXACT,
    *,
    max_states: int | None = None,
    max_bytes: int = MOST_BYTES,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> Extraction:
    """Return the automaton that a network is in an arithmetic: all states that words lead to, with their transitions.

    A network in a format with finitely many numbers is a finite automaton, and so is one with integer parameters and
    clipped units in exact arithmetic (Theorem 4.5 of the chapter). States are compared bit for bit. Where EOS symbols
    follow a word, a state says how the run on them ends: accepted, rejected, halted, or never, if it comes back to
    where it was without a verdict. Words that lead to one state end alike, so the automaton says of every word what
    :func:`exactnn.run` says.

    Parameters
    ----------
    network : Network or Construction
        It must take symbols.
    arithmetic : Arithmetic
        A format, or exact arithmetic. There a network may have no end of states; then a limit ends the search.
    max_states : int, optional
        How many states may be found, those on EOS included. Unless it is given these are 20 million where a network
        has finitely many by its form, and 50,000 in exact arithmetic elsewhere.
    max_bytes : int
        Memory that the states may take.
    max_seconds : float, optional
        Time for the search.
    progress : callable, optional
        Called now and then with the numbers of states expanded and found.

    Returns
    -------
    Extraction
        Complete, or with the reason why not and what was found. Ctrl-C gives that too.

    Raises
    ------
    OptionError
        If the network takes vectors, or a limit is not a positive number.
    UnsupportedArithmeticError
        If rounding is stochastic, or the arithmetic cannot run this network.

    Examples
    --------
    >>> import exactnn as xn
    >>> found = extract_state_machine(xn.compile(xn.load("parity")), xn.FLOAT8_E4M3)
    >>> found.complete, found.states, len(found.minimal.states)
    (True, 5, 2)
    """
    arithmetic = arithmetic_of(arithmetic)
    core = network_of(network)
    if max_states is None:
        max_states = MOST_EXACT_STATES if arithmetic.is_exact and not is_clipped_integer(core) else MOST_STATES
    limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
    callback("progress", progress)
    search = StateSearch(state_space(core, arithmetic, max_states))
    return _found(core, arithmetic, search, limits, progress, 0.0)


def _found(
    network: Network,
    arithmetic: Arithmetic,
    search: StateSearch,
    limits: Limits,
    progress: Progress | None,
    seconds: float,
) -> Extraction:
    began = time.perf_counter()
    reason, table = search.go_on(limits, progress), None
    if not reason:
        try:
            table = _table(search, f"{network.name} in {arithmetic}")
        except KeyboardInterrupt:
            reason = INTERRUPTED
    reading = len(search.space) if search.reading is None else search.reading
    return Extraction(
        network=network,
        arithmetic=arithmetic,
        complete=not reason,
        reason=reason,
        states=reading,
        eos_states=len(search.space) - reading,
        expanded=search.expanded,
        bound=state_bound(network, arithmetic),
        table=table,
        seconds=seconds + time.perf_counter() - began,
        _search=search,
    )


def _table(search: StateSearch, name: str) -> AutomatonTable:
    numbers, labels = np.unique(search.labels(), return_inverse=True)
    names = [search.moore.label(number) for number in numbers.tolist()]
    distinct: dict[Label, int] = {}
    merged = np.array([distinct.setdefault(label, len(distinct)) for label in names], dtype=np.int32)
    return AutomatonTable(
        transitions=search.transitions(),
        labels=merged[labels],
        symbols=search.moore.symbols,
        label_names=distinct,
        name=name,
    )


def _machine(table: AutomatonTable) -> DFA | MooreMachine:
    if all(label in (Outcome.ACCEPTED, Outcome.REJECTED) for label in table.label_names):
        return dfa_of(table, accept=lambda label: label == Outcome.ACCEPTED)
    return moore_machine_of(table)


def _certificate(search: StateSearch, network: Network, arithmetic: Arithmetic) -> dict[str, Any]:
    """Return the certificate of a complete search, as JSON data."""
    moore = search.moore
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "network": network_to_json(network),
        "arithmetic": arithmetic_to_json(arithmetic),
        "transitions": search.transitions().tolist(),
    }
    labels = search.labels()
    if moore.reads_eos:
        states = slice(len(search.space))
        labels = moore.known_labels[states]
        data["after_eos"] = np.where(labels < 0, -1, moore.after_eos[states]).tolist()
        data["ranks"] = moore.ranks[states].tolist()
    return data | {"labels": [None if number < 0 else moore.label(number) for number in labels.tolist()]}

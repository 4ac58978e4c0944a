"""The automaton that a network in a finite arithmetic is, with a certificate that nothing of it is missing."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exactnn.arithmetic import EXACT, Arithmetic, count_text, counted
from exactnn.automata import DFA, MooreMachine, Word
from exactnn.equivalence.automaton_table import AutomatonTable
from exactnn.equivalence.closure_certificate import closure_certificate
from exactnn.equivalence.lazy_moore import Label
from exactnn.equivalence.limits import INTERRUPTED, Limits
from exactnn.equivalence.minimisation import minimal_table
from exactnn.equivalence.spaces import state_space
from exactnn.equivalence.state_bound import state_bound
from exactnn.equivalence.state_search import StateSearch
from exactnn.equivalence.table_conversion import dfa_of, moore_machine_of
from exactnn.errors import OptionError
from exactnn.markup import Entry, Table, Tabular, named
from exactnn.networks import Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation import Runnable, Values, network_of

__all__ = ["Extraction", "extract_state_machine"]

MOST_STATES = 20_000_000
MOST_BYTES = 8 << 30

MOST_LABELS = 12
"""That are shown; a network that gives outputs may have as many as states."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Extraction(Tabular):
    """What :func:`extract_state_machine` found.

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
    seconds: float
    _search: StateSearch = field(repr=False)

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
        return closure_certificate(self._search, self.network, self.arithmetic)

    def values(self, state: int) -> Values:
        """Return the numbers of the network that a state of the automaton stands for.

        Raises OptionError if there is no such state.
        """
        if not 0 <= state < self.states:
            raise OptionError(f"state {state}: give a number from 0 to {self.states - 1}")
        return self._search.space.values(state)

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
    ) -> "Extraction":
        """Go on with the search and return what is found then; the limits are those of the whole, but for the time."""
        limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
        return _found(self.network, self.arithmetic, self._search, limits, progress, self.seconds)


def extract_state_machine(
    network: Network | Runnable,
    arithmetic: Arithmetic = EXACT,
    *,
    max_states: int = MOST_STATES,
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
    max_states : int
        How many states may be found, those on EOS included.
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
    core = network_of(network)
    limits = Limits(states=max_states, bytes=max_bytes, seconds=max_seconds)
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

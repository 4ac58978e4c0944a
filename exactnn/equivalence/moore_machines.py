"""Networks, machines and automata in the one form that comparisons walk through: `LazyMoore`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactnn.arithmetic import EXACT, Arithmetic, any_arithmetic
from exactnn.automata import (
    DFA,
    CounterMachine,
    MealyMachine,
    MooreMachine,
    MultiTapeTuringMachine,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
    moore_of_mealy,
)
from exactnn.equivalence.automata.table import table_of
from exactnn.equivalence.lazy_moore import UNSETTLED, Label, LazyMoore, exact_output
from exactnn.equivalence.spaces.choice import is_clipped_integer, state_space
from exactnn.equivalence.spaces.state_space import UNKNOWN, Numbers, StateSpace
from exactnn.equivalence.word_moore import (
    OUTCOMES,
    WORD_BYTES,
    CounterMoore,
    PushdownMoore,
    RunForEach,
    certified_moore,
    machine_moore,
)
from exactnn.errors import OptionError, shown
from exactnn.interrupts import Uninterrupted
from exactnn.networks import (
    Network,
    Protocol,
    RealNetwork,
    meant_by,
    network_of,
    runnable_of,
    weighted_network,
)
from exactnn.outcome import Outcome
from exactnn.simulation import verdict_of
from exactnn.simulation.executors import exact_executor_for
from exactnn.simulation.smooth_units import true_arithmetic

__all__ = [
    "ExactMoore",
    "NetworkMoore",
    "gives_outputs",
    "gives_verdicts",
    "moore_of",
    "named_subject",
    "network_in_arithmetic",
    "network_moore",
    "parts_of_name",
]


class NetworkMoore:
    """The states of a network; where EOS symbols follow a word, a state's label is how the run on them ends.

    With EOS, `known_labels` has the labels of all states that were asked for and of those that they lead to on EOS,
    `after_eos` the state after one EOS step for each of these, `ranks` the number of EOS steps to the verdict, 0 where
    there will never be one.
    """

    def __init__(self, space: StateSpace) -> None:
        network = space.network
        assert network.alphabet is not None
        self.space = space
        self.decision = network.decision
        self.symbols = network.input_symbols or ()
        self._numbers = [network.alphabet.index(a) for a in self.symbols]
        self._eos = -1 if network.eos is None else network.eos
        self.after_eos: Numbers = np.full(0, UNKNOWN, dtype=np.int32)
        self.ranks: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.known_labels: Numbers = np.full(0, UNKNOWN, dtype=np.int32)
        self._verdicts: dict[int, int] = {}
        self._open: Numbers = np.zeros(0, dtype=np.int32)
        self.watch: Callable[[], object] = bool

    @property
    def batch(self) -> int:
        """How many states are looked at between two looks at the limits."""
        return self.space.batch

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take, about."""
        return self.space.nbytes + self.after_eos.nbytes + self.known_labels.nbytes + self.ranks.nbytes

    @property
    def reads_eos(self) -> bool:
        """Whether EOS symbols follow a word."""
        return self._eos >= 0

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        return self.space.successors(states, self._numbers[symbol])

    def label(self, number: int) -> Label:
        """Return a label."""
        if self.decision.protocol is Protocol.OUTPUTS:
            return exact_output(self.space.output(number))
        return OUTCOMES[number]

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        if self.decision.protocol is Protocol.OUTPUTS:
            return self.space.outputs(states)
        if not self.reads_eos:
            return self._said(states)
        self._settle(states)
        return self.known_labels[states]

    def _said(self, states: Numbers) -> Numbers:
        """Return what the output of each state says by itself; UNSETTLED for "not yet"."""
        outputs = self.space.outputs(states)
        distinct, where = np.unique(outputs, return_inverse=True)
        for output in distinct.tolist():
            if output not in self._verdicts:
                number = self.space.output(output)
                assert not isinstance(number, tuple)
                outcome = self.decision.outcome(number)
                self._verdicts[output] = UNSETTLED if outcome is None else OUTCOMES.index(outcome)
        return np.array([self._verdicts[output] for output in distinct.tolist()], dtype=np.int32)[where]

    def _settle(self, states: Numbers) -> None:
        """Follow the EOS steps of states until each comes to a verdict, a state whose end is known, or itself."""
        with Uninterrupted("loading numba"):  # only here, since that takes as long as everything else together
            from exactnn.equivalence.spaces.kernels import settle

        self._grow()
        asked = np.unique(states[self.known_labels[states] < 0])
        # What is open stays so until it was followed as a whole: after a limit or an interruption it is followed again.
        self._open = np.union1d(asked, self._open)
        reached, cut_off = self._open, self._open[:0]
        while len(reached):
            self.watch()
            some, others = np.split(reached, [self.batch])
            following, without_room = self._follow(some)
            reached = np.concatenate((others, following))
            cut_off = np.concatenate((cut_off, without_room))
            self._open = np.concatenate((reached, cut_off))
        path = np.empty(len(self.after_eos), dtype=np.int32)
        settle(asked, self.after_eos, self.known_labels, self.ranks, path, OUTCOMES.index(Outcome.NON_HALTING))

    def _follow(self, states: Numbers) -> tuple[Numbers, Numbers]:
        """Take an EOS step from each state, and note which lead to a verdict.

        Return the next ones to follow, and those for whose successors there was no room.
        """
        following = self.space.successors(states, self._eos)
        self._grow()
        self.after_eos[states] = following
        without_room = states[following < 0]
        states, following = states[following >= 0], following[following >= 0]
        said = self._said(following)
        self.known_labels[states[said >= 0]] = said[said >= 0]
        self.ranks[states[said >= 0]] = 1
        open_ones = np.unique(following[said < 0])
        next_ones = open_ones[(self.known_labels[open_ones] < 0) & (self.after_eos[open_ones] == UNKNOWN)]
        return next_ones, without_room

    def _grow(self) -> None:
        """Let there be a place for every state."""
        missing = len(self.space) - len(self.after_eos)
        if missing > 0:
            room = missing + len(self.space)
            after_eos = np.append(self.after_eos, np.full(room, UNKNOWN, dtype=np.int32))
            known_labels = np.append(self.known_labels, np.full(room, UNKNOWN, dtype=np.int32))
            ranks = np.append(self.ranks, np.zeros(room, dtype=np.int64))
            # All at once: no interruption leaves one of them shorter.
            self.after_eos, self.known_labels, self.ranks = after_eos, known_labels, ranks


class ExactMoore(RunForEach):
    """States that words lead to are kept, each with a word; how it ends on EOS, a run of that word tells."""

    def __init__(self, space: StateSpace, max_steps: int) -> None:
        super().__init__()
        network = space.network
        assert network.alphabet is not None
        self.space = space
        self.symbols = network.input_symbols or ()
        self._numbers = [network.alphabet.index(a) for a in self.symbols]
        self._max_steps = max_steps
        self._executor = exact_executor_for(network, many=True)
        self._words: dict[int, tuple[int, ...]] = {0: ()}

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states and their words take, about."""
        return self.space.nbytes + WORD_BYTES * len(self._words)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        given = self._numbers[symbol]
        following = self.space.successors(states, given)
        for state, target in zip(states.tolist(), following.tolist(), strict=True):
            if target >= 0 and target not in self._words:
                self._words[target] = (*self._words[state], given)
        return following

    def _outcome(self, state: int) -> Outcome:
        word = self._words[state]
        return verdict_of(self._executor, word, len(word) + self._max_steps)[0]


class TableMoore:
    """A DFA accepts and rejects; a Moore machine says its outputs."""

    def __init__(self, machine: DFA | MooreMachine) -> None:
        table = table_of(machine)
        self.symbols = table.symbols
        self.batch = 1 << 15
        # The initial state has the number 0: it changes places with the first one.
        self._place = np.arange(table.states, dtype=np.int32)
        self._place[[0, table.initial_state]] = self._place[[table.initial_state, 0]]
        self._table = table
        verdicts = (Outcome.REJECTED, Outcome.ACCEPTED)
        self._names = [verdicts[name] if isinstance(name, bool) else name for name in table.label_names]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the table takes, about."""
        return self._table.transitions.nbytes + self._table.labels.nbytes + self._place.nbytes

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        return np.asarray(self._place[self._table.transitions[self._place[states], symbol]])

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return np.asarray(self._table.labels[self._place[states]])

    def label(self, number: int) -> Label:
        """Return a label."""
        return self._names[number]  # type: ignore[return-value]


class NamedOutputs:
    """A network of a Moore or a Mealy machine, whose outputs say what the machine's are."""

    def __init__(self, network: LazyMoore, said: Callable[[object], Any]) -> None:
        self._network = network
        self._said = said
        self.symbols = network.symbols

    @property
    def batch(self) -> int:
        """How many states are looked at between two looks at the limits."""
        return self._network.batch

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states take, about."""
        return self._network.nbytes

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the states after a symbol."""
        return self._network.successors(states, symbol)

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return self._network.labels(states)

    def label(self, number: int) -> Label:
        """Return what the machine would say; the numbers as they are where none or several are 1."""
        numbers = self._network.label(number)
        marks = numbers if isinstance(numbers, tuple) else (numbers,)
        if all(mark == "0" for mark in marks):
            return self._said(())  # type: ignore[no-any-return]
        if set(marks) <= {"0", "1"} and marks.count("1") == 1:
            return self._said(tuple(int(mark == "1") for mark in marks))  # type: ignore[no-any-return]
        return numbers


def gives_outputs(subject: object) -> bool:
    """Return whether it is a network, alone or in an arithmetic, that gives outputs and no verdicts."""
    core = getattr(network := network_in_arithmetic(subject)[0], "network", network)
    return isinstance(core, Network) and core.decision.protocol is Protocol.OUTPUTS


def gives_verdicts(subject: object) -> bool:
    """Return whether it is a network, an automaton or a machine that says of words how they end."""
    core = getattr(network := network_in_arithmetic(subject)[0], "network", network)
    if isinstance(core, Network):
        return core.decision.protocol is not Protocol.OUTPUTS
    return isinstance(core, (DFA, CounterMachine, StackMachine, TuringMachine, MultiTapeTuringMachine))


def moore_of(subject: object, most: int, max_steps: int) -> LazyMoore:
    """Return an automaton, a machine or a network, exact or in an arithmetic, as a Moore machine.

    Raises
    ------
    OptionError
        If it is none of these, or a network that takes vectors.
    """
    if isinstance(subject, (DFA, MooreMachine)):
        return TableMoore(subject)
    if isinstance(subject, MealyMachine):
        return TableMoore(moore_of_mealy(subject))
    if isinstance(subject, CounterMachine):
        return CounterMoore(subject, most)
    if isinstance(subject, (StackMachine, TuringMachine, MultiTapeTuringMachine)):
        return machine_moore(subject, most, max_steps)
    if isinstance(subject, WeightedPushdownAutomaton):
        return PushdownMoore(subject, most)
    if isinstance(subject, WeightedAutomaton):
        return network_moore(weighted_network(subject), EXACT, most, max_steps)
    network, arithmetic = network_in_arithmetic(subject)
    if not isinstance(getattr(network, "network", network), Network | RealNetwork):
        raise OptionError(
            f"{shown(subject)} cannot be compared: give a DFA, a weighted automaton, a Moore, counter, stack or Turing "
            "machine, a network, or a pair of a network and an arithmetic"
        )
    if arithmetic.encloses:
        return certified_moore(network_of(network), arithmetic, most, max_steps)
    found = network_moore(network_of(network), arithmetic, most, max_steps)
    return NamedOutputs(found, network.said) if getattr(network, "outputs", ()) else found


def named_subject(subject: Any) -> Any:
    """Return what a name means: a machine, the network in a file, or with @ and a format a pair; else it as it is.

    >>> named_subject("parity").states, named_subject("parity@float16")
    (('even', 'odd'), ('parity', FloatFormat(precision=11, exponent_bits=5, name='float16')))
    """
    if isinstance(subject, str):
        source, at, format = parts_of_name(subject)
        if at:
            return source, any_arithmetic(format, "the arithmetic after @", error=OptionError)
    return meant_by(subject)


def parts_of_name(text: str) -> tuple[str, str, str]:
    """Return a name, "@" and a format, as in ``palindrome@float16``; a file whose name has an @ is itself.

    >>> parts_of_name("palindrome@float16"), parts_of_name("palindrome")
    (('palindrome', '@', 'float16'), ('palindrome', '', ''))
    """
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # a NUL, a name that is too long
        is_file = False
    source, at, format = text.rpartition("@")
    return (text, "", "") if is_file or not at else (source, at, format)


def network_in_arithmetic(subject: Any) -> tuple[Any, Any]:
    """Return a pair of a network and an arithmetic, and anything else with the one in which it is what it is.

    The network of a pair may be a machine or a name, which is compiled.
    """
    if not isinstance(subject, tuple) or len(subject) != 2:
        core = getattr(subject, "network", subject)
        return subject, true_arithmetic(core) if isinstance(core, Network) else EXACT
    network, arithmetic = subject
    return runnable_of(network), any_arithmetic(arithmetic, error=OptionError)


def network_moore(network: Network, arithmetic: Arithmetic, most: int, max_steps: int) -> ExactMoore | NetworkMoore:
    """Return a network in an arithmetic as a Moore machine.

    Raises
    ------
    OptionError
        If the network takes vectors.
    UnsupportedArithmeticError
        If the arithmetic cannot run it, or rounds at random.
    """
    space = state_space(network, arithmetic, most)
    # An exact run on EOS may have no end of states: then it is followed by itself, state after state is not kept.
    if arithmetic.is_exact and network.decision.protocol.reads_eos and not is_clipped_integer(network):
        return ExactMoore(space, max_steps)
    return NetworkMoore(space)

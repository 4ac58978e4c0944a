"""A network in an arithmetic as a Moore machine: what it says of a word depends on the state after it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exactnn.equivalence.lazy_moore import UNSETTLED, Label, exact_output
from exactnn.equivalence.state_space import UNKNOWN, Numbers, StateSpace
from exactnn.networks import EOS, Protocol
from exactnn.outcome import Outcome

__all__ = ["NetworkMoore"]

OUTCOMES = tuple(Outcome)
"""The labels where there are verdicts; a label's number is its place here."""


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
        self.symbols = tuple(a for a in network.alphabet if a != EOS)
        self._numbers = [network.alphabet.index(a) for a in self.symbols]
        self._eos = network.alphabet.index(EOS) if network.decision.protocol.reads_eos else -1
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
        from exactnn.equivalence.chain_kernels import settle  # numba takes as long as everything else together

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
        settle(asked, self.after_eos, self.known_labels, self.ranks, OUTCOMES.index(Outcome.NON_HALTING))

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

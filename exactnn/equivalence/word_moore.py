"""Machines that are no finite automata as `LazyMoore`: every word is a state, and a run says what is said of it.

Of a counter machine a state is what it is in after a word, its counters with it, and so that of many words.
"""

from collections.abc import Callable, Hashable

import numpy as np

from exactnn.arithmetic import EnclosingArithmetic
from exactnn.automata import (
    CounterMachine,
    MultiTapeTuringMachine,
    StackMachine,
    TuringMachine,
    WeightedPushdownAutomaton,
    Word,
    interpret,
)
from exactnn.automata.interpreter import Counts, counts_after, counts_outcome
from exactnn.equivalence.lazy_moore import UNSETTLED, Label
from exactnn.equivalence.spaces.state_space import Numbers
from exactnn.errors import OptionError
from exactnn.networks import Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation.certified_words import CertifiedWords

__all__ = [
    "OUTCOMES",
    "WORD_BYTES",
    "CounterMoore",
    "PushdownMoore",
    "RunForEach",
    "WordMoore",
    "certified_moore",
    "machine_moore",
]

OUTCOMES = tuple(Outcome)
"""The labels where there are verdicts; a label's number is its place here."""

WORD_BYTES = 300
"""What a word and what is known of it take, about."""


class RunForEach:
    """What is said of a state a run must tell, for each state that is asked for one: a few at once, each once."""

    batch = 1 << 6

    def __init__(self) -> None:
        self._labels: dict[int, int] = {}

    def labels(self, states: Numbers) -> Numbers:
        """Return the numbers of the labels."""
        return np.array([self._label(state) for state in states.tolist()], dtype=np.int32)

    def label(self, number: int) -> Label:
        """Return a label."""
        return OUTCOMES[number]

    def _label(self, state: int) -> int:
        if state not in self._labels:
            outcome = self._outcome(state)
            self._labels[state] = UNSETTLED if outcome.cut_short else OUTCOMES.index(outcome)
        return self._labels[state]

    def _outcome(self, state: int) -> Outcome:
        """Return how the run ends, or which limit it met."""
        raise NotImplementedError


class WordMoore(RunForEach):
    """Every word is a state of its own; what is said of it a function tells, once.

    `said` returns Outcome.STEP_LIMIT for "not within the limit".
    """

    def __init__(self, symbols: tuple[str, ...], said: Callable[[Word], Outcome], most: int) -> None:
        super().__init__()
        self.symbols = symbols
        self.most = most
        self._said = said
        self._words: list[tuple[int, int]] = [(-1, -1)]  # the word without its last symbol, and that symbol
        self._known: dict[Hashable, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the words take, about."""
        return WORD_BYTES * len(self._words)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the words that are one symbol longer."""
        return np.array([self._longer(word, symbol) for word in states.tolist()], dtype=np.int32)

    def _longer(self, word: int, symbol: int) -> int:
        found = self._known.get((word, symbol))
        if found is None:
            if len(self._words) >= self.most:
                return -1
            found = self._known[word, symbol] = len(self._words)
            self._words.append((word, symbol))
        return found

    def _outcome(self, state: int) -> Outcome:
        return self._said(self.word(state))

    def word(self, state: int) -> Word:
        """Return the word with that number."""
        word, at = [], state
        while at:
            at, symbol = self._words[at]
            word.append(self.symbols[symbol])
        return tuple(reversed(word))


class PushdownMoore(WordMoore):
    """Every word is a state of its own, whose label is its weight.

    The stacks along the last word are kept, since the next one mostly begins as it does.
    """

    def __init__(self, automaton: WeightedPushdownAutomaton, most: int) -> None:
        super().__init__(automaton.input_symbols, lambda _: Outcome.COMPLETED, most)
        self._automaton = automaton
        self._last: Word = ()
        self._stacks = [automaton.stack()]
        self._weights: list[str] = []
        self._numbers: dict[str, int] = {}

    def label(self, number: int) -> Label:
        """Return a weight as text."""
        return self._weights[number]

    def _label(self, state: int) -> int:
        if state not in self._labels:
            weight = self._weight(self.word(state))
            if weight not in self._numbers:
                self._numbers[weight] = len(self._weights)
                self._weights.append(weight)
            self._labels[state] = self._numbers[weight]
        return self._labels[state]

    def _weight(self, word: Word) -> str:
        alike = next((i for i, (a, b) in enumerate(zip(word, self._last, strict=False)) if a != b), None)
        alike = min(len(word), len(self._last)) if alike is None else alike
        stacks = self._stacks[: alike + 1]
        for symbol in word[alike:]:
            stacks.append(self._automaton.after(stacks[-1], symbol))
        self._last, self._stacks = word, stacks
        number = self._automaton.final_weight(stacks[-1])
        return str(number)


class CounterMoore(RunForEach):
    """The states and counters that words lead to."""

    def __init__(self, machine: CounterMachine, most: int) -> None:
        super().__init__()
        self.symbols = machine.input_symbols
        self._machine, self._most = machine, most
        start: Counts = machine.initial_state, (0,) * machine.counters
        self._counts, self._numbers = [start], {start: 0}

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the states and counters take, about."""
        return (WORD_BYTES + 8 * self._machine.counters) * len(self._counts)

    def successors(self, states: Numbers, symbol: int) -> Numbers:
        """Return the numbers of what the machine is in after a symbol."""
        letter = self.symbols[symbol]
        after = (counts_after(self._machine, self._counts[state], letter) for state in states.tolist())
        return np.array([self._number(counts) for counts in after], dtype=np.int32)

    def _number(self, counts: Counts) -> int:
        found = self._numbers.get(counts)
        if found is None:
            if len(self._counts) >= self._most:
                return -1
            found = len(self._counts)
            self._counts.append(counts)
            self._numbers[counts] = found  # last, since Ctrl-C may come before: then nothing leads to the entry
        return found

    def _outcome(self, state: int) -> Outcome:
        return counts_outcome(self._machine, self._counts[state])


def machine_moore(
    machine: StackMachine | TuringMachine | MultiTapeTuringMachine, most: int, max_steps: int
) -> WordMoore:
    """Return a machine by its direct interpreter, which takes up to so many moves for a word."""
    return WordMoore(machine.input_symbols, lambda word: interpret(machine, word, max_steps=max_steps).outcome, most)


def certified_moore(network: Network, arithmetic: EnclosingArithmetic, most: int, max_steps: int) -> WordMoore:
    """Return a network by what certified enclosures tell of each word; a verdict that no bits tell is not known.

    Raises
    ------
    OptionError
        If it takes vectors, or gives outputs and no verdicts.
    """
    if network.input_symbols is None or network.decision.protocol is Protocol.OUTPUTS:
        raise OptionError(
            f"{network.name} gives no verdicts on words of symbols: enclosures of outputs are equal to nothing; "
            "exactnn.check_format compares what a format makes of them"
        )
    words = CertifiedWords(network, arithmetic)
    return WordMoore(
        network.input_symbols,
        lambda word: words.verdict(network.inputs(word), len(word) + max_steps)[0],
        most,
    )

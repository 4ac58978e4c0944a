"""Exact verdicts of many words, and which of them a format gets wrong."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from gmpy2 import mpq

from exactnn.arithmetic import FloatFormat, Format
from exactnn.errors import OptionError
from exactnn.networks import Network, Protocol
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, executor_for, verdict_of
from exactnn.simulation.executors import exact_executor_for

__all__ = ["Judge", "Truth"]

MOST_STEPS = 1 << 60
"""Steps after a word that the compiled loops count."""

Word = Sequence[int]
Truth = tuple[Outcome, int]
"""How the exact run of a word ends, and after how many steps."""


class Judge:
    """A network with its verdicts in exact arithmetic and in some formats.

    Raises OptionError if the network does not take symbols, or gives no verdicts.
    """

    def __init__(self, network: Network, formats: Sequence[Format]) -> None:
        if network.alphabet is None:
            raise OptionError(f"{network.name} takes vectors of numbers: only words of symbols can be drawn")
        if network.decision.protocol is Protocol.OUTPUTS:
            raise OptionError(f"{network.name} gives outputs and no verdicts: give it a protocol with verdicts")
        self.network = network
        self.formats = tuple(formats)
        self.symbols = len(network.alphabet) - self._reads_eos(network)
        self.stop = np.zeros(1, dtype=np.uint8)
        self._columns = [_Column(network, format, self.stop) for format in formats]

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Stop the threads that still compute when the block is left by an exception."""
        try:
            yield
        except BaseException:
            self.stop[0] = 1
            raise

    @staticmethod
    def _reads_eos(network: Network) -> bool:
        return network.decision.protocol.reads_eos

    @cached_property
    def _exact(self) -> Executor:
        return exact_executor_for(self.network, many=True)

    def exact(self, words: Sequence[Word], limit: int | None) -> "Truths":
        """Return how the words end."""
        return Truths(words, [verdict_of(self._exact, word, limit) for word in words])

    def wrong(self, column: int, truths: "Truths") -> list[int]:
        """Return the numbers of the words on which a format is wrong."""
        return self._columns[column].wrong(truths)


class Truths:
    """Words with how their exact runs end, in the form in which formats are compared with them."""

    def __init__(self, words: Sequence[Word], ends: Sequence[Truth]) -> None:
        from exactnn.simulation.word_batch import Words  # numba takes as long as all the rest

        self.words = words
        self.ends = ends
        self.packed = Words([word[:steps] for word, (_, steps) in zip(words, ends, strict=True)])
        self.rests = [min(MOST_STEPS, max(0, steps - len(word))) for word, (_, steps) in zip(words, ends, strict=True)]


class _Column:
    """The runs in one format: many at once where they can be."""

    def __init__(self, network: Network, format: Format, stop: Any) -> None:
        from exactnn.simulation.word_batch import WordBatch, can_batch

        self._stop = stop
        self.network = network
        self.format = format
        self._batch: WordBatch | None = None
        if isinstance(format, FloatFormat) and can_batch(network, format):
            self._batch = WordBatch(network, format, stop)

    @cached_property
    def _executor(self) -> Executor:
        return executor_for(self.network, self.format)

    def wrong(self, truths: Truths) -> list[int]:
        """Return the numbers of the words that do not end as they should, run for as many steps as the exact run."""
        unknown = [-1] * len(truths.words)
        steps, outputs = (unknown, unknown) if self._batch is None else self._batch.run(truths.packed, truths.rests)
        wrong = []
        for n, (word, exact) in enumerate(zip(truths.words, truths.ends, strict=True)):
            if steps[n] < 0:
                mine = verdict_of(self._executor, word, exact[1], lambda: self._stop[0])
            elif steps[n] - len(word) == MOST_STEPS:  # a cycle, since nobody takes so many
                mine = Outcome.STEP_LIMIT, exact[1]
            else:
                mine = self._outcome(outputs[n], len(word), steps[n]), steps[n]
            if mine != exact:
                wrong.append(n)
        return wrong

    def _outcome(self, output: mpq | float, length: int, steps: int) -> Outcome:
        if steps < length or (self.network.decision.protocol.reads_eos and steps == length):
            return Outcome.STEP_LIMIT
        return self.network.decision.outcome(output) or Outcome.STEP_LIMIT

"""Exact verdicts of many words, and which of them a format gets wrong."""

from collections.abc import Sequence
from functools import cached_property

from gmpy2 import mpq

from exactnn.arithmetic import FloatFormat, Format
from exactnn.errors import OptionError
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, executor_for, verdict_of
from exactnn.simulation.executors import exact_executor_for

__all__ = ["Judge", "Truth"]

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
        if not network.scalar_output or (
            network.decision.outcome(float("nan")) is None and not self._reads_eos(network)
        ):
            raise OptionError(f"{network.name} gives outputs and no verdicts: give it a protocol with verdicts")
        self.network = network
        self.formats = tuple(formats)
        self.symbols = len(network.alphabet) - self._reads_eos(network)
        self._columns = [_Column(network, format) for format in formats]

    @staticmethod
    def _reads_eos(network: Network) -> bool:
        return network.decision.protocol.reads_eos

    @cached_property
    def _exact(self) -> Executor:
        return exact_executor_for(self.network)

    def exact(self, words: Sequence[Word], limit: int | None) -> list[Truth]:
        """Return how the words end."""
        return [verdict_of(self._exact, word, limit) for word in words]

    def wrong(self, column: int, words: Sequence[Word], truth: Sequence[Truth]) -> list[int]:
        """Return the numbers of the words on which a format is wrong."""
        found = self._columns[column].run(words, [steps for _, steps in truth])
        return [n for n, (mine, exact) in enumerate(zip(found, truth, strict=True)) if mine != exact]


class _Column:
    """The runs in one format: many at once where they can be."""

    def __init__(self, network: Network, format: Format) -> None:
        from exactnn.simulation.word_batch import WordBatch, can_batch  # numba takes as long as all the rest

        self.network = network
        self.format = format
        self._batch: WordBatch | None = None
        if isinstance(format, FloatFormat) and can_batch(network, format):
            self._batch = WordBatch(network, format)

    @cached_property
    def _executor(self) -> Executor:
        return executor_for(self.network, self.format)

    def run(self, words: Sequence[Word], limits: Sequence[int]) -> list[Truth]:
        """Return how words end that are run until there is a verdict, or for as many steps as the exact run."""
        if self._batch is None:
            return [verdict_of(self._executor, word, limit) for word, limit in zip(words, limits, strict=True)]
        short = [word[:limit] for word, limit in zip(words, limits, strict=True)]
        rests = [limit - len(word) for word, limit in zip(short, limits, strict=True)]
        steps, outputs = self._batch.run(short, rests)
        return [
            verdict_of(self._executor, word, limit) if taken < 0 else (self._outcome(output, len(word), taken), taken)
            for word, limit, taken, output in zip(words, limits, steps, outputs, strict=True)
        ]

    def _outcome(self, output: mpq | float, length: int, steps: int) -> Outcome:
        if steps < length or (self.network.decision.protocol.reads_eos and steps == length):
            return Outcome.STEP_LIMIT
        return self.network.decision.outcome(output) or Outcome.STEP_LIMIT

"""Verdicts of many words of a network with smooth units: each word goes on from where it parts from the last one."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from exactnn.arithmetic import CERTIFIED, EnclosingArithmetic
from exactnn.errors import BitLimitError, SizeLimitError
from exactnn.networks import Input, Network
from exactnn.outcome import Outcome
from exactnn.simulation.executors import executor_for
from exactnn.simulation.run import whole_run
from exactnn.simulation.walk import outcome_after

__all__ = ["CertifiedWords"]


class CertifiedWords:
    """How words end, by enclosures that tell it for sure.

    The enclosures along the last word are kept, with as many bits as a certified run begins with. Where these do not
    tell the verdict, the word has a run of its own, with more bits; and so has each word after which EOS is read.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[[1]], W=[[1, -1]], b=[0], s=[0], readout_weight=[1], activation="tanh", alphabet="ab")
    >>> words = CertifiedWords(network)
    >>> [str(words.verdict(word)[0]) for word in ((0, 0), (0, 1), (1, 0))]
    ['accepted', 'rejected', 'accepted']
    """

    def __init__(
        self,
        network: Network,
        arithmetic: EnclosingArithmetic = CERTIFIED,
        stopped: Callable[[], object] = bool,
    ) -> None:
        self.network = network
        self.arithmetic = arithmetic
        self._stopped = stopped
        self._executor = executor_for(network, arithmetic.intervals[0], enclosing=True)
        self._last: list[Input] = []
        self._states = [self._executor.start()]

    def verdict(self, word: Sequence[Input], max_steps: int | None = None) -> tuple[Outcome, int]:
        """Return how a word ends, given as numbers of symbols, and after how many steps.

        KeyboardInterrupt is raised where `stopped` is found true, which is asked now and then.
        """
        self._look(0)
        if max_steps is None or len(word) <= max_steps:
            with suppress(BitLimitError, SizeLimitError):
                output = self._executor.output(self._after(word))
                outcome = outcome_after(self.network, len(word), len(word), output)
                if outcome is not None and not outcome.cut_short:
                    return outcome, len(word)
        found = whole_run(
            self.network, self.network.written(word), arithmetic=self.arithmetic, max_steps=max_steps,
            progress=self._look,
        )  # fmt: skip
        return found.outcome, found.steps

    def _look(self, _: int) -> None:
        if self._stopped():
            raise KeyboardInterrupt

    def _after(self, word: Sequence[Input]) -> Any:
        """Return the enclosures after a word, and keep those along it."""
        pairs = enumerate(zip(word, self._last, strict=False))
        alike = next((i for i, (one, other) in pairs if one != other), min(len(word), len(self._last)))
        del self._last[alike:], self._states[alike + 1 :]
        for symbol in word[alike:]:
            segment = self._executor.advance(self._states[-1], symbol, 1, until_decided=False)
            self._states.append(segment.state)
            self._last.append(symbol)  # last, since Ctrl-C may come before: then a state is left that is taken away
        return self._states[-1]

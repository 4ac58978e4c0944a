"""Who says whether formats are wrong on words: by states, by verdicts, or by verdicts as units of work."""

import os
from collections.abc import Sequence
from concurrent.futures import Executor as Workers
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from exactnn.arithmetic import Arithmetic, FloatFormat, counted
from exactnn.campaigns import Campaign, Unit
from exactnn.campaigns.unit import json_line
from exactnn.errors import CheckpointError, SizeLimitError, shown
from exactnn.networks import AnyNetwork, Input, network_of
from exactnn.outcome import Outcome
from exactnn.precision.collapse import Criterion
from exactnn.precision.divergence import Lockstep
from exactnn.precision.judge import digest_of, failed_units, written_whole
from exactnn.simulation import Executor, Walk, executor_for

__all__ = ["StatesOfWords", "VerdictUnit", "VerdictsOfWords", "VerdictsOnCampaigns"]

Word = str | Sequence[object]

EOS_STEPS = 4096
"""How many EOS steps an executor is asked for at a time: it makes room for the outputs of all of them."""


class VerdictsOfWords:
    """Compares how runs end: equal symbols are one call of an executor, and no state is looked at."""

    def __init__(self, network: AnyNetwork, reference: Arithmetic) -> None:
        self.network, self.reference = network_of(network), reference
        self.exact = executor_for(self.network, reference)
        self.rounded: dict[FloatFormat, Executor] = {}
        self.stopped = False

    def __reduce__(self) -> tuple[object, ...]:
        return VerdictsOfWords, (self.network, self.reference)

    def stop(self) -> None:
        """End what another thread computes with this, by KeyboardInterrupt."""
        self.stopped = True

    def all_wrong(self, words: list[Word], formats: list[FloatFormat], limit: int | None) -> list[list[bool]]:
        """Return `wrong` of each word."""
        return [self.wrong(word, formats, limit) for word in words]

    def wrong(self, word: Word, formats: list[FloatFormat], limit: int | None) -> list[bool]:
        """Return for each format whether it says something else than the exact run, or says it at another step."""
        inputs = self.network.inputs(word)
        outcome, steps = self._ending(self.exact, inputs, limit)
        return [self._ending(self.executor(format), inputs, steps) != (outcome, steps) for format in formats]

    def executor(self, format: FloatFormat) -> Executor:
        """Return what runs the network in a format; it is kept."""
        if format not in self.rounded:
            self.rounded[format] = executor_for(self.network, format)
        return self.rounded[format]

    def _ending(self, executor: Executor, inputs: list[Input], limit: int | None) -> tuple[Outcome, int]:
        walk = Walk(executor, inputs, limit=limit, at_once=EOS_STEPS)
        return walk.to_the_end(lambda: self.stopped), walk.position.steps


@dataclass(frozen=True)
class VerdictUnit(Unit):
    """Some words in one format, compared with a reference.

    Parameters
    ----------
    network : str
        The digest of the network, which is the subject's.
    format, reference : Arithmetic
    words : tuple of tuple of int
        Symbols, as numbers of the network's alphabet.
    max_steps : int or None
    """

    names_subject = True
    network: str
    format: FloatFormat
    reference: Arithmetic
    words: tuple[tuple[int, ...], ...] = field(repr=False)
    max_steps: int | None

    @property
    def identity(self) -> dict[str, Any]:
        """The fields, the formats as their reprs, and the words as a digest."""
        digest = sha256(json_line(self.words).encode("ascii")).hexdigest()
        limit = None if self.max_steps is None else written_whole(self.max_steps)
        written = {"format": repr(self.format), "reference": repr(self.reference), "words": digest, "max_steps": limit}
        return {"kind": "verdicts", "version": self.version} | vars(self) | written

    def run(self, subject: VerdictsOfWords) -> list[int]:
        """Return the numbers of the words on which the format is wrong."""
        words: list[Word] = [subject.network.written(list(word)) for word in self.words]
        rows = subject.all_wrong(words, [self.format], self.max_steps)
        return [n for n, (wrong,) in enumerate(rows) if wrong]


class VerdictsOnCampaigns:
    """Verdicts by units of work: a length is a campaign, since the next one depends on which precisions are left."""

    def __init__(
        self, subject: VerdictsOfWords, executor: Workers | None, store: str | os.PathLike[str] | None
    ) -> None:
        self._subject, self._digest = subject, digest_of(subject.network)
        self._executor, self._store = executor, store

    def all_wrong(self, words: list[Word], formats: list[FloatFormat], limit: int | None) -> list[list[bool]]:
        """Return for each word and format whether it is wrong."""
        network = self._subject.network
        numbers = tuple(tuple(map(int, network.inputs(word))) for word in words)  # type: ignore[arg-type]
        for format in formats:
            self._subject.executor(format)  # what a format lacks is an error of the call, and not of each unit
        units = [VerdictUnit(self._digest, format, self._subject.reference, numbers, limit) for format in formats]
        found = Campaign(units, dict, subject=self._subject).run(executor=self._executor, store=self._store)
        if found.failed:
            raise failed_units([failure.error for failure in found.failed], self._store)
        if not found.complete:
            raise KeyboardInterrupt
        for row in found.result.values():
            if not (isinstance(row, list) and all(type(n) is int and 0 <= n < len(words) for n in row)):
                raise CheckpointError(f"the store is damaged at {shown(row)}: delete the file to begin anew")
        return [[n in found.result[unit] for unit in units] for n in range(len(words))]


class StatesOfWords:
    """Compares states step by step."""

    def __init__(self, network: AnyNetwork, criterion: Criterion) -> None:
        self.subject = network
        self.criterion = criterion
        self.formats: list[FloatFormat] = []
        self.lockstep = Lockstep(network, [])

    def all_wrong(self, words: list[Word], formats: list[FloatFormat], limit: int | None) -> list[list[bool]]:
        """Return `wrong` of each word."""
        return [self.wrong(word, formats, limit) for word in words]

    def wrong(self, word: Word, formats: list[FloatFormat], limit: int | None) -> list[bool]:
        """Return for each format whether a state is wrong."""
        if formats != self.formats:
            self.formats, self.lockstep = formats, Lockstep(self.subject, formats)
        found = self.lockstep.compare(word, max_steps=limit)
        if found[0].outcome is Outcome.INTERRUPTED:
            raise KeyboardInterrupt
        if found[0].outcome is Outcome.SIZE_LIMIT:
            raise SizeLimitError(f"the exact numbers of a word of {counted(len(word), 'symbol')} become too long")
        return [getattr(divergence, self.criterion) is not None for divergence in found]

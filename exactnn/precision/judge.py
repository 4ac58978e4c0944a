"""How words end in exact arithmetic and in formats: the units of a sweep, and what computes them."""

import json
import os
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from exactnn.arithmetic import FLOAT16, FloatFormat, Format, counted
from exactnn.campaigns import Unit
from exactnn.errors import CampaignError, OptionError
from exactnn.interrupts import Uninterrupted
from exactnn.networks import Network, Protocol
from exactnn.networks.network_file import network_to_json
from exactnn.outcome import Outcome
from exactnn.simulation import Executor, executor_for, outcome_after, verdict_of
from exactnn.simulation.certified_words import CertifiedWords
from exactnn.simulation.executors import exact_executor_for
from exactnn.simulation.smooth_units import has_smooth_units
from exactnn.simulation.with_numba import has_numba

__all__ = [
    "CHUNK",
    "Judge",
    "SweepUnit",
    "Truths",
    "digest_of",
    "failed_units",
    "read_whole",
    "sampled_words",
    "units_of_length",
    "written_whole",
]

CHUNK = 1000
"""Words of a unit."""
_HEXADECIMAL = re.compile("0x[0-9a-f]{1,4000000}")
MOST_STEPS = 1 << 60
"""Steps after a word that the compiled loops count."""

Word = Sequence[int]
Truth = tuple[Outcome, int]
"""How the exact run of a word ends, and after how many steps."""


@dataclass(frozen=True)
class SweepUnit(Unit):
    """Some words of one length in one format, compared with the exact runs.

    Parameters
    ----------
    network : str
        The digest of the network, which is the subject's.
    format : Format
    length : int
    chunk : int
        Number of the chunk of words of this length.
    count : int
        Words in it.
    seed : int or None
        None if the chunks of this length are all of its words.
    max_steps : int or None
        Limit of the steps of an exact run.
    """

    names_subject = True
    network: str
    format: Format
    length: int
    chunk: int
    count: int
    seed: int | None
    max_steps: int | None

    @property
    def identity(self) -> dict[str, Any]:
        """The fields, the format as its repr."""
        limit = None if self.max_steps is None else written_whole(self.max_steps)
        written = {"format": repr(self.format), "max_steps": limit}
        return {"kind": "sweep", "version": self.version} | vars(self) | written

    def words(self, symbols: int) -> list[tuple[int, ...]]:
        """Return the words over so many symbols: some in the order of all words, or drawn."""
        if self.seed is None:
            return [_word(number, symbols, self.length) for number in self._numbers()]
        rng = random.Random(f"{self.seed} {self.length}" + f" {self.chunk}" * bool(self.chunk))
        return [tuple(rng.choices(range(symbols), k=self.length)) for _ in range(self.count)]

    def _numbers(self) -> range:
        return range(self.chunk * CHUNK, self.chunk * CHUNK + self.count)

    def run(self, subject: "Judge") -> dict[str, Any]:
        """Return the longest exact run, how many had no verdict, how many words are wrong, and the first of these."""
        truths = subject.truths(self)
        wrong = subject.wrong(self.format, truths)
        return {
            "steps": written_whole(max((steps for _, steps in truths.ends), default=0)),
            "undecided": sum(outcome.cut_short for outcome, _ in truths.ends),
            "wrong": len(wrong),
            "example": list(truths.words[wrong[0]]) if wrong else None,
        }

    def details(self, subject: "Judge", row: Any) -> Iterator[dict[str, Any]]:
        """Yield a row for each word: numbers of its symbols, how the exact run ends, whether the format is wrong."""
        truths = subject.truths(self)
        wrong = set(subject.last_wrong(self.format, truths))
        for number, (word, (outcome, steps)) in enumerate(zip(truths.words, truths.ends, strict=True)):
            yield {
                "number": number, "word": list(word), "outcome": str(outcome), "steps": written_whole(steps),
                "wrong": number in wrong,
            }  # fmt: skip

    def is_sound(self, row: Any) -> bool:
        """Return whether `run` can have returned a row."""
        if not isinstance(row, dict) or row.keys() != {"steps", "undecided", "wrong", "example"}:
            return False
        steps, *counts, word = (row[name] for name in ("steps", "undecided", "wrong", "example"))
        if isinstance(steps, str):
            if not _HEXADECIMAL.fullmatch(steps):
                return False
        else:
            counts.append(steps)
        if not all(type(count) is int and count >= 0 for count in counts):
            return False
        if word is None or not row["wrong"]:
            return word is None and not row["wrong"]
        symbols = isinstance(word, list) and all(type(symbol) is int and symbol >= 0 for symbol in word)
        return symbols and len(word) == self.length and row["wrong"] <= self.count


def written_whole(number: int) -> int | str:
    """Return a whole number as JSON has it: one that other programs may not read as a number is hexadecimal text."""
    return number if number < 1 << 63 else hex(number)


def read_whole(written: int | str) -> int:
    """Return what `written_whole` was given."""
    return int(written, 16) if isinstance(written, str) else written


def _word(number: int, symbols: int, length: int) -> tuple[int, ...]:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, symbols)
        digits.append(digit)
    return tuple(reversed(digits))


def units_of_length(
    network: str, symbols: int, length: int, formats: Sequence[Format], words: int, seed: int, max_steps: int | None
) -> list[SweepUnit]:
    """Return the units of a length: all words, or as many as `words` of them; the formats of a chunk are together."""
    every = symbols <= 1 or (length * symbols.bit_length() < 64 and symbols**length <= words)
    total = symbols**length if every else words
    return [
        SweepUnit(network, format, length, chunk, min(CHUNK, total - chunk * CHUNK), None if every else seed, max_steps)
        for chunk in range(-(-total // CHUNK))
        for format in formats
    ]


def sampled_words(symbols: int, length: int, words: int, seed: int) -> tuple[list[tuple[int, ...]], bool]:
    """Return all words of a length over so many symbols, or some at random; and whether they are all.

    >>> sampled_words(2, 2, 9, 0)
    ([(0, 0), (0, 1), (1, 0), (1, 1)], True)
    """
    units = units_of_length("", symbols, length, [FLOAT16], words, seed, None)
    return [word for unit in units for word in unit.words(symbols)], all(unit.seed is None for unit in units)


def digest_of(network: Network) -> str:
    """Return the SHA-256 of what a network is, in hexadecimal digits."""
    text = json.dumps(network_to_json(network), separators=(",", ":"), sort_keys=True)
    return sha256(text.encode("ascii")).hexdigest()


def failed_units(errors: Sequence[str], store: str | os.PathLike[str] | None) -> CampaignError:
    """Return the error that units failed, with what to do."""
    kept = "" if store is None else f": 'exactnn campaign retry {os.fspath(store)}' has them tried again"
    return CampaignError(f"{counted(len(errors), 'unit')} of work failed ({errors[0]}){kept}")


class Judge:
    """A network with its verdicts in exact arithmetic and in formats: the subject of a sweep, for one thread.

    Raises OptionError if the network does not take symbols, or gives no verdicts.
    """

    def __init__(self, network: Network) -> None:
        if network.alphabet is None:
            raise OptionError(f"{network.name} takes vectors of numbers: only words of symbols can be drawn")
        if network.decision.protocol is Protocol.OUTPUTS:
            raise OptionError(f"{network.name} gives outputs and no verdicts: as_acceptor gives it some")
        self.network = network
        self.symbols = len(network.input_symbols or ())
        self._stop = np.zeros(1, dtype=np.uint8)
        self._columns: dict[Format, _Column] = {}
        self._last: tuple[object, Truths] | None = None
        self._answer: tuple[Truths, Format, list[int]] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return Judge, (self.network,)

    def stop(self) -> None:
        """End what another thread computes with this, by KeyboardInterrupt."""
        self._stop[0] = 1

    @cached_property
    def _certified(self) -> CertifiedWords:
        return CertifiedWords(self.network, stopped=lambda: self._stop[0])

    @cached_property
    def _exact(self) -> Executor:
        return exact_executor_for(self.network, many=True)

    def truths(self, unit: SweepUnit) -> "Truths":
        """Return how the words of a unit end; those of the last unit are kept, for the next format."""
        chunk = (unit.length, unit.chunk, unit.count, unit.seed, unit.max_steps)
        if self._last is None or self._last[0] != chunk:
            self._last = chunk, self.exact(unit.words(self.symbols), unit.max_steps)
        return self._last[1]

    def exact(self, words: Sequence[Word], limit: int | None) -> "Truths":
        """Return how words end; with smooth units as enclosures tell, if they do."""
        if has_smooth_units(self.network):
            return Truths(words, [self._certified.verdict(word, limit) for word in words])
        return Truths(words, [verdict_of(self._exact, word, limit, lambda: self._stop[0]) for word in words])

    def wrong(self, format: Format, truths: "Truths") -> list[int]:
        """Return the numbers of the words on which a format is wrong."""
        if format not in self._columns:
            self._columns[format] = _Column(self.network, format, self._stop)
        found = self._columns[format].wrong(truths)
        self._answer = truths, format, found
        return found

    def last_wrong(self, format: Format, truths: "Truths") -> list[int]:
        """Return what `wrong` does, without computing it again if that was asked last."""
        if self._answer is not None and self._answer[0] is truths and self._answer[1] == format:
            return self._answer[2]
        return self.wrong(format, truths)


class Truths:
    """Words with how their exact runs end, in the form in which formats are compared with them."""

    def __init__(self, words: Sequence[Word], ends: Sequence[Truth]) -> None:
        self.words = words
        self.ends = ends
        self.packed: Any = None
        if has_numba():
            with Uninterrupted("loading numba"):  # only here, since that takes as long as all the rest
                from exactnn.simulation.word_batch import Words

            self.packed = Words([word[:steps] for word, (_, steps) in zip(words, ends, strict=True)])
        self.rests = [min(MOST_STEPS, max(0, steps - len(word))) for word, (_, steps) in zip(words, ends, strict=True)]


class _Column:
    """The runs in one format: many at once where they can be."""

    def __init__(self, network: Network, format: Format, stop: Any) -> None:
        self._stop = stop
        self.network = network
        self.format = format
        self._batch: Any = None
        if isinstance(format, FloatFormat) and has_numba():
            with Uninterrupted("loading numba"):
                from exactnn.simulation.word_batch import WordBatch, can_batch

            if can_batch(network, format):
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
                said = outcome_after(self.network, len(word), steps[n], outputs[n])
                mine = said or Outcome.STEP_LIMIT, steps[n]
            if exact[0] is Outcome.BIT_LIMIT:  # nobody knows
                continue
            if mine != exact and (exact[0] is not Outcome.SIZE_LIMIT or mine != (Outcome.STEP_LIMIT, exact[1])):
                wrong.append(n)
        return wrong

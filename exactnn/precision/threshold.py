"""How many bits are enough: every precision of a range is tried, since correctness need not be monotone in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import FloatFormat, Rounding, counted
from exactnn.automata import word_cell, word_text, words_of_family
from exactnn.errors import OptionError
from exactnn.files import DataTable
from exactnn.markup import Entry, Table
from exactnn.networks import AnyNetwork, Network, Protocol, network_of, runnable_of
from exactnn.options import choice, whole_numbers
from exactnn.outcome import Outcome
from exactnn.precision.collapse import CRITERIA, Criterion, collapse
from exactnn.precision.compared_words import given_or_own

__all__ = ["PrecisionThreshold", "WordThreshold", "precision_threshold", "ranges_of", "threshold_table"]

FEW = range(1, 9)
"""The n of a pattern, unless others are given: each word is run in many precisions."""


def ranges_of(chosen: Sequence[int], tried: Sequence[int]) -> str:
    """Return numbers as ranges of those that were tried, in ascending order.

    >>> ranges_of([2, 3, 4, 7], range(2, 9))
    '2-4, 7'
    """
    place = {p: i for i, p in enumerate(tried)}
    parts: list[list[int]] = []
    for p in chosen:
        if parts and place[p] == place[parts[-1][-1]] + 1:
            parts[-1].append(p)
        else:
            parts.append([p])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordThreshold:
    """One word: the outcome and the steps of the exact run, and the precisions that fail on it, in ascending order."""

    word: tuple[object, ...]
    outcome: Outcome
    steps: int
    failing: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionThreshold(DataTable):
    """Which precisions are right on some words.

    Parameters
    ----------
    precisions : tuple of int
        All that were tried, in ascending order.
    criterion : "value", "configuration" or "verdict"
    words : tuple of WordThreshold
    complete : bool
        False if it was interrupted; the words until then are here.
    """

    precisions: tuple[int, ...]
    criterion: Criterion
    words: tuple[WordThreshold, ...]
    complete: bool = True

    @property
    def failing(self) -> tuple[int, ...]:
        """Every precision that fails on at least one word, in ascending order."""
        return tuple(sorted({p for word in self.words for p in word.failing}))

    @property
    def least(self) -> int | None:
        """The least precision from which on all that were tried are right on all words; None if the largest fails."""
        failing = self.failing
        return next((p for p in self.precisions if not failing or p > failing[-1]), None)

    @property
    def monotone(self) -> bool:
        """Whether no precision fails that is larger than one that is right."""
        return self.failing == self.precisions[: len(self.failing)]

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each word and precision."""
        return [
            {
                "word": word_cell(word.word),
                "length": len(word.word),
                "outcome": str(word.outcome),
                "steps": word.steps,
                "precision": precision,
                "right": precision not in word.failing,
            }
            for word in self.words
            for precision in self.precisions
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: the failing precisions of each word."""
        title = f"bits for the right {self.criterion}, of {self.precisions[0]} to {self.precisions[-1]}"
        note = f"on all words: {self._found()}"
        note += "" if self.monotone else f"; not monotone, wrong are {ranges_of(self.failing, self.precisions)}"
        note += "" if self.complete else "; interrupted: these are the words that were finished"
        note += self._undecided()
        return threshold_table(self, title=title, labels=[word_text(word.word) for word in self.words], note=note)

    def _undecided(self) -> str:
        undecided = sum(word.outcome.cut_short for word in self.words)
        told = self.criterion != "verdict" or not undecided
        return "" if told else f"; exact runs without a verdict within the limit: {undecided:,}"

    def _found(self) -> str:
        if not self.words:
            return "no word was run"
        return "the largest fails" if self.least is None else f"right from {self.least} on"

    def __repr__(self) -> str:
        tried = f"{self.precisions[0]} to {self.precisions[-1]} bits on {counted(len(self.words), 'word')}"
        found = f"{self._found()}{self._undecided()}"
        oddly = "" if self.monotone else ", not monotone"
        return (
            f"<PrecisionThreshold of {self.criterion}s, {tried}: {found}{oddly}{', interrupted' * (not self.complete)}>"
        )


def threshold_table(found: PrecisionThreshold, *, title: str, labels: Sequence[str], note: str = "") -> Table:
    """Return a row for each word, called as `labels` say: which precisions are wrong on it, and from where on none."""
    rows = []
    for word, label in zip(found.words, labels, strict=False):
        least = next((p for p in found.precisions if not word.failing or p > word.failing[-1]), None)
        wrong = ranges_of(word.failing, found.precisions)
        rows.append(
            (
                len(word.word),
                label,
                str(word.outcome),
                word.steps,
                Entry(wrong, mark="wrong") if wrong else "none",
                Entry("none", mark="wrong") if least is None else least,
            )
        )
    heading = ("length", "word", "exactly", "steps", "wrong with", "right from")
    return Table(title=title, heading=heading, rows=tuple(rows), note=note)


def precision_threshold(
    network: AnyNetwork,
    words: str | Iterable[str | Sequence[object]] | None = None,
    *,
    n: Iterable[int] | int | None = None,
    precisions: Iterable[int] = range(2, 65),
    exponent_bits: int = 10,
    rounding: Rounding | str = Rounding.NEAREST_EVEN,
    criterion: Criterion = "verdict",
    max_steps: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> PrecisionThreshold:
    """Run words exactly and in every precision of a range, and return which are right.

    Nothing is inferred from one precision for another: a network can be right with p bits and wrong with p + 1.

    Parameters
    ----------
    words : str or iterable of words, optional
        One word, or a family of them; a pattern such as "a^n b^n", also in a list, stands for a word for each n. Of the
        name of a machine these are the words that its file expects to be accepted, or to make it halt, unless others
        are given.
    n : iterable of int or int, optional
        The n of a pattern; from 1 to 8 unless given.
    precisions : iterable of int
        Bits of the significand.
    exponent_bits : int
        Of every format; enough by default that exponents play no part.
    criterion : "value", "configuration" or "verdict"
        What has to be right: every number of every state, every decoded configuration, or the verdict and its step.
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    max_seconds : float, optional
        Limit of the time per word; what was compared until then counts.
    progress : callable, optional
        Called with the number of words done.

    Raises
    ------
    WordError, UnsupportedArithmeticError
        As :func:`exactnn.run`.
    OptionError
        If there is no precision, or verdicts are asked for of a network that gives none, or configurations of one
        without a construction.

    Notes
    -----
    Ctrl-C returns the words that are finished, with `complete` False.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> halves = SimpleRNN(V=[["1/2"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> found = precision_threshold(halves, [[1, 1, 1, 1]], precisions=range(2, 8), criterion="value")
    >>> found.least, found.failing
    (4, (2, 3))
    >>> precision_threshold("anbn", "a^n b^n", n=[1, 2, 4]).least
    26
    """
    tried = sorted(whole_numbers("precisions", precisions, "at least one, such as range(2, 65)"))
    choice("criterion", criterion, CRITERIA)
    if criterion == "configuration" and isinstance(runnable_of(network), Network):
        raise OptionError("criterion 'configuration' with a mere network: give the construction that made it")
    if criterion == "verdict" and network_of(network).decision.protocol is Protocol.OUTPUTS:
        raise OptionError(
            "criterion 'verdict' with a network that gives outputs and no verdicts: give 'value', or its as_acceptor"
        )
    family = given_or_own(network, words_of_family(words, n, network_of(network).input_symbols, usual=FEW))
    formats = [FloatFormat(precision=p, exponent_bits=exponent_bits, rounding=rounding) for p in tried]
    table = collapse(
        network,
        [family] if isinstance(family, str) else family,
        formats,
        max_steps=max_steps,
        max_seconds=max_seconds,
        progress=progress,
    )
    found = tuple(
        WordThreshold(
            word=row.word,
            outcome=row.outcome,
            steps=row.steps,
            failing=tuple(p for p, d in zip(tried, row.divergences, strict=True) if getattr(d, criterion) is not None),
        )
        for row in table.rows
    )
    return PrecisionThreshold(precisions=tuple(tried), criterion=criterion, words=found, complete=table.complete)

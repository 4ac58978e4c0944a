"""Verdicts of many words of many lengths in many formats: how many are wrong, and on which word first."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from exactnn.arithmetic import AnyFormat, AnyFormats, Format, counted, format_of, formats_of
from exactnn.automata import word_cell, word_text
from exactnn.campaigns import Campaign
from exactnn.errors import CheckpointError, OptionError, shown
from exactnn.files import DataTable
from exactnn.markup import Entry, Table, named
from exactnn.networks import AnyNetwork, Network, network_of
from exactnn.options import callback, step_limit, whole_number, whole_numbers
from exactnn.precision.judge import Judge, SweepUnit, digest_of, read_whole, units_of_length
from exactnn.simulation import executor_for

__all__ = ["SweptLength", "VerdictSweep", "verdict_sweep"]

MOST_IN_REPR = 4
"""Formats that a repr tells of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptLength:
    """The words of one length, and what the formats made of them.

    Parameters
    ----------
    length : int
    words : int
        How many were run.
    every : bool
        Whether these are all words of the length.
    steps : int
        Network steps of the longest exact run.
    undecided : int
        Words on which the exact run reached the limit of steps, and a format is right if it reached it too; or, of
        networks with smooth units, on which enclosures do not tell the verdict, and no format counts as wrong.
    wrong : tuple of int
        For each format, on how many words its verdict is wrong or comes at another step.
    examples : tuple of (tuple or None)
        For each format, the first word that it is wrong on.
    """

    length: int
    words: int
    every: bool
    steps: int
    undecided: int
    wrong: tuple[int, ...]
    examples: tuple[tuple[object, ...] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictSweep(DataTable):
    """A table lengths by formats.

    `complete` is False if it was interrupted, or units of work failed, which `failed` tells; what is finished is here.
    """

    name: str
    formats: tuple[Format, ...]
    lengths: tuple[SweptLength, ...]
    complete: bool = True
    failed: tuple[str, ...] = ()

    def first_failure(self, arithmetic: AnyFormat) -> SweptLength | None:
        """Return the shortest length with a word on which a format is wrong, or None.

        Raises
        ------
        OptionError
            If the format is not one of the table's.
        """
        column = self._column(arithmetic)
        return min((entry for entry in self.lengths if entry.wrong[column]), key=lambda e: e.length, default=None)

    def safe_length(self, arithmetic: AnyFormat) -> int | None:
        """Return the longest length up to which a format is right on all words that were run; None if on none.

        Lengths that were not run count for nothing; of the others, words that were not drawn may still be wrong.

        Raises
        ------
        OptionError
            If the format is not one of the table's.
        """
        failure = self.first_failure(arithmetic)
        right = (entry.length for entry in self.lengths if failure is None or entry.length < failure.length)
        return max(right, default=None)

    def failing(self, length: int) -> tuple[Format, ...]:
        """Return the formats that are wrong on some word of a length."""
        wrong = [entry.wrong for entry in self.lengths if entry.length == length]
        return tuple(f for i, f in enumerate(self.formats) if any(counts[i] for counts in wrong))

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each length and format."""
        return [
            {
                "length": entry.length,
                "format": str(format),
                "words": entry.words,
                "every": entry.every,
                "steps": entry.steps,
                "undecided": entry.undecided,
                "wrong": wrong,
                "example": word_cell(example),
            }
            for entry in self.lengths
            for format, wrong, example in zip(self.formats, entry.wrong, entry.examples, strict=True)
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: how many words of each length each format is wrong on."""
        return Table(
            title=f"{self.name}: words with a wrong verdict",
            heading=("length", "words", "steps", *map(str, self.formats)),
            rows=tuple(
                (
                    entry.length,
                    Entry(f"all {entry.words:,}" if entry.every else f"{entry.words:,}"),
                    entry.steps,
                    *(_count(wrong, word) for wrong, word in zip(entry.wrong, entry.examples, strict=True)),
                )
                for entry in self.lengths
            ),
            note="\n".join(self._remarks()),
        )

    def _remarks(self) -> Iterator[str]:
        if undecided := sum(entry.undecided for entry in self.lengths):
            yield f"exact runs without a verdict within their limits: {undecided:,}"
        if self.failed:
            yield f"lengths are left out, since {counted(len(self.failed), 'unit')} of work failed: {self.failed[0]}"
        elif not self.complete:
            yield "interrupted: these are the lengths that were finished"

    def __repr__(self) -> str:
        parts = []
        for arithmetic in self.formats[:MOST_IN_REPR]:
            failure = self.first_failure(arithmetic)
            told = "right" if self.lengths else "not known"
            parts.append(f"{arithmetic} {told if failure is None else f'first wrong at length {failure.length:,}'}")
        if len(self.formats) > MOST_IN_REPR:
            parts.append(f"{len(self.formats) - MOST_IN_REPR} more formats")
        sizes = f"{counted(len(self.lengths), 'length')}{'' if self.complete else ', incomplete'}"
        return f"<VerdictSweep of {named(self.name)}, {sizes}: {'; '.join(parts)}>"

    def _column(self, arithmetic: AnyFormat) -> int:
        format = format_of(arithmetic)
        if format not in self.formats:
            raise OptionError(f"format {format} is not in this table: {', '.join(map(str, self.formats))}")
        return self.formats.index(format)


def _count(wrong: int, word: tuple[object, ...] | None) -> Entry:
    return Entry(wrong, told=f"first on {word_text(word)}", mark="wrong") if word is not None else Entry(wrong)


def verdict_sweep(
    network: AnyNetwork,
    lengths: Iterable[int],
    formats: AnyFormats,
    *,
    words: int = 1000,
    seed: int = 0,
    max_steps: int | None = None,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
    keep: str | os.PathLike[str] | None = None,
) -> VerdictSweep:
    """Run words of many lengths exactly and in every format, and count the wrong verdicts.

    A verdict is right if it is the exact one and comes at the same step. Of each length all words are taken, or as
    many as `words` at random, each as likely as the others.

    Parameters
    ----------
    lengths : iterable of int
    formats : sequence of Format
    words : int
        Words of a length at most.
    seed : int
        Which words are drawn; they depend on it and on the length only.
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    executor : concurrent.futures.Executor, optional
        Where the units of work run: :class:`exactnn.campaigns.Processes`, :func:`exactnn.campaigns.on_dask`, or any
        other. Without one they run here, one after the other.
    store : str or path, optional
        Keep what is done in this file, a ledger of :mod:`exactnn.campaigns`, and go on from there. Sweeps that ask for
        more lengths, words or formats compute what is new.
    progress : callable, optional
        Called with the number of lengths done.
    keep : str or path, optional
        A folder that gets Parquet files with a row for every word, as :meth:`exactnn.campaigns.Campaign.run` has them.

    Raises
    ------
    OptionError
        If there is no length or format, or the network does not take symbols or gives no verdicts.
    UnsupportedArithmeticError
        If a format lacks a number of the network.
    CheckpointError
        If `store` cannot be read or written, or is something else.
    CampaignError, MissingExtraError
        As :meth:`exactnn.campaigns.Campaign.run`.

    Notes
    -----
    Of a network with smooth units the truth is what certified enclosures tell.

    Ctrl-C returns the lengths that are finished, with `complete` False. A length with a unit that failed, for lack of
    memory for instance, is left out, and `failed` says why.

    Examples
    --------
    >>> from exactnn.arithmetic import FLOAT16, FLOAT64
    >>> from exactnn.constructions import siegelmann_sontag
    >>> from exactnn.machine_files import load
    >>> table = verdict_sweep(siegelmann_sontag(load("palindrome")), range(6), [FLOAT16, FLOAT64])
    >>> [entry.words for entry in table.lengths], table.first_failure(FLOAT16).length, table.first_failure(FLOAT64)
    ([1, 2, 4, 8, 16, 32], 4, None)
    """
    wanted = whole_numbers("lengths", lengths, "at least one length, such as range(1, 41)")
    columns = tuple(dict.fromkeys(formats_of(formats)))
    words, seed = whole_number("words", words, 1), whole_number("seed", seed, -(1 << 63), (1 << 64) - 1)
    callback("progress", progress)
    limit = step_limit(max_steps)
    judge = Judge(network_of(network))
    for format in columns:
        executor_for(judge.network, format)  # what a format lacks is an error of the call, and not of each unit
    digest = digest_of(judge.network)
    parts = {n: units_of_length(digest, judge.symbols, n, columns, words, seed, limit) for n in wanted}
    units = [unit for part in parts.values() for unit in part]
    if not units:
        return _merged(judge.network, columns, parts, {}, ())
    campaign = Campaign(units, _sound_rows, subject=judge, size=len(columns))
    ends = list(accumulate(map(len, parts.values())))
    told = None if progress is None else lambda done: progress(bisect_right(ends, done))
    found = campaign.run(executor=executor, store=store, progress=told, keep=keep)
    failures = tuple(f"length {f.unit.length}, {f.unit.format}: {f.error}" for f in found.failed)  # type: ignore[attr-defined]
    return _merged(judge.network, columns, parts, found.result, failures)


def _sound_rows(pairs: Iterable[tuple[SweepUnit, Any]]) -> dict[SweepUnit, Any]:
    """Return rows by unit; raises CheckpointError if a store has one that no unit made."""
    rows = dict(pairs)
    for unit, row in rows.items():
        if not unit.is_sound(row):
            raise CheckpointError(f"the store is damaged at {shown(row)}: delete the file to begin anew")
    return rows


def _merged(
    network: Network, columns: tuple[Format, ...], parts: Mapping[int, Sequence[SweepUnit]],
    rows: Mapping[SweepUnit, Any], failures: tuple[str, ...],
) -> VerdictSweep:  # fmt: skip
    """Return the lengths of which all units have rows."""
    whole = {length: units for length, units in parts.items() if all(unit in rows for unit in units)}
    return VerdictSweep(
        name=network.name,
        formats=columns,
        lengths=tuple(_swept(network, columns, length, units, rows) for length, units in whole.items()),
        complete=len(whole) == len(parts),
        failed=failures,
    )


def _swept(
    network: Network, columns: Sequence[Format], length: int, units: Sequence[SweepUnit], rows: Mapping[SweepUnit, Any]
) -> SweptLength:
    of_format = {format: [(unit, rows[unit]) for unit in units if unit.format == format] for format in columns}
    some = of_format[columns[0]]
    return SweptLength(
        length=length,
        words=sum(unit.count for unit, _ in some),
        every=all(unit.seed is None for unit, _ in some),
        steps=max((read_whole(row["steps"]) for _, row in some), default=0),
        undecided=sum(row["undecided"] for _, row in some),
        wrong=tuple(sum(row["wrong"] for _, row in part) for part in of_format.values()),
        examples=tuple(
            next((network.written(row["example"]) for _, row in part if row["wrong"]), None)
            for part in of_format.values()
        ),
    )

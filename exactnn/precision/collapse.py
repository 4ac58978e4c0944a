"""The collapse table: a family of words by formats that round, and where each goes wrong first."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from exactnn.arithmetic import FLOAT32, FLOAT64, Format, counted
from exactnn.errors import OptionError, shown
from exactnn.markup import Table, Tabular, named
from exactnn.networks import Network
from exactnn.outcome import Outcome
from exactnn.precision.collapse_table import collapse_table
from exactnn.precision.divergence import Divergence, Lockstep
from exactnn.simulation import Runnable

__all__ = ["CRITERIA", "Collapse", "CollapseRow", "Criterion", "collapse"]

Criterion = Literal["value", "configuration", "verdict"]
MOST_IN_REPR = 4
"""Formats that a repr tells of."""

CRITERIA: tuple[Criterion, ...] = ("value", "configuration", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapseRow:
    """One word: its exact outcome, and for every format where the rounded run leaves the exact one."""

    word: tuple[object, ...]
    outcome: Outcome
    steps: int
    divergences: tuple[Divergence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapse(Tabular):
    """A table words by formats, in the order of the words.

    Parameters
    ----------
    name : str
        Of the network.
    formats : tuple of FloatFormat or FixedPoint
    rows : tuple of CollapseRow
    complete : bool
        False if it was interrupted; the rows until then are here.
    """

    name: str
    formats: tuple[Format, ...]
    rows: tuple[CollapseRow, ...]
    complete: bool = True

    def first_failure(self, arithmetic: Format, criterion: Criterion = "verdict") -> Divergence | None:
        """Return the divergence of the shortest word that goes wrong by `criterion`, or None if none does.

        Raises
        ------
        OptionError
            If the format is not one of the table's, or the criterion is unknown.
        """
        if arithmetic not in self.formats:
            raise OptionError(f"format {arithmetic} is not in this table: {', '.join(map(str, self.formats))}")
        if criterion not in CRITERIA:
            raise OptionError(f"criterion {shown(criterion)} is unknown: choose one of {', '.join(CRITERIA)}")
        column = self.formats.index(arithmetic)
        failures = [row.divergences[column] for row in self.rows if getattr(row.divergences[column], criterion)]
        return min(failures, key=lambda divergence: len(divergence.word), default=None)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: where values, configurations and verdicts go wrong first."""
        note = "" if self.complete else "interrupted: these are the words that were finished"
        return collapse_table(self.rows, self.formats, title=self.name, note=note)

    def __repr__(self) -> str:
        parts = [f"{arithmetic} {self._first_wrong(arithmetic)}" for arithmetic in self.formats[:MOST_IN_REPR]]
        more = [f"{len(self.formats) - MOST_IN_REPR} more formats"] if len(self.formats) > MOST_IN_REPR else []
        interrupted = "" if self.complete else ", interrupted"
        told = "; ".join(parts + more)
        return f"<Collapse of {named(self.name)} on {counted(len(self.rows), 'word')}{interrupted}: {told}>"

    def _first_wrong(self, arithmetic: Format) -> str:
        failure = self.first_failure(arithmetic)
        if not self.rows:
            return "not run"
        return "right" if failure is None else f"first wrong at length {len(failure.word):,}"


def collapse(
    network: Network | Runnable,
    words: Iterable[str | Sequence[object]],
    formats: Sequence[Format] = (FLOAT64, FLOAT32),
    *,
    max_steps: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Collapse:
    """Run `network` on every word exactly and in every format, and return where the formats collapse.

    Parameters
    ----------
    words : iterable of words
        They are run in this order; sorted by length, the table shows from which length on a format is wrong.
    formats : sequence of FloatFormat or FixedPoint
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    progress : callable, optional
        Called with the number of words done.

    Raises
    ------
    WordError, OptionError, UnsupportedArithmeticError
        As :func:`exactnn.run`; OptionError also if there is no format.

    Notes
    -----
    Ctrl-C returns the rows that are finished, with `complete` False.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> thirds = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> table = collapse(thirds, [[0], [1, 0]])
    >>> [row.divergences[0].step for row in table.rows]
    [None, 2]
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise OptionError(f"words={shown(words)}: give a sequence of words, such as ['a', 'ab']")
    if isinstance(formats, str) or not isinstance(formats, Sequence) or not formats:
        raise OptionError(f"formats={shown(formats)}: give a sequence of at least one format, such as [FLOAT32]")
    lockstep = Lockstep(network, formats)
    rows: list[CollapseRow] = []
    complete = True
    try:
        for word in words:
            divergences = lockstep.compare(word, max_steps=max_steps)
            first = divergences[0]
            if first.outcome is Outcome.INTERRUPTED:
                raise KeyboardInterrupt
            rows.append(
                CollapseRow(word=first.word, outcome=first.outcome, steps=first.steps, divergences=tuple(divergences))
            )
            if progress is not None:
                progress(len(rows))
    except KeyboardInterrupt:
        complete = False
    return Collapse(name=lockstep.network.name, formats=tuple(formats), rows=tuple(rows), complete=complete)

"""The collapse table: a family of words by formats that round, and where each goes wrong first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from exactnn.arithmetic import (
    FLOAT32,
    FLOAT64,
    AnyFormat,
    AnyFormats,
    Format,
    count_text,
    counted,
    exact_cell,
    format_of,
    formats_of,
    value_text,
)
from exactnn.automata import word_text, words_of_family
from exactnn.errors import OptionError, shown
from exactnn.files import DataTable
from exactnn.markup import Entry, Table, named
from exactnn.networks import AnyNetwork
from exactnn.options import callback, listed
from exactnn.outcome import Outcome
from exactnn.precision.compared_words import WORDS, given_or_own
from exactnn.precision.divergence import Divergence, Lockstep

__all__ = [
    "CRITERIA",
    "WHOLE_COLUMNS",
    "Collapse",
    "CollapseRow",
    "Criterion",
    "collapse",
    "collapse_table",
    "eos_steps",
    "format_cells",
    "word_texts",
]

Criterion = Literal["value", "configuration", "verdict"]
MOST_IN_REPR = 4
"""Formats that a repr tells of."""

CRITERIA: tuple[Criterion, ...] = ("value", "configuration", "verdict")

WHOLE_COLUMNS = frozenset(
    (
        *("n", "length", "precision", "exponent_bits", "steps", "eos_steps", "value_step", "value_bits"),
        *("configuration_step", "configuration_depth", "verdict_step"),
        *("words", "first_wrong_length", "first_wrong_step"),
    )
)
"""Columns of whole numbers, also where a table has none in them."""


class ShownRow(Protocol):
    """A row of a collapse table."""

    @property
    def word(self) -> tuple[object, ...]:
        """The word."""

    @property
    def outcome(self) -> Outcome:
        """The exact outcome."""

    @property
    def steps(self) -> int:
        """The steps of the exact run."""

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """What each format did."""


def collapse_table(
    rows: Sequence[ShownRow],
    formats: Sequence[Format],
    *,
    title: str,
    words: tuple[str, Sequence[str]] | None = None,
    note: str = "",
) -> Table:
    """Return the table of some formats, with the EOS steps T of each word where words are followed by EOS.

    Parameters
    ----------
    words : (str, sequence of str), optional
        What the column of words is called, and what stands in it.
    """
    word_heading, labels = words or ("word", [word_text(row.word) for row in rows])
    counts = [eos_steps(row) for row in rows]
    steps_heading, counts = ("T", counts) if any(counts) else ("steps", [row.steps for row in rows])
    groups = [(f"{arithmetic}\nwrong value at", "\nconf. at", "\nverdict") for arithmetic in formats]
    return Table(
        title=title,
        heading=("length", word_heading, "exactly", steps_heading, *(cell for group in groups for cell in group)),
        rows=tuple(
            (len(row.word), label, str(row.outcome), count, *_entries(row, formats))
            for row, label, count in zip(rows, labels, counts, strict=False)
        ),
        note=note,
        group=3,
    )


def _entries(row: ShownRow, formats: Sequence[Format]) -> Iterator[Entry]:
    for divergence in row.divergences:
        if divergence.arithmetic in formats:
            yield from divergence_entries(divergence)


def divergence_entries(found: Divergence) -> tuple[Entry, Entry, Entry]:
    """Return where the first wrong value and configuration are, and what is said instead of the verdict."""
    value, configuration, verdict = Entry("none"), Entry("none" if found.decoded else "-"), _agreed(found.outcome)
    if (wrong := found.value) is not None:
        told = f"step {count_text(wrong.step)}, {wrong.neuron}: exactly {value_text(wrong.exact, limit=200)}"
        value = Entry(
            f"{wrong.step:,} {wrong.neuron}", told=f"{told}, computed {value_text(wrong.computed, limit=200)}"
        )
    if (other := found.configuration) is not None:
        configuration = Entry(other.step, told=f"exactly {other.exact}; computed {other.computed}")
    if (said := found.verdict) is not None:
        early = f" at {said.step:,}" if said.exact is None and said.computed is not None else ""
        text = f"WRONG: {'silent' if said.computed is None else said.computed}{early}"
        told = (
            f"at step {count_text(said.step)} exactly {said.exact or 'not yet'}, computed {said.computed or 'not yet'}"
        )
        verdict = Entry(text, told=told, mark="wrong")
    return value, configuration, verdict


def _agreed(outcome: Outcome) -> Entry:
    """Return what is said of a verdict that both runs agree on, which may be that there is none."""
    if outcome in (Outcome.COMPLETED, Outcome.OUT_OF_DOMAIN):
        return Entry("-", told=outcome.sentence)
    if outcome.cut_short:
        text = "none yet" if outcome is not Outcome.BIT_LIMIT else "cannot be told"
        return Entry(text, told=outcome.sentence, mark="unsure")
    return Entry("right", mark="right")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapseRow:
    """One word: its exact outcome, and for every format where the rounded run leaves the exact one."""

    word: tuple[object, ...]
    outcome: Outcome
    steps: int
    divergences: tuple[Divergence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapse(DataTable):
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
    whole_columns: ClassVar[frozenset[str]] = WHOLE_COLUMNS

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each word and format; what there is not is None."""
        texts = word_texts(self)
        return [
            {"word": text} | _row(row, d) for row, text in zip(self.rows, texts, strict=True) for d in row.divergences
        ]

    def first_failure(self, arithmetic: AnyFormat, criterion: Criterion = "verdict") -> Divergence | None:
        """Return the divergence of the shortest word that goes wrong by `criterion`, or None if none does.

        Raises
        ------
        OptionError
            If the format is not one of the table's, or the criterion is unknown.
        """
        format = format_of(arithmetic)
        if format not in self.formats:
            raise OptionError(f"format {format} is not in this table: {', '.join(map(str, self.formats))}")
        if criterion not in CRITERIA:
            raise OptionError(f"criterion {shown(criterion)} is unknown: choose one of {', '.join(CRITERIA)}")
        column = self.formats.index(format)
        failures = [row.divergences[column] for row in self.rows if getattr(row.divergences[column], criterion)]
        return min(failures, key=lambda divergence: len(divergence.word), default=None)

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: where values, configurations and verdicts go wrong first."""
        note = "" if self.complete else "interrupted: these are the words that were finished"
        return collapse_table(self.rows, self.formats, title=self.name, note=note)

    def __repr__(self) -> str:
        parts = [f"{arithmetic} {self._first_wrong(arithmetic)}" for arithmetic in self.formats[:MOST_IN_REPR]]
        hidden = len(self.formats) - MOST_IN_REPR
        more = [counted(hidden, "more format")] if hidden > 0 else []
        interrupted = "" if self.complete else ", interrupted"
        told = "; ".join(parts + more)
        return f"<Collapse of {named(self.name)} on {counted(len(self.rows), 'word')}{interrupted}: {told}>"

    def _first_wrong(self, arithmetic: Format) -> str:
        failure = self.first_failure(arithmetic)
        if failure is not None:
            return f"first wrong at length {len(failure.word):,}"
        said = [_agreed(row.outcome) for row in self.rows]
        if not said or all(entry.text == "-" for entry in said):  # there are no verdicts: the numbers are all there is
            wrong = self.first_failure(arithmetic, "value")
            numbers = "numbers right" if wrong is None else f"numbers first wrong at length {len(wrong.word):,}"
            return numbers if said else "not run"
        unsure = sum(entry.mark == "unsure" for entry in said)
        if not any(entry.mark == "right" for entry in said):
            return "not decided"
        return "right" + (f", not decided on {counted(unsure, 'word')}" if unsure else "")


def eos_steps(row: ShownRow) -> int:
    """Return the number of EOS steps of the exact run: T, if it was decided."""
    return max(0, row.steps - len(row.word))


def word_texts(table: Collapse) -> list[str]:
    """Return the words as text: the symbols, with spaces between them if one has several characters.

    Vectors are written as the command line reads them, such as ``1,0 1/2,3``.
    """
    words = [[_symbol_text(symbol) for symbol in row.word] for row in table.rows]
    joint = "" if all(isinstance(a, str) and len(a) == 1 for row in table.rows for a in row.word) else " "
    return [joint.join(word) for word in words]


def _symbol_text(symbol: object) -> str:
    return ",".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol)


def format_cells(arithmetic: Format) -> dict[str, Any]:
    """Return the name of a format and its bits."""
    return {
        "format": str(arithmetic),
        "precision": getattr(arithmetic, "precision", None),
        "exponent_bits": getattr(arithmetic, "exponent_bits", None),
    }


def _row(row: CollapseRow, found: Divergence) -> dict[str, Any]:
    value, configuration, verdict = found.value, found.configuration, found.verdict
    return {
        "length": len(row.word),
        **format_cells(found.arithmetic),
        "outcome": str(row.outcome),
        "steps": row.steps,
        "eos_steps": eos_steps(row),
        "value_step": value and value.step,
        "value_neuron": value and value.neuron,
        "value_exact": value and exact_cell(value.exact),
        "value_computed": value and exact_cell(value.computed),
        "value_ulps": None if value is None or value.ulps is None else exact_cell(value.ulps),
        "value_bits": value and value.bits,
        "configuration_step": configuration and configuration.step,
        "configuration_exact": configuration and str(configuration.exact),
        "configuration_computed": configuration and str(configuration.computed),
        "configuration_depth": configuration and configuration.depth,
        "verdict_right": None if verdict is None and row.outcome.cut_short else verdict is None,
        "verdict_step": verdict and verdict.step,
        "verdict_exact": verdict and _said(verdict.exact),
        "verdict_computed": verdict and _said(verdict.computed),
    }


def _said(outcome: Outcome | None) -> str:
    return "not yet" if outcome is None else str(outcome)


def collapse(
    network: AnyNetwork,
    words: str | Iterable[str | Sequence[object]] | None = None,
    formats: AnyFormats = (FLOAT64, FLOAT32),
    *,
    n: Iterable[int] | int | None = None,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> Collapse:
    """Run `network` on every word exactly and in every format, and return where the formats collapse.

    Parameters
    ----------
    words : iterable of words, or a pattern, optional
        They are run in this order; sorted by length, the table shows from which length on a format is wrong. A pattern
        such as "a^n b^n" or "{ab}^2n", also in a list, stands for a word for each n. Of the name of a machine these are
        the words that its file expects to be accepted, or to make it halt, unless others are given.
    formats : sequence of FloatFormat or FixedPoint
    n : iterable of int or int, optional
        The n of a pattern; from 1 to 40 unless given.
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    max_seconds : float, optional
        Limit of the time per word; what was compared until then counts.
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
    >>> collapse("anbn", "a^n b^n", n=range(1, 31))
    <Collapse of siegelmann_sontag(anbn) on 30 words: float64 first wrong at length 18; float32 first wrong at length 8>
    """
    columns = formats_of(formats)
    callback("progress", progress)
    lockstep = Lockstep(network, columns)
    family = words_of_family(words, n, lockstep.network.input_symbols)
    cases = listed("words", given_or_own(network, family), WORDS)
    rows: list[CollapseRow] = []
    complete = True
    try:
        for word in cases:
            divergences = lockstep.compare(word, max_steps=max_steps, max_seconds=max_seconds)
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
    return Collapse(name=lockstep.network.name, formats=tuple(columns), rows=tuple(rows), complete=complete)

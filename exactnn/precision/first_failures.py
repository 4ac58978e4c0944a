"""From which word length on a precision is wrong: every length of a range is run, since being right is not monotone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor as Workers
from dataclasses import dataclass
from typing import Any

from exactnn.arithmetic import EXACT, AnyArithmetic, FloatFormat, Rounding, arithmetic_of, counted
from exactnn.automata import is_word_family, word_cell, word_of_family, word_text
from exactnn.errors import OptionError, SizeLimitError, shown
from exactnn.files import DataTable
from exactnn.markup import Entry, Table, named
from exactnn.networks import AnyNetwork, Network, Protocol, network_of, runnable_of
from exactnn.options import callback, choice, step_limit, whole_numbers
from exactnn.precision.collapse import CRITERIA, Criterion
from exactnn.precision.failure_judges import StatesOfWords, VerdictsOfWords, VerdictsOnCampaigns

__all__ = ["FirstFailures", "PrecisionFailures", "first_failures"]

Word = str | Sequence[object]
Judges = VerdictsOfWords | StatesOfWords | VerdictsOnCampaigns

MOST_IN_REPR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionFailures:
    """Where one precision goes wrong first.

    Parameters
    ----------
    precision : int
    some : int or None
        The first of the lengths at which a word is wrong; None if no word of any length is.
    every : int or None
        The first of the lengths at which all words are wrong. Longer words were not run.
    word : tuple or None
        The first wrong word of length `some`.
    wrong : tuple of int
        How many words are wrong, for each length that was run.
    """

    precision: int
    some: int | None
    every: int | None
    word: tuple[object, ...] | None
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFailures(DataTable):
    """The first failure of every precision of a range.

    Parameters
    ----------
    name : str
        Of the network.
    criterion : "value", "configuration" or "verdict"
    lengths : tuple of int
        All that were tried, in this order.
    rows : tuple of PrecisionFailures
        In the order of the precisions.
    complete : bool
        False if it was interrupted; what was found until then is here.
    """

    name: str
    criterion: Criterion
    lengths: tuple[int, ...]
    rows: tuple[PrecisionFailures, ...]
    complete: bool = True

    @property
    def some(self) -> dict[int, int | None]:
        """For each precision the first length at which a word is wrong: that of the worst word."""
        return {row.precision: row.some for row in self.rows}

    @property
    def every(self) -> dict[int, int | None]:
        """For each precision the first length at which all words are wrong: that of the best word as well."""
        return {row.precision: row.every for row in self.rows}

    def as_rows(self) -> list[dict[str, Any]]:
        """Return a row for each precision, with None where no length is wrong."""
        return [
            {
                "precision": row.precision,
                "some": row.some,
                "every": row.every,
                "word": word_cell(row.word),
                "lengths": len(row.wrong),
            }
            for row in self.rows
        ]

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: a row for each precision."""
        note = f"lengths {min(self.lengths):,} to {max(self.lengths):,}, {len(self.lengths):,} of them"
        return Table(
            title=f"{self.name}: first length with a wrong {self.criterion}",
            heading=("bits", "on some word", "on every word", "first wrong word"),
            rows=tuple(
                (
                    row.precision,
                    self._none(row) if row.some is None else Entry(row.some, mark="wrong"),
                    self._none(row).text if row.every is None else row.every,
                    "" if row.word is None else word_text(row.word),
                )
                for row in self.rows
            ),
            note=note if self.complete else f"{note}; interrupted",
        )

    def _none(self, row: PrecisionFailures) -> Entry:
        """Return that no length is wrong, or what is known of it where not all of them were run."""
        if len(row.wrong) == len(self.lengths):
            return Entry("none", mark="right")
        return Entry(f"none of {len(row.wrong):,} run", mark="unsure")

    def __repr__(self) -> str:
        tried = f"{counted(len(self.rows), 'precision')}, {counted(len(self.lengths), 'length')}"
        wrong = {p: length for p, length in self.some.items() if length is not None}
        first = ", ".join(f"{p} bits at {length:,}" for p, length in [*wrong.items()][:MOST_IN_REPR])
        more = f" and {len(wrong) - MOST_IN_REPR} more" if len(wrong) > MOST_IN_REPR else ""
        told = f"wrong first with {first}{more}" if wrong else "none is wrong"
        return f"<FirstFailures of {named(self.name)}, {tried}: {told}{', interrupted' * (not self.complete)}>"


def first_failures(
    network: AnyNetwork,
    words_of_length: Callable[[int], Word | Iterable[Word]] | str,
    precisions: Iterable[int] = range(2, 31),
    *,
    lengths: Iterable[int] = range(1, 33),
    exponent_bits: int = 10,
    rounding: Rounding | str = Rounding.NEAREST_EVEN,
    seed: int = 0,
    criterion: Criterion = "verdict",
    reference: AnyArithmetic = EXACT,
    max_steps: int | None = None,
    executor: Workers | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
) -> FirstFailures:
    """Run words of growing length exactly and in every precision of a range, and return where each is wrong first.

    Nothing is inferred: a length is right or wrong because it was run, and of lengths that are left out nothing is
    said. A precision is run until all words of a length are wrong.

    Parameters
    ----------
    words_of_length : callable or str
        From a length to one word, as text, or to several words; or a pattern, such as "a^n b^n". What is called the
        length is the caller's choice: here it is the number of a's.
    precisions : iterable of int
        Bits of the significand.
    lengths : iterable of int
        Those to try, in this order. A range that is too large may be thinned out, such as
        ``[2**k + d for k in range(20) for d in (-1, 0, 1)]``.
    exponent_bits : int
        Of every format; enough by default that exponents play no part.
    rounding : Rounding or str
    seed : int
        Of stochastic rounding.
    criterion : "value", "configuration" or "verdict"
        What has to be right: every number of every state, every decoded configuration, or the verdict and its step.
        Verdicts are much faster: only they run as long as a symbol repeats without a stop.
    reference : Arithmetic
        What verdicts are compared with. Where it is known that a wide format makes no rounding error, as in float64
        with integers below 2^53, that is as exact, and many times as fast on words of millions of symbols.
    max_steps : int, optional
        Limit of the network steps per word, for machines that do not halt.
    executor : concurrent.futures.Executor, optional
        Where the precisions of a length run, of verdicts on words of symbols; see :mod:`exactnn.campaigns`.
    store : str or path, optional
        Keep these in a file, and go on from there.
    progress : callable, optional
        Called with each length that is done.

    Raises
    ------
    WordError, UnsupportedArithmeticError
        As :func:`exactnn.run`.
    OptionError
        If there is no precision or no length, a length has no words, configurations are asked for of a network without
        a construction, verdicts of one that gives none, or states are to be compared with a reference that rounds;
        or an executor or a store is given for what is not verdicts on words of symbols.
    CheckpointError, CampaignError
        As :meth:`exactnn.campaigns.Campaign.run`; and if a unit of work fails, for lack of memory for instance.

    Notes
    -----
    Ctrl-C returns the lengths that are finished, with `complete` False. So does a word whose exact numbers become too
    long for the memory before its verdict.

    Examples
    --------
    A count between 0 and 1 needs a bit for every symbol, so that p bits are wrong from p + 1 on.

    >>> from exactnn.constructions import fractional_counter
    >>> found = first_failures(fractional_counter(), "a^n b^n", [4, 11, 24])
    >>> found.some
    {4: 5, 11: 12, 24: 25}
    """
    tried = whole_numbers("lengths", lengths, "at least one, such as range(1, 33)")
    columns = [
        _Column(FloatFormat(precision=p, exponent_bits=exponent_bits, rounding=rounding, seed=seed))
        for p in whole_numbers("precisions", precisions, "at least one, such as range(2, 31)")
    ]
    limit, reference = step_limit(max_steps), arithmetic_of(reference, "reference")
    callback("progress", progress)
    core = network_of(network)
    _check(network, criterion)
    judge: Judges
    if executor is not None or store is not None:
        if criterion != "verdict" or network_of(network).alphabet is None:
            raise OptionError("executor and store go with verdicts on words of symbols: leave them out")
        judge = VerdictsOnCampaigns(VerdictsOfWords(network, reference), executor, store)
    elif criterion == "verdict":
        judge = VerdictsOfWords(network, reference)
    elif isinstance(reference, FloatFormat):
        raise OptionError(f"reference={reference} with criterion {criterion!r}: only verdicts are compared with it")
    else:
        judge = StatesOfWords(network, criterion)
    complete = True
    try:
        for length in tried:
            active = [column for column in columns if column.every is None]
            if not active:
                break
            _try(length, _words(words_of_length, length, core), active, judge, limit)
            if progress is not None:
                progress(length)
    except (KeyboardInterrupt, SizeLimitError):
        complete = False
    return FirstFailures(
        name=core.name,
        criterion=criterion,
        lengths=tried,
        rows=tuple(column.row(core) for column in columns),
        complete=complete,
    )


class _Column:
    """What is known of one precision while the lengths go up."""

    def __init__(self, format: FloatFormat) -> None:
        self.format = format
        self.some: int | None = None
        self.every: int | None = None
        self.word: Word = ()
        self.wrong: list[int] = []

    def note(self, length: int, wrong: Sequence[Word], words: int) -> None:
        """Note the wrong words among those of a length."""
        self.wrong.append(len(wrong))
        if wrong and self.some is None:
            self.some, self.word = length, wrong[0]
        if len(wrong) == words:
            self.every = length

    def row(self, network: Network) -> PrecisionFailures:
        """Return it as a value."""
        return PrecisionFailures(
            precision=self.format.precision,
            some=self.some,
            every=self.every,
            word=None if self.some is None else network.written(network.inputs(self.word)),
            wrong=tuple(self.wrong),
        )


def _check(network: AnyNetwork, criterion: str) -> None:
    choice("criterion", criterion, CRITERIA)
    if criterion == "configuration" and isinstance(runnable_of(network), Network):
        raise OptionError("criterion 'configuration' with a mere network: give the construction that made it")
    if criterion == "verdict" and network_of(network).decision.protocol is Protocol.OUTPUTS:
        raise OptionError(
            "criterion 'verdict' with a network that gives outputs and no verdicts: give 'value', or its as_acceptor"
        )


def _words(words_of_length: Callable[[int], Word | Iterable[Word]] | str, length: int, network: Network) -> list[Word]:
    if isinstance(words_of_length, str) and is_word_family(words_of_length, network.input_symbols):
        return [word_of_family(words_of_length, length)]
    if not callable(words_of_length):
        known = "a function from a length to words, or a pattern such as 'a^n b^n'"
        raise OptionError(f"words_of_length={shown(words_of_length)}: give {known}")
    found = words_of_length(length)
    words: list[Word] = [found] if isinstance(found, str) else list(found)  # type: ignore[arg-type]
    if not words:
        raise OptionError(f"there are no words of length {length}: leave it out of lengths")
    return words


def _try(length: int, words: list[Word], columns: list[_Column], judge: Judges, limit: int | None) -> None:
    """Run all words of a length, and note what is wrong; nothing is noted of a length that is interrupted."""
    formats = [column.format for column in columns]
    rows = list(zip(words, judge.all_wrong(words, formats, limit), strict=True))
    for i, column in enumerate(columns):
        column.note(length, [word for word, wrong in rows if wrong[i]], len(words))

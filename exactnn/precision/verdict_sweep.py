"""Verdicts of many words of many lengths in many formats: how many are wrong, and on which word first."""

import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from exactnn.arithmetic import FloatFormat, Format, counted
from exactnn.automata import word_text
from exactnn.errors import OptionError
from exactnn.interrupts import Uninterrupted
from exactnn.markup import Entry, Table, Tabular, named
from exactnn.networks import Network, Protocol
from exactnn.options import callback, listed, step_limit, whole_number, whole_numbers
from exactnn.outcome import Outcome
from exactnn.precision.sweep_file import SweepFile
from exactnn.simulation import Executor, Runnable, executor_for, network_of, outcome_after, verdict_of
from exactnn.simulation.executors import exact_executor_for

__all__ = ["Judge", "SweptLength", "VerdictSweep", "sampled_words", "verdict_sweep"]

MOST_STEPS = 1 << 60
"""Steps after a word that the compiled loops count."""

Word = Sequence[int]
Truth = tuple[Outcome, int]
"""How the exact run of a word ends, and after how many steps."""

MOST_IN_REPR = 4
"""Formats that a repr tells of."""


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
        self.symbols = len(network.input_symbols or ())
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
        with Uninterrupted("loading numba"):  # only here, since that takes as long as all the rest
            from exactnn.simulation.word_batch import Words

        self.words = words
        self.ends = ends
        self.packed = Words([word[:steps] for word, (_, steps) in zip(words, ends, strict=True)])
        self.rests = [min(MOST_STEPS, max(0, steps - len(word))) for word, (_, steps) in zip(words, ends, strict=True)]


class _Column:
    """The runs in one format: many at once where they can be."""

    def __init__(self, network: Network, format: Format, stop: Any) -> None:
        with Uninterrupted("loading numba"):
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
                said = outcome_after(self.network, len(word), steps[n], outputs[n])
                mine = said or Outcome.STEP_LIMIT, steps[n]
            if mine != exact and (exact[0] is not Outcome.SIZE_LIMIT or mine != (Outcome.STEP_LIMIT, exact[1])):
                wrong.append(n)
        return wrong


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
        Words on which the exact run reached the limit of steps; a format is right on such a word if it reached it too.
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
class VerdictSweep(Tabular):
    """A table lengths by formats. `complete` is False if it was interrupted; the lengths until then are here."""

    name: str
    formats: tuple[Format, ...]
    lengths: tuple[SweptLength, ...]
    complete: bool = True

    def first_failure(self, arithmetic: Format) -> SweptLength | None:
        """Return the shortest length with a word on which a format is wrong, or None.

        Raises
        ------
        OptionError
            If the format is not one of the table's.
        """
        column = self._column(arithmetic)
        return min((entry for entry in self.lengths if entry.wrong[column]), key=lambda e: e.length, default=None)

    def safe_length(self, arithmetic: Format) -> int | None:
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
            yield f"exact runs without a verdict within the limit of steps: {undecided:,}"
        if not self.complete:
            yield "interrupted: these are the lengths that were finished"

    def __repr__(self) -> str:
        parts = []
        for arithmetic in self.formats[:MOST_IN_REPR]:
            failure = self.first_failure(arithmetic)
            parts.append(f"{arithmetic} {'right' if failure is None else f'first wrong at length {failure.length:,}'}")
        if len(self.formats) > MOST_IN_REPR:
            parts.append(f"{len(self.formats) - MOST_IN_REPR} more formats")
        sizes = f"{counted(len(self.lengths), 'length')}{', interrupted' * (not self.complete)}"
        return f"<VerdictSweep of {named(self.name)}, {sizes}: {'; '.join(parts)}>"

    def _column(self, arithmetic: Format) -> int:
        if arithmetic not in self.formats:
            raise OptionError(f"format {arithmetic} is not in this table: {', '.join(map(str, self.formats))}")
        return self.formats.index(arithmetic)


def _count(wrong: int, word: tuple[object, ...] | None) -> Entry:
    return Entry(wrong, told=f"first on {word_text(word)}", mark="wrong") if word is not None else Entry(wrong)


def verdict_sweep(
    network: Network | Runnable,
    lengths: Iterable[int],
    formats: Sequence[Format],
    *,
    words: int = 1000,
    seed: int = 0,
    max_steps: int | None = None,
    threads: int | None = None,
    file: str | os.PathLike[str] | None = None,
    progress: Callable[[int], object] | None = None,
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
    threads : int, optional
        Formats that are computed at once; by default as many as there are processors.
    file : str or path, optional
        Keep each length there when it is done, one line of JSON each, and go on from what is there.
    progress : callable, optional
        Called with the number of lengths done.

    Raises
    ------
    OptionError
        If there is no length or format, or the network does not take symbols or gives no verdicts.
    CheckpointError
        If `file` cannot be read or written, or is of another sweep.

    Notes
    -----
    Ctrl-C returns the lengths that are finished, with `complete` False.

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
    columns = listed("formats", formats, "a sequence of at least one format, such as [FLOAT32]", least=1)
    words, seed = whole_number("words", words, 1), whole_number("seed", seed, -(1 << 63), (1 << 64) - 1)
    workers = os.cpu_count() if threads is None else whole_number("threads", threads, 1, otherwise="None")
    callback("progress", progress)
    limit = step_limit(max_steps)
    judge = Judge(network_of(network), columns)
    store = None if file is None else SweepFile(file, judge.network, columns, words, seed, limit)
    done = {} if store is None else {entry["length"]: SweptLength(**entry) for entry in store.read()}
    found = []
    complete = True
    try:
        with ThreadPoolExecutor(workers) as pool, judge.stopping():
            for length in wanted:
                entry = done.get(length)
                if entry is None:
                    entry = _swept(judge, pool, length, words, seed, limit)
                    if store is not None:
                        store.append(entry)
                found.append(entry)
                if progress is not None:
                    progress(len(found))
    except KeyboardInterrupt:
        complete = False
    return VerdictSweep(name=judge.network.name, formats=tuple(columns), lengths=tuple(found), complete=complete)


def sampled_words(symbols: int, length: int, words: int, seed: int) -> tuple[list[tuple[int, ...]], bool]:
    """Return all words of a length over so many symbols, or some at random; and whether they are all.

    >>> sampled_words(2, 2, 9, 0)
    ([(0, 0), (0, 1), (1, 0), (1, 1)], True)
    """
    if symbols <= 1 or (length * symbols.bit_length() < 64 and symbols**length <= words):
        return list(product(range(symbols), repeat=length)), True
    rng = random.Random(f"{seed} {length}")
    return [tuple(rng.choices(range(symbols), k=length)) for _ in range(words)], False


def _swept(
    judge: Judge, pool: ThreadPoolExecutor, length: int, words: int, seed: int, limit: int | None
) -> SweptLength:
    drawn, every = sampled_words(judge.symbols, length, words, seed)
    truths = judge.exact(drawn, limit)
    wrong = list(pool.map(lambda column: judge.wrong(column, truths), range(len(judge.formats))))
    return SweptLength(
        length=length,
        words=len(drawn),
        every=every,
        steps=max((steps for _, steps in truths.ends), default=0),
        undecided=sum(outcome.cut_short for outcome, _ in truths.ends),
        wrong=tuple(map(len, wrong)),
        examples=tuple(_examples(judge, drawn, wrong)),
    )


def _examples(
    judge: Judge, drawn: Sequence[tuple[int, ...]], wrong: Sequence[Sequence[int]]
) -> Iterator[tuple[object, ...] | None]:
    for numbers in wrong:
        yield judge.network.written(list(drawn[numbers[0]])) if numbers else None

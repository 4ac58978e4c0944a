"""The report of what formats do to a network on some words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from exactnn.arithmetic import AnyFormat, Format, count_text, counted, format_of
from exactnn.automata import word_text
from exactnn.errors import OptionError
from exactnn.files import DataTable, Rows
from exactnn.markup import Entry, Table, clipped, named
from exactnn.options import choice
from exactnn.outcome import Outcome
from exactnn.precision.lockstep import narrow_for
from exactnn.precision.measured import MEASURES, Said
from exactnn.precision.order_parting import Orders, Parting

__all__ = ["CheckedFormat", "Flip", "FormatReport", "LargestError", "Margin", "Word"]

Measure = Literal["absolute", "relative", "ulps"]
Word = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestError:
    """The largest error of a format on some words, by one measure.

    Parameters
    ----------
    number : int
        Of the word among those that were run, from 0 on.
    word : tuple
    step : int
        After how many steps the number is in the state.
    neuron : str
    exact, computed : float
        The true number and the format's, as the nearest float64.
    absolute, relative, ulps : float or None
        How large the error is at most, rounded up to a float64: as a number; divided by the true number; divided by the
        distance between the format's numbers at the true one. None where an enclosure does not tell, or the true number
        is 0; infinite where the computed number is infinite or NaN.
    """

    number: int
    word: Word = field(repr=False)
    step: int
    neuron: str
    exact: float
    computed: float
    absolute: float
    relative: float | None
    ulps: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A word on which a format decides otherwise.

    Parameters
    ----------
    number : int
        Of the word among those that were run, from 0 on.
    word : tuple
    step : int
        Of the first decision that is wrong.
    exact, computed : int or str
        The two decisions there: the number of the largest output; "above" or "not above"; or an outcome.
    count : int
        How many decisions are wrong on the word.
    last : bool
        Whether the last decision is wrong.
    """

    number: int
    word: Word = field(repr=False)
    step: int
    exact: Said
    computed: Said
    count: int
    last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The narrowest decision of the true runs.

    Parameters
    ----------
    value : float
        How far the largest output is above the next one, or the output from its threshold, at least.
    number : int
        Of the word among those that were run, from 0 on.
    word : tuple
    step : int
    """

    value: float
    number: int
    word: Word = field(repr=False)
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFormat:
    """What a format does on the words.

    Parameters
    ----------
    arithmetic : Format
    worst : tuple of LargestError or None
        The largest error by each measure: absolute, relative, in ulps.
    by_step : tuple of (float or None)
        Entry t is the largest absolute error of a number after t steps, of all words; None where one is not finite.
    flips : tuple of Flip
        In the order of the words.
    partings, parted_decisions : tuples of Parting
        Where the orders of training and of inference part, in numbers and in decisions: one for each word on which they
        do, in the order of the words.
    """

    arithmetic: Format
    worst: tuple[LargestError | None, ...]
    by_step: tuple[float | None, ...]
    flips: tuple[Flip, ...]
    partings: tuple[Parting, ...] = ()
    parted_decisions: tuple[Parting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatReport(DataTable):
    """What formats do to a network on some words.

    Parameters
    ----------
    name : str
        Of the network.
    decision : "argmax", "threshold", "protocol" or None
    words : int
        How many were run.
    decisions, untold : int
        Decisions of the true runs, and how many of them the enclosures do not tell.
    unfinished : tuple of (word, Outcome)
        Words whose true run came to no end within the limits; what was compared until then counts.
    margin : Margin or None
        The narrowest decision.
    formats : tuple of CheckedFormat
    complete : bool
        False if Ctrl-C came first; the words that were run until then are here.
    orders : pair of EvaluationOrder, or None
        Those of training and of inference, where one was given; without an order of training it is None.
    """

    name: str
    decision: str | None
    words: int
    decisions: int
    untold: int
    unfinished: tuple[tuple[Word, Outcome], ...]
    margin: Margin | None
    formats: tuple[CheckedFormat, ...]
    complete: bool = True
    orders: Orders | None = None

    def _of(self, arithmetic: AnyFormat) -> CheckedFormat:
        format = format_of(arithmetic)
        found = next((found for found in self.formats if found.arithmetic == format), None)
        if found is None:
            checked = ", ".join(str(found.arithmetic) for found in self.formats)
            raise OptionError(f"format {format} was not checked: {checked}")
        return found

    def worst(self, arithmetic: AnyFormat, by: Measure = "absolute") -> LargestError | None:
        """Return the largest error of a format; None if all of its numbers are right.

        Parameters
        ----------
        arithmetic : format
        by : "absolute", "relative" or "ulps"
            By which measure it is the largest.

        Raises
        ------
        OptionError
            If the format was not checked, or the measure is unknown.
        """
        choice("by", by, MEASURES)
        return self._of(arithmetic).worst[MEASURES.index(by)]

    def flips(self, arithmetic: AnyFormat) -> tuple[Flip, ...]:
        """Return the words on which a format decides otherwise; raises OptionError if it was not checked."""
        return self._of(arithmetic).flips

    def partings(self, arithmetic: AnyFormat) -> tuple[Parting, ...]:
        """Return where the orders of training and of inference part on each word on which they do, in numbers.

        Raises
        ------
        OptionError
            If the format was not checked, or no order of training was given.
        """
        return self._in_two_orders(arithmetic).partings

    def parted_decisions(self, arithmetic: AnyFormat) -> tuple[Parting, ...]:
        """Return the words on which the two orders decide otherwise; raises OptionError as :meth:`partings`."""
        return self._in_two_orders(arithmetic).parted_decisions

    def _in_two_orders(self, arithmetic: AnyFormat) -> CheckedFormat:
        if not self._compares_orders:
            raise OptionError("orders were not compared: give check_format a training_order")
        return self._of(arithmetic)

    @property
    def _compares_orders(self) -> bool:
        return self.orders is not None and self.orders[0] is not None

    def sentence(self, arithmetic: AnyFormat) -> str:
        """Return in words whether a format breaks the network; raises OptionError if it was not checked."""
        return self._sentence(self._of(arithmetic))

    @property
    def _told(self) -> int:
        """How many decisions the true runs made."""
        return self.decisions - self.untold

    def _sentence(self, found: CheckedFormat) -> str:
        if self.decision is None:
            return "no decision was asked for: give decision 'threshold'"
        words, parts = counted(self.words, "word"), []
        endless = sum(outcome is not Outcome.BIT_LIMIT for _, outcome in self.unfinished)
        if found.flips:
            parts.append(f"differs on {len(found.flips):,} of {words}")
        elif self._told and not self.unfinished:
            parts.append(f"safe on {'these ' * (self.words > 1)}{words}")
        elif self._told:
            parts.append(f"safe in {counted(self._told, 'decision')} on {words}")
        elif not self.untold:
            parts.append(f"nothing is decided on {words}")
        if self.untold:
            bits = narrow_for([found.arithmetic for found in self.formats]).most_bits
            which = f"{self.untold:,} of {counted(self.decisions, 'decision')} " if parts else ""
            parts.append(f"{which}cannot be told at {bits:,} bits")
        if endless:
            parts.append(f"{counted(endless, 'word')} came to no end")
        return "; ".join(parts)

    def as_rows(self) -> Rows:
        """Return a row for each format: its decisions, and its largest errors with their places."""
        rows: list[dict[str, Any]] = []
        for found in self.formats:
            row: dict[str, Any] = {
                "format": str(found.arithmetic),
                "words": self.words,
                "decisions": self.decisions,
                "untold": self.untold,
                "flipped_words": len(found.flips),
                "flips": sum(flip.count for flip in found.flips),
                "first_flipped_word": found.flips[0].number if found.flips else None,
                "first_flip_step": found.flips[0].step if found.flips else None,
            }
            for measure, worst in zip(MEASURES, found.worst, strict=True):
                row[f"largest_{measure}"] = None if worst is None else getattr(worst, measure)
                for name in ("number", "step", "neuron"):
                    row[f"{measure}_{'word' if name == 'number' else name}"] = worst and getattr(worst, name)
            if self.orders is not None:
                training, inference = self.orders
                row |= {"training_order": training and repr(training), "inference_order": repr(inference)}
            if self._compares_orders:
                for what, partings in (("parted", found.partings), ("decided", found.parted_decisions)):
                    first = partings[0] if partings else None
                    row[f"{what}_words"] = len(partings)
                    row[f"first_{what}_word"] = first and first.number
                    row[f"first_{what}_step"] = first and first.step
                    if what == "parted":
                        row["parted_neuron"] = first and first.neuron
                    row |= {f"{what}_{name}": first and getattr(first, name) for name in ("training", "inference")}
            rows.append(row)
        return rows

    def as_table(self) -> Table:
        """Return what notebooks and terminals show: a row for each format."""
        notes = []
        if (margin := self.margin) is not None:
            where = f"step {count_text(margin.step)} of {_word_text(margin.number, margin.word)}"
            notes.append(f"the narrowest decision has a margin of {margin.value:.3g}, at {where}")
        if self.unfinished:
            word, outcome = self.unfinished[0]
            what = f"{clipped(word_text(word), 40)}: {outcome}"
            notes.append(f"{counted(len(self.unfinished), 'true run')} came to no end, such as {what}")
        if not self.complete:
            notes.append("interrupted: these are the words until then")
        heading = ["format", "decisions", "largest error", "relative", "ulps", "at", "first wrong word"]
        title = f"{self.name} on {counted(self.words, 'word')}"
        title += "" if self.decision is None else f", decided by {self.decision}"
        if self.orders is not None:
            training, inference = self.orders
            title += f", in the order {inference!r}"
            if training is not None:
                title += f", beside {training!r}"
                heading += ["orders part", f"first number: {training!r} / {inference!r}", "first decision"]
        return Table(
            title=title,
            heading=tuple(heading),
            rows=tuple(self._row(found) for found in self.formats),
            note="; ".join(notes),
        )

    def _row(self, found: CheckedFormat) -> tuple[object, ...]:
        worst, relative, ulps = found.worst
        unsure = self.untold or self.unfinished or not self._told
        mark = "wrong" if found.flips else "" if self.decision is None else "unsure" if unsure else "right"
        flip = found.flips[0] if found.flips else None
        return (
            str(found.arithmetic),
            Entry(self._sentence(found), mark=mark),
            "0" if worst is None else f"{worst.absolute:.3g}",
            "-" if relative is None or relative.relative is None else f"{relative.relative:.3g}",
            "-" if ulps is None or ulps.ulps is None else f"{ulps.ulps:.3g}",
            "" if worst is None else f"step {count_text(worst.step)}, {worst.neuron}",
            "" if flip is None else Entry(_word_text(flip.number, flip.word), told=_flip_text(flip)),
            *(self._orders_part(found) if self._compares_orders else ()),
        )

    def _orders_part(self, found: CheckedFormat) -> Iterator[Entry]:
        """Return on how many words the orders part, and where first: in a number, and in a decision."""
        count, decided = len(found.partings), len(found.parted_decisions)
        sentence = f"on {count:,} of {counted(self.words, 'word')}" if count else "nowhere"
        sentence += f"; {counted(decided, 'word')} decided otherwise" if decided else ""
        yield Entry(sentence, mark="wrong" if decided else "unsure" if count else "right")
        for partings in (found.partings, found.parted_decisions):
            yield Entry(_parting_text(partings[0]) if partings else "")

    def __repr__(self) -> str:
        parts = "; ".join(f"{found.arithmetic} {self._sentence(found)}" for found in self.formats[:4])
        more = f"; {counted(len(self.formats) - 4, 'more format')}" if len(self.formats) > 4 else ""
        return f"<FormatReport of {named(self.name)}{'' if self.complete else ', interrupted'}: {parts}{more}>"


def _word_text(number: int, word: Word) -> str:
    """Return a word, or which one it is if it is made of vectors."""
    return clipped(word_text(word), 30) if all(isinstance(a, str) for a in word) else f"word {number}"


def _parting_text(parting: Parting) -> str:
    neuron = "" if parting.neuron is None else f", {parting.neuron}"
    where = f"{_word_text(parting.number, parting.word)} at step {count_text(parting.step)}{neuron}"
    both = (f"{x:.6g}" if isinstance(x, float) else str(x) for x in (parting.training, parting.inference))
    return f"{where}: {' / '.join(both)}"


def _flip_text(flip: Flip) -> str:
    said = f"at step {count_text(flip.step)} exactly {flip.exact}, computed {flip.computed}"
    return f"{_word_text(flip.number, flip.word)}: {said}"

"""A collapse table as it is shown: a row for each word, three columns for each format."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from exactnn.arithmetic import Format, count_text, value_text
from exactnn.automata import word_text
from exactnn.markup import Entry, Table
from exactnn.outcome import Outcome
from exactnn.precision.divergence import Divergence

__all__ = ["ShownRow", "collapse_table", "divergence_entries"]


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
    steps: tuple[str, Sequence[int]] | None = None,
    note: str = "",
) -> Table:
    """Return the table of some formats.

    Parameters
    ----------
    words : (str, sequence of str), optional
        What the column of words is called, and what stands in it.
    steps : (str, sequence of int), optional
        What the column of steps is called, and what stands in it.
    """
    word_heading, labels = words or ("word", [word_text(row.word) for row in rows])
    steps_heading, counts = steps or ("steps", [row.steps for row in rows])
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
    if outcome in (Outcome.STEP_LIMIT, Outcome.INTERRUPTED):
        return Entry("none yet", told=outcome.sentence, mark="unsure")
    return Entry("right", mark="right")

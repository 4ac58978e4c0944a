"""A collapse table for people: the table, a sentence for each format and criterion, the first wrong verdicts."""

from collections.abc import Sequence

import click

from exactnn.arithmetic import Format, count_text, counted
from exactnn.cli.configuration_difference import configuration_difference
from exactnn.cli.output import console, emit, fits
from exactnn.cli.subject import Subject
from exactnn.cli.text import digits_text, shortened
from exactnn.cli.words import Case
from exactnn.markup import Table, printable
from exactnn.networks import Protocol
from exactnn.outcome import Outcome
from exactnn.precision import Collapse, Divergence, ValueDivergence, collapse_table, eos_steps

__all__ = ["emit_collapse"]

_WHAT = {"value": "values", "configuration": "configurations", "verdict": "verdicts"}


def emit_collapse(subject: Subject, cases: Sequence[Case], table: Collapse) -> None:
    """Print the table, what it says in sentences, and the first wrong verdict of each format."""
    drawn = [_table(subject, cases, table, table.formats)]
    if len(table.formats) > 1 and not fits(drawn[0]):
        drawn = [_table(subject, cases, table, (arithmetic,)) for arithmetic in table.formats]
    for one in drawn:
        emit(one)
    if not table.complete:
        click.echo(f"Interrupted after {len(table.rows)} of {len(cases)} words; what was computed until then is here.")
    click.echo()
    for arithmetic in table.formats:
        for criterion, what in _WHAT.items():
            if _is_compared(subject, criterion):
                click.echo(f"{arithmetic}, {what}: {_sentence(cases, table, arithmetic, criterion)}")
    for arithmetic in table.formats:
        _emit_detail(cases, table, arithmetic)


def _table(subject: Subject, cases: Sequence[Case], table: Collapse, formats: Sequence[Format]) -> Table:
    """Return the table of these formats."""
    title = f"{shortened(subject.name, 60)}: {counted(subject.network.neurons, 'neuron')}"
    if subject.construction is not None:
        title += f", by {subject.construction.name}"
    patterns = {case.pattern for case in cases}
    family = patterns.pop() if len(patterns) == 1 else None
    if family is None:
        words = "word", [case.label for case in cases]
    else:
        words = shortened(family), [f"n = {case.n}" for case in cases]
    steps = ("T", [eos_steps(row) for row in table.rows]) if subject.network.decision.protocol.reads_eos else None
    return collapse_table(table.rows, formats, title=title, words=words, steps=steps)


def _is_compared(subject: Subject, criterion: str) -> bool:
    if criterion == "configuration":
        return subject.construction is not None
    return criterion != "verdict" or subject.network.decision.protocol is not Protocol.OUTPUTS


def _sentence(cases: Sequence[Case], table: Collapse, arithmetic: Format, criterion: str) -> str:
    found = table.first_failure(arithmetic, criterion)  # type: ignore[arg-type]
    if not table.rows:
        return "no word was finished."
    undecided = sum(row.outcome is Outcome.STEP_LIMIT for row in table.rows)
    if found is None and criterion == "verdict" and undecided:
        return f"none is wrong on {counted(len(table.rows), 'word')}, {undecided:,} of them without one so far."
    if found is None:
        return f"all right on these {len(table.rows)} words." if len(table.rows) != 1 else "right on this word."
    part = getattr(found, criterion)
    text = f"first wrong at length {len(found.word):,} ({_case(cases, table, found).label}), at step {part.step:,}"
    if criterion == "verdict":
        said = "says nothing" if part.computed is None else f"says {part.computed}"
        return f"{text}: it {said}, the exact run {'nothing yet' if part.exact is None else f'says {part.exact}'}."
    return text + "."


def _case(cases: Sequence[Case], table: Collapse, found: Divergence) -> Case:
    """Return the case in whose row a divergence stands."""
    return next(c for c, row in zip(cases, table.rows, strict=False) if any(d is found for d in row.divergences))


def _emit_detail(cases: Sequence[Case], table: Collapse, arithmetic: Format) -> None:
    """Print how the shortest word with a wrong verdict came to it."""
    found = table.first_failure(arithmetic, "verdict")
    if found is None:
        return
    target = console()
    click.echo(f"\nHow {arithmetic} goes wrong on {_case(cases, table, found).label} (length {len(found.word):,}):")
    if found.value is not None:
        click.echo(f"  step {found.value.step:,}: neuron {printable(found.value.neuron)!r}")
        bits = found.value.exact.denominator.bit_length()
        size = f"…, a fraction of {bits} bits" if bits > 60 else ""
        click.echo(f"    exactly   {digits_text(found.value.exact)}{size}")
        click.echo(f"    computed  {digits_text(found.value.computed)}{_error(found.value, arithmetic)}")
    if found.configuration is not None:
        depth = found.configuration.depth
        where = "" if depth is None else f", {count_text(depth)} cells from the head" if depth else ", under the head"
        click.echo(f"  step {found.configuration.step:,}: the configuration{where}")
        for line in configuration_difference(found.configuration.exact, found.configuration.computed):
            target.print(line, soft_wrap=True)
    if found.verdict is not None:
        exact, computed = (_said(outcome) for outcome in (found.verdict.exact, found.verdict.computed))
        click.echo(f"  step {found.verdict.step:,}: the verdict\n    exactly   {exact}\n    computed  {computed}")


def _error(found: ValueDivergence, arithmetic: Format) -> str:
    """Return the error in units in the last place, and how many bits there should have been."""
    bits = "no number of bits holds the exact value" if found.bits is None else f"the exact value has {found.bits} bits"
    if arithmetic.parameters.rounded(found.exact) == found.exact:
        bits += " and fits: something on the way did not"
    if found.ulps is None:
        return f"  ({bits})"
    return f"  (off by {float(found.ulps):.3g} ulp; {bits})" if found.ulps < 10**300 else f"  (far off; {bits})"


def _said(outcome: Outcome | None) -> str:
    return "not yet" if outcome is None else str(outcome)

"""The ledger: the errata of all sources, run when they are asked for, and the page on them."""

import re
from collections.abc import Iterable

from exactnn.corrections import (
    depth_of_networks,
    expressive_power,
    lecture_slides,
    textbook_lemmas,
    textbook_real_weights,
    textbook_turing_machines,
    unitary_networks,
)
from exactnn.corrections.erratum import Entry, Errata, Erratum
from exactnn.errors import OptionError, shown
from exactnn.options import entries

__all__ = ["ENTRIES", "errata", "errata_page"]

ENTRIES: dict[str, Entry] = {
    entry.id: entry
    for entry in sorted(
        (
            *textbook_turing_machines.ENTRIES,
            *textbook_lemmas.ENTRIES,
            *textbook_real_weights.ENTRIES,
            *lecture_slides.ENTRIES,
            *expressive_power.ENTRIES,
            *depth_of_networks.ENTRIES,
            *unitary_networks.ENTRIES,
        ),
        key=lambda entry: int(entry.id[1:]),
    )
}
"""By id. A source has one file or more, an entry one small function there."""

_HEAD = """\
# Errata, run

What the sources of the constructions say and what comes out when it is executed exactly, each on the smallest
counterexample known. This page is what `exactnn errata --markdown` (10 s) prints, and a test compares them;
`exactnn errata` and `exactnn.errata()` run the counterexamples again. [Sources](sources.md) tells which construction
rests on what.
"""


def errata(ids: str | Iterable[str] | None = None) -> Errata:
    """Return the errata, each run: what the statement gives as it stands, and what the corrected one gives.

    Parameters
    ----------
    ids : str or iterable of str, optional
        Which ones, as in "E1"; by default all.

    Raises
    ------
    OptionError
        If there is no such erratum, or none that can be run.

    Examples
    --------
    >>> (top,) = errata("E20")
    >>> top.literal_outcome, top.corrected_outcome
    ('top(empty) = 0, top(0) = 0', '#0 is rejected, 0#0 is accepted')
    """
    if ids is not None and not isinstance(ids, str | Iterable):
        raise OptionError(f"ids={shown(ids)}: give ids of errata, as in 'E1'")
    wanted = list(ENTRIES) if ids is None else [ids] if isinstance(ids, str) else entries("ids", ids)
    if unknown := [name for name in wanted if not isinstance(name, str) or name not in ENTRIES]:
        raise OptionError(f"erratum {shown(unknown[0])} is unknown: choose one of {', '.join(ENTRIES)}")
    return Errata(ENTRIES[name].run() for name in wanted)


def errata_page(found: Iterable[Erratum]) -> str:
    """Return errata as a page in Markdown."""
    return "\n".join([_HEAD, *map(_section, found)])


def _section(erratum: Erratum) -> str:
    lines = [f"- **{name.capitalize()}**: {_escaped(text)}" for name, text in erratum.fields().items()]
    return "\n".join([f"## {erratum.id}: {erratum.title}", "", *lines, ""])


def _escaped(text: str) -> str:
    """Return text in which nothing is taken for Markdown."""
    return re.sub(r"([*_\[\]<>|`])", r"\\\1", text)

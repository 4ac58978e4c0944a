"""``exactnn compare``: whether two machines or networks say the same of every word, or a shortest witness that not."""

from typing import Any

import click

from exactnn.cli.arguments import (
    WholeNumber,
    construction_option,
    json_option,
    max_bytes_option,
    max_seconds_option,
    max_states_option,
)
from exactnn.cli.automaton_text import label_data, label_text, word_text
from exactnn.cli.by_acceptance import by_option, check_acceptance
from exactnn.cli.compared import Compared, load_compared
from exactnn.cli.output import emit_fields, emit_json
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.progress import search_progress, working
from exactnn.equivalence import Equivalence, equivalent
from exactnn.errors import OptionError, shown
from exactnn.version import __version__

__all__ = ["command"]


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@by_option("What of words is compared")
@click.option("--max-length", type=WholeNumber(0), metavar="N", help="Compare words of up to N symbols only.")
@max_states_option
@max_bytes_option
@max_seconds_option
@click.option(
    "--max-steps",
    type=WholeNumber(0),
    default=100_000,
    show_default=True,
    metavar="N",
    help="Moves of a Turing machine, or EOS steps of an exact network, on one word.",
)
@construction_option
@json_option
def command(
    first: str,
    second: str,
    by: str,
    max_length: int | None,
    max_states: int,
    max_bytes: int,
    max_seconds: float | None,
    max_steps: int,
    construction: str | None,
    as_json: bool,
) -> int:
    """Decide whether A and B say the same of every word, or find a shortest word on which they differ.

    Each is M or M@FORMAT. A machine M is itself, by its definition; M@float16 is its network in float16, M@exact its
    network in exact arithmetic. A network file M is meant exactly. Machines and exact networks may have no end of
    states: then "equal" cannot be decided, only up to a length, and the search ends by a limit or by Ctrl-C.
    """
    with working("compiling"):
        one, other = load_compared(first, construction), load_compared(second, construction)
    for side in (one, other):
        if side.network is not None:
            check_acceptance(side.network.network, by)
    if construction is not None and not one.is_compiled and not other.is_compiled:
        raise OptionError(f"--construction {shown(construction)}: nothing is compiled: write M@FORMAT or M@exact")
    with search_progress(lambda length, pairs: f"words of length {length:,}, {pairs:,} pairs of states") as meter:
        found = equivalent(
            one.subject,
            other.subject,
            by=by,
            max_length=max_length,
            max_states=max_states,
            max_bytes=max_bytes,
            max_seconds=max_seconds,
            max_steps=max_steps,
            progress=meter,
        )
    if as_json:
        emit_json(_record(one, other, by, found))
    else:
        _report(one, other, by, found)
    return LIMIT_REACHED if found.equal is None else 0


def _record(one: Compared, other: Compared, by: str, found: Equivalence) -> dict[str, Any]:
    return {
        "a": one.record(),
        "b": other.record(),
        "by": by,
        "equal": found.equal,
        "witness": None if found.witness is None else list(found.witness),
        "labels": None if found.labels is None else [label_data(label) for label in found.labels],
        "bound": found.bound,
        "reason": found.reason,
        "pairs": found.pairs,
        "seconds": found.seconds,
        "exactnn": __version__,
    }


def _report(one: Compared, other: Compared, by: str, found: Equivalence) -> None:
    fields = {"A": one.describe(), "B": other.describe(), "compared": _what(by), "equal": _answer(found)}
    if found.witness is not None and found.labels is not None:
        symbols = sorted(set(found.witness))
        fields["witness"] = (
            f"{word_text(found.witness, symbols, 200)} (length {len(found.witness):,}){_shortest(found)}"
        )
        fields |= {f"{side} says": label_text(label) for side, label in zip("AB", found.labels, strict=True)}
    emit_fields(fields | {"time": f"{found.seconds:.3g} s, {found.pairs:,} pair{'s' * (found.pairs != 1)} of states"})


def _what(by: str) -> str:
    return "whether words are accepted" if by == "acceptance" else "how words end, and what outputs are"


def _answer(found: Equivalence) -> str:
    if found.equal is None:
        return f"not decided: {found.reason}; {_up_to(found.bound)}"
    if found.equal:
        return "yes: they say the same of every word, whatever its length"
    return "no"


def _up_to(bound: int | None) -> str:
    if bound is None or bound < 0:
        return "no word was compared"
    return f"they say the same of all words of up to {bound:,} symbol{'s' * (bound != 1)}"


def _shortest(found: Equivalence) -> str:
    """Return that the witness is a shortest one, if that is known."""
    assert found.witness is not None
    if found.bound == len(found.witness) - 1:
        return ", and no shorter word tells them apart"
    return f"; of some shorter word it is not known what is said within the limits, {_up_to(found.bound)}"

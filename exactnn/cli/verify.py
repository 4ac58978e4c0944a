"""``exactnn verify``: check a certificate with the independent checker, and say what it proves."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import gmpy2

from exactnn.certificates import CheckedRun, check_certificate, load_certificate
from exactnn.cli.arguments import json_option
from exactnn.cli.output import console, emit_fields, emit_json
from exactnn.cli.text import number_text, printable, shortened
from exactnn.version import __version__

__all__ = ["command"]

MOST_DIGITS = 4000
"""Digits up to which a number of steps is printed in decimal; longer ones are hexadecimal text in JSON."""


@click.command("verify")
@click.argument("file", metavar="FILE")
@json_option
def command(file: str, as_json: bool) -> None:
    """Check the certificate FILE of a run: that its network halts, accepts or rejects after exactly so many steps.

    The checker is short, computes in plain rationals, and shares no code with the engine that made the certificate.
    """
    began = time.perf_counter()
    with _meter() as progress:
        checked = check_certificate(load_certificate(file), progress=progress)
    record = _record(file, checked, time.perf_counter() - began)
    if as_json:
        emit_json(record)
        return
    word = shortened(" ".join(checked.word), 60) or "the empty word"
    name = shortened(record["network"], 60)
    emit_fields(
        {
            "verified": printable(file),
            "network": f"{name}: {record['neurons']:,} neurons, {record['weights']:,} weights",
            "word": f"{word} (length {len(checked.word):,})",
            "outcome": f"{checked.outcome!s}: {checked.outcome.sentence}",
            "steps": f"{_text(checked.steps)} network steps, T = {_text(checked.eos_steps)} of them on EOS",
            "proof": f"{checked.edges:,} edges, {checked.rules:,} rules, {checked.legs:,} pieces of path",
            "time": f"{record['seconds']:.3g} s",
        }
    )


def _record(file: str, checked: CheckedRun, seconds: float) -> dict[str, Any]:
    return {
        "file": file,
        "verified": True,
        "network": checked.network.name,
        "neurons": checked.network.neurons,
        "weights": checked.network.circuit.weights,
        "word": list(checked.word),
        "outcome": str(checked.outcome),
        "sentence": checked.outcome.sentence,
        "verdict": checked.verdict,
        "steps": _json_number(checked.steps),
        "eos_steps": _json_number(checked.eos_steps),
        "edges": checked.edges,
        "rules": checked.rules,
        "legs": checked.legs,
        "seconds": seconds,
        "exactnn": __version__,
    }


def _short(number: int) -> bool:
    return number.bit_length() < 3 * MOST_DIGITS


def _json_number(number: int) -> int | str:
    return number if _short(number) else hex(number)


def _text(number: int) -> str:
    return f"{number:,}" if _short(number) else number_text(gmpy2.mpq(number))


@contextmanager
def _meter() -> Iterator[Callable[[str], object] | None]:
    """Give a function that shows what is being checked on standard error; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with console(stderr=True).status("reading") as status:
        yield lambda text: status.update(f"checking: {text}")

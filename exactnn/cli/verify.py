"""``exactnn verify``: check a certificate of a run or of an automaton, and say what it proves."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from exactnn.arithmetic import count_text, counted
from exactnn.certificates import CheckedRun, check_certificate, load_certificate
from exactnn.cli.arguments import json_option
from exactnn.cli.checked_automaton import emit_automaton
from exactnn.cli.output import console, emit_fields, emit_json
from exactnn.cli.text import shortened
from exactnn.equivalence import CheckedAutomaton, check_extraction
from exactnn.equivalence.closure_certificate import FORMAT as AUTOMATON
from exactnn.markup import printable
from exactnn.version import __version__

__all__ = ["command"]


@click.command("verify")
@click.argument("file", metavar="FILE")
@json_option
def command(file: str, as_json: bool) -> None:
    """Check the certificate FILE of a run or of an automaton, and say what it proves.

    Of a run: that its network halts, accepts or rejects after exactly so many steps. Of an automaton: that words lead
    its network in a format to exactly so many states, and how each of them ends.

    The checkers are short and compute in plain rationals. That of runs shares no code with the engine that made the
    certificate; that of automata takes every step from every state again, by the reference executors.
    """
    began = time.perf_counter()
    with _meter() as progress:
        data = load_certificate(file)
        checked = (check_extraction if data["format"] == AUTOMATON else check_certificate)(data, progress=progress)
    seconds = time.perf_counter() - began
    if isinstance(checked, CheckedAutomaton):
        emit_automaton(file, checked, seconds, as_json=as_json)
    else:
        _emit_run(file, checked, seconds, as_json=as_json)


def _emit_run(file: str, checked: CheckedRun, seconds: float, *, as_json: bool) -> None:
    """Print what was proven of a run."""
    record = _record(file, checked, seconds)
    if as_json:
        emit_json(record)
        return
    word = shortened(" ".join(checked.word), 60) or "the empty word"
    name = shortened(record["network"], 60)
    emit_fields(
        {
            "verified": printable(file),
            "network": f"{name}: {counted(record['neurons'], 'neuron')}, {counted(record['weights'], 'weight')}",
            "word": f"{word} (length {len(checked.word):,})",
            "outcome": f"{checked.outcome!s}: {checked.outcome.sentence}",
            "steps": f"{counted(checked.steps, 'network step')}, T = {count_text(checked.eos_steps)} of them on EOS",
            "proof": f"{counted(checked.edges, 'edge')}, {counted(checked.rules, 'rule')}, "
            + counted(checked.legs, "piece of path", "pieces of path"),
            "time": f"{record['seconds']:.3g} s",
        }
    )


def _record(file: str, checked: CheckedRun, seconds: float) -> dict[str, Any]:
    return {
        "file": file,
        "verified": True,
        "certificate": "run",
        "network": checked.network.name,
        "neurons": checked.network.neurons,
        "weights": checked.network.circuit.weights,
        "word": list(checked.word),
        "outcome": str(checked.outcome),
        "sentence": checked.outcome.sentence,
        "verdict": checked.verdict,
        "steps": checked.steps,
        "eos_steps": checked.eos_steps,
        "edges": checked.edges,
        "rules": checked.rules,
        "legs": checked.legs,
        "seconds": seconds,
        "exactnn": __version__,
    }


@contextmanager
def _meter() -> Iterator[Callable[[str], object] | None]:
    """Give a function that shows what is being checked on standard error; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with console(stderr=True).status("reading") as status:
        yield lambda text: status.update(f"checking: {text}")

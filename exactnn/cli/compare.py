"""``exactnn compare``: whether two machines or networks say the same of every word, or a shortest witness that not."""

from dataclasses import dataclass
from typing import Any

import click

from exactnn.arithmetic import EXACT, Arithmetic, EnclosingArithmetic, counted
from exactnn.automata import Machine, ValuedMachine, kind_of
from exactnn.cli.arguments import (
    WholeNumber,
    check_acceptance,
    construction_option,
    json_option,
    max_bytes_option,
    max_seconds_option,
    max_states_option,
    run_arithmetic_named,
)
from exactnn.cli.automaton_text import label_data, label_text, word_text
from exactnn.cli.completion import propose_machines
from exactnn.cli.printing import emit_fields, emit_json, search_progress, shortened, working
from exactnn.cli.program import LIMIT_REACHED
from exactnn.cli.subject import Subject, load_subject
from exactnn.equivalence import Equivalence, equivalent
from exactnn.equivalence.moore_machines import parts_of_name
from exactnn.errors import OptionError, shown
from exactnn.machine_files import load_file
from exactnn.networks import names_network
from exactnn.simulation.smooth_units import true_arithmetic
from exactnn.version import __version__

__all__ = ["command"]

_KINDS = {
    "dfa": "a DFA",
    "moore_machine": "a Moore machine",
    "mealy_machine": "a Mealy machine",
    "multi_tape_turing_machine": "a Turing machine of several tapes, run by its definition",
    "turing_machine": "a Turing machine, run by its definition",
    "stack_machine": "a stack machine, run by its definition",
    "pushdown_automaton": "a pushdown automaton, run as a stack machine",
    "counter_machine": "a counter machine, run by its definition",
    "weighted_automaton": "a weighted automaton",
    "weighted_pushdown_automaton": "a weighted pushdown automaton",
}


_COMPARED = {
    "outcome": "how words end, and what outputs are",
    "acceptance": "whether words are accepted",
    "value": "the values of words",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One of the two: a machine by itself, or a network, compiled or from a file, in an arithmetic."""

    text: str
    name: str
    machine: Machine | None = None
    network: Subject | None = None
    arithmetic: Arithmetic | EnclosingArithmetic = EXACT

    @property
    def is_compiled(self) -> bool:
        """Whether a construction made the network."""
        return self.network is not None and self.network.file is not None

    @property
    def subject(self) -> Any:
        """What :func:`exactnn.equivalent` takes."""
        return self.machine if self.network is None else (self.network.runnable, self.arithmetic)

    def describe(self) -> str:
        """Return what it is for people."""
        name = shortened(self.name, 60)
        if self.network is None:
            assert self.machine is not None
            return f"{name}, {_KINDS[kind_of(self.machine)]}"
        made = self.network.construction
        what = f"{name}'s network by {made.name}" if made and self.is_compiled else f"the network {name}"
        return f"{what} ({counted(self.network.network.neurons, 'neuron')}) in {self.arithmetic}"

    def record(self) -> dict[str, Any]:
        """Return what it is as JSON data."""
        made = None if self.network is None else self.network.construction
        return {
            "given": self.text,
            "machine": self.name,
            "kind": "network" if self.machine is None else kind_of(self.machine),
            "construction": made.name if made else None,
            "arithmetic": None if self.network is None else str(self.arithmetic),
            "neurons": None if self.network is None else self.network.network.neurons,
        }


def load_compared(text: str, construction: str | None) -> Compared:
    """Return what `text` names: a machine is itself, with @FORMAT its network; a network is meant exactly.

    Raises
    ------
    ExactnnError
        If there is no such machine, file or format, or the construction does not fit.
    """
    source, at, format = parts_of_name(text)
    given = run_arithmetic_named(format, "the arithmetic after @,") if at else None
    if names_network(source):
        network = load_subject(source, None)
    elif at:
        network = load_subject(source, construction)
    else:
        file = load_file(source)
        return Compared(text=text, name=file.name, machine=file.machine)
    return Compared(text=text, name=network.name, network=network, arithmetic=given or true_arithmetic(network.network))


@click.command("compare")
@click.argument("first", metavar="A", shell_complete=propose_machines)
@click.argument("second", metavar="B", shell_complete=propose_machines)
@click.option(
    "--by",
    type=click.Choice(["outcome", "acceptance", "value"]),
    default="outcome",
    show_default=True,
    help="What of words is compared: how they end, whether they are accepted, or their value: of a network it is the "
    "output after the word and of a DFA 1 or 0. With a weighted automaton, with or without a stack, it is the value.",
)
@click.option("--max-length", type=WholeNumber(0), metavar="N", help="Compare words of up to N symbols only.")
@max_states_option(default=20_000_000, show_default=True, help="States that may be found.")
@max_bytes_option
@max_seconds_option
@click.option(
    "--max-steps",
    type=WholeNumber(0),
    default=100_000,
    show_default=True,
    metavar="N",
    help="Moves of a machine, or EOS steps of an exact network, on one word. It is part of the question: what is said "
    "later counts as not known, and the answer says so.",
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
    network in exact arithmetic. A network file M is meant exactly; with sigmoid, tanh and the like each word has a
    certified run. Machines and exact networks may have no end of states: then "equal" cannot be decided, only up to a
    length, and the search ends by a limit or by Ctrl-C.
    """
    with working("compiling"):
        one, other = load_compared(first, construction), load_compared(second, construction)
    for side in (one, other):
        if side.network is not None:
            check_acceptance(side.network.network, by)
    if construction is not None and not one.is_compiled and not other.is_compiled:
        raise OptionError(f"--construction {shown(construction)}: nothing is compiled: write M@FORMAT or M@exact")
    if any(isinstance(side.machine, ValuedMachine) for side in (one, other)) and by == "outcome":
        by = "value"
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
    fields = {"A": one.describe(), "B": other.describe(), "compared": _COMPARED[by], "equal": _answer(found)}
    if found.witness is not None and found.labels is not None:
        symbols = sorted(set(found.witness))
        fields["witness"] = (
            f"{word_text(found.witness, symbols, 200)} (length {len(found.witness):,}){_shortest(found)}"
        )
        fields |= {f"{side} says": label_text(label) for side, label in zip("AB", found.labels, strict=True)}
    emit_fields(fields | {"time": f"{found.seconds:.3g} s, {counted(found.pairs, 'pair')} of states"})


def _answer(found: Equivalence) -> str:
    if found.equal is None:
        return f"not decided: {found.reason}; {_up_to(found.bound)}"
    if found.equal:
        return "yes: they say the same of every word, whatever its length"
    return "no"


def _up_to(bound: int | None) -> str:
    if bound is None or bound < 0:
        return "no word was compared"
    return f"they say the same of all words of up to {counted(bound, 'symbol')}"


def _shortest(found: Equivalence) -> str:
    """Return that the witness is a shortest one, if that is known."""
    assert found.witness is not None
    if found.bound == len(found.witness) - 1:
        return ", and no shorter word tells them apart"
    return f"; of some shorter word it is not known what is said within the limits, {_up_to(found.bound)}"

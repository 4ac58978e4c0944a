"""``exactnn show``: a machine with its transition table and its networks, or a network file."""

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, assert_never

import click
from click.core import ParameterSource

from exactnn.arithmetic import counted
from exactnn.automata import (
    DFA,
    CounterMachine,
    Machine,
    MealyMachine,
    MooreMachine,
    MultiTapeTuringMachine,
    PushdownAutomaton,
    StackMachine,
    TuringMachine,
    WeightedAutomaton,
    WeightedPushdownAutomaton,
    is_probabilistic,
    kind_of,
    minimal_weighted,
    total_weight,
)
from exactnn.cli.arguments import TimeLimit, construction_option, json_option, machine_argument
from exactnn.cli.automaton_text import number_texts, transition_rows
from exactnn.cli.output_files import check_new_files, force_option
from exactnn.cli.printing import emit, emit_fields, emit_json, one_line, shortened, working
from exactnn.cli.program import LIMIT_REACHED, NOT_AS_EXPECTED
from exactnn.cli.subject import Subject, load_subject, named_subject
from exactnn.constructions import Construction, compile, constructions_for
from exactnn.errors import ConstructionError, LargeNetworkWarning, OptionError, shown
from exactnn.machine_files import MachineFile, disagreements, load_file, write_dot, write_yaml, zoo_names, zoo_path
from exactnn.markup import printable
from exactnn.networks import names_network, step_formulas

__all__ = ["command", "construction_fields", "construction_record"]

_TAPES = {"semi_infinite": "semi-infinite", "two_way_infinite": "two-way infinite"}


@click.command("show")
@machine_argument
@construction_option
@click.option("--dot", is_flag=True, help="Print the machine as a graph in Graphviz' DOT language instead.")
@click.option("--plot", metavar="FILE", help="Draw the machine as a graph besides: .png, .svg or .pdf.")
@force_option
@click.option("--yaml", is_flag=True, help="Print the machine as a machine file, to keep and change, instead.")
@click.option("--check", is_flag=True, help="Run what the machine file expects and print what differs instead.")
@click.option(
    "--seconds",
    type=TimeLimit(),
    default=60.0,
    metavar="S",
    help="With --check: stop the runs after S seconds, 60 unless given, or none for no limit.",
)
@click.option("--weights", is_flag=True, help="Print the network's step with all its weights instead.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    machine: str,
    construction: str | None,
    seconds: float | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    **instead: bool,
) -> int:
    """Show M: what it is, its transition table, and for each construction the network that it compiles to."""
    options = [f"--{name}" for name, given in instead.items() if given] + ["--json"] * as_json
    if len(options) > 1:
        raise OptionError(f"{options[0]} and {options[1]}: leave one out")
    if not instead["check"] and ctx.get_parameter_source("seconds") is not ParameterSource.DEFAULT:
        raise OptionError("--seconds is how long the runs of --check may take: give --check too")
    if plot is not None:
        _draw(machine, plot, replace=force)
    if options and not as_json:
        text, code = shown_instead(machine, options[0], construction, max_seconds=seconds)
        click.echo(text, nl=False)
        return code
    if names_network(machine):
        record = _network_record(named_subject(machine, construction))
        if as_json:
            emit_json(record)
        else:
            emit_fields({key.replace("_", " "): printable(_text(value)) for key, value in record.items()})
        return 0
    file = load_file(machine)
    compiled = _compiled(file.machine, construction)
    if as_json:
        record = _machine_record(file)
        emit_json(record | {"constructions": [entry.record() for entry in compiled]})
    else:
        _emit_machine(file, compiled)
    return 0


def _draw(source: str, path: str, *, replace: bool) -> None:
    from exactnn.plots import check_picture_file, plot_machine, save_picture

    check_picture_file(path)
    check_new_files([("--plot", path)], force=replace)
    if names_network(source):
        raise OptionError(f"--plot: {shown(source)} is a network, and --plot draws a machine")
    save_picture(plot_machine(load_file(source).machine), path, replace=replace)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    """A construction's name, and what it made of the machine or why it refused."""

    name: str
    construction: Construction | None
    refusal: str = ""

    def record(self) -> dict[str, Any]:
        if self.construction is None:
            return {"construction": self.name, "refusal": self.refusal}
        return construction_record(self.construction)


def construction_record(construction: Construction) -> dict[str, Any]:
    """Return what is to say of a construction, as JSON data."""
    circuit = construction.network.circuit
    return {
        "construction": construction.name,
        "neurons": construction.network.neurons,
        "weights": circuit.weights,
        "weight_field": construction.weight_field,
        "steps_per_move": construction.steps_per_move,
        "halting_time": construction.halting_time,
        "claim": construction.claim,
        "citation": construction.citation,
    }


def construction_fields(record: dict[str, Any]) -> dict[str, str]:
    """Return the same for people."""
    return {
        "construction": record["construction"],
        "neurons": f"{record['neurons']:,}",
        "weights": f"{record['weights']:,} (not zero), in {record['weight_field']}",
        "halting time": record["halting_time"],
        "claim": record["claim"],
        "source": record["citation"],
    }


def _compiled(machine: Machine, only: str | None) -> list[_Compiled]:
    """Return the networks of a machine; one that takes long to build is left out, unless it is the one asked for."""
    if only is not None:
        return [_Compiled(name=only, construction=compile(machine, construction=only))]
    found = []
    for name in constructions_for(machine):
        with working(f"compiling by {name}"), warnings.catch_warnings():
            warnings.simplefilter("error", LargeNetworkWarning)
            try:
                found.append(_Compiled(name=name, construction=compile(machine, construction=name)))
            except ConstructionError as error:
                found.append(_Compiled(name=name, construction=None, refusal=str(error)))
            except LargeNetworkWarning as warning:
                refusal = f"{warning}: --construction {name} builds it all the same"
                found.append(_Compiled(name=name, construction=None, refusal=refusal))
    return found


def _machine_record(file: MachineFile) -> dict[str, Any]:
    machine = file.machine
    record: dict[str, Any] = {
        "machine": file.name,
        "kind": kind_of(machine),
        "format": file.format,
        "notes": list(file.notes),
        "title": file.title,
        "description": file.description,
        "source": file.source,
        "states": [str(q) for q in machine.states],
        "input_symbols": list(machine.input_symbols),
    }
    return record | _parts(machine) | {"transitions": transition_rows(machine)}


def _parts(machine: Machine) -> dict[str, Any]:
    """Return what a machine of its kind has besides states and transitions."""
    match machine:
        case DFA():
            parts: dict[str, Any] = {"final_states": [str(q) for q in machine.final_states]}
        case MooreMachine():
            parts = {"outputs": {str(q): str(output) for q, output in machine.outputs.items()}}
        case MealyMachine():
            outputs = machine.outputs.items()
            parts = {"outputs": {str(q): {a: str(output) for a, output in row.items()} for q, row in outputs}}
        case TuringMachine() | MultiTapeTuringMachine():
            tape = {"tape_symbols": list(machine.tape_symbols), "blank_symbol": machine.blank_symbol}
            parts = tape | {"tape": machine.tape} | _halting(machine)
            if isinstance(machine, MultiTapeTuringMachine):
                parts["tapes"] = machine.tapes
        case PushdownAutomaton():
            return {
                "states": [str(q) for q in machine.control_states],
                "initial_state": str(machine.first_state),
                "stack_symbols": list(machine.pushed_symbols),
                "initial_stack_symbol": machine.initial_stack_symbol,
                "final_states": [str(q) for q in machine.final_states],
                "acceptance": machine.acceptance,
            }
        case StackMachine():
            parts = {"stack_symbols": list(machine.stack_symbols), "stacks": machine.stacks} | _halting(machine)
        case CounterMachine():
            acceptance = [[str(q), "".join(map(str, mask))] for q, mask in machine.acceptance]
            parts = {"counters": machine.counters, "acceptance": acceptance}
        case WeightedAutomaton():
            least = minimal_weighted(machine).size
            return {"initial": number_texts(machine.initial), "final": number_texts(machine.final), "least_size": least}
        case WeightedPushdownAutomaton():
            final = [[str(q), str(top), str(weight)] for (q, top), weight in machine.final.items()]
            return {"stack_symbols": list(map(str, machine.stack_symbols)), "final": final}
        case _:
            assert_never(machine)
    return {"initial_state": str(machine.initial_state)} | parts


def _halting(machine: TuringMachine | MultiTapeTuringMachine | StackMachine) -> dict[str, str | None]:
    states = ((f"{role}_state", getattr(machine, f"{role}_state")) for role in ("accept", "reject", "halt"))
    return {key: None if state is None else str(state) for key, state in states}


def _network_record(subject: Subject) -> dict[str, Any]:
    network, made = subject.network, subject.construction
    circuit = network.circuit
    claim = {} if made is None else {"claim": made.claim, "citation": made.citation}
    return {
        "network": network.name,
        "neurons": network.neurons,
        "units": circuit.units,
        "layers": len(circuit.layers),
        "weights": circuit.weights,
        "activations": circuit.activations,
        "outputs": len(network.readout),
        "input_size": circuit.input_size,
        "alphabet": None if network.alphabet is None else list(network.alphabet),
        "protocol": str(network.decision.protocol),
    } | claim


def _text(value: object) -> str:
    if value is None:
        return "none: words are vectors of numbers"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _emit_machine(file: MachineFile, compiled: list[_Compiled]) -> None:
    machine = file.machine
    fields = {
        "machine": shortened(file.name, 200),
        "kind": "",
        "title": one_line(file.title),
        "description": one_line(file.description),
        "source": one_line(file.source),
        "format": "" if file.format == "YAML" else file.format,
        "notes": printable("; ".join(file.notes)),
        "alphabet": printable(" ".join(machine.input_symbols)) or "empty: it runs on the empty word only",
    }
    emit_fields(fields | _kind_fields(machine))
    click.echo()
    emit(machine.as_table())
    if not compiled:
        click.echo()
        how = "nondeterministic_stack_rnn makes one, in Python; exactnn run sums the weights of all runs"
        if isinstance(machine, MultiTapeTuringMachine):
            how = "its stack machine compiles, in Python: from_turing_machine(machine).machine"
        emit_fields({"networks": how})
    for entry in compiled:
        click.echo()
        _emit_construction(entry)


def _kind_fields(machine: Machine) -> dict[str, str]:
    """Return of what kind a machine is, and what it has of that."""
    match machine:
        case DFA():
            return {"kind": "DFA"}
        case MooreMachine():
            return {"kind": "Moore machine"}
        case MealyMachine():
            return {"kind": "Mealy machine"}
        case TuringMachine() | MultiTapeTuringMachine():
            tape = f"{_TAPES[machine.tape]}, blank {printable(machine.blank_symbol)}"
            tape = f"{tape}, symbols {printable(' '.join(machine.tape_symbols))}"
            if isinstance(machine, MultiTapeTuringMachine):
                return {"kind": f"Turing machine with {machine.tapes} tapes", "tapes": tape}
            return {"kind": "Turing machine", "tape": tape}
        case PushdownAutomaton():
            symbols, bottom = printable(" ".join(machine.pushed_symbols)), machine.initial_stack_symbol
            stack = f"symbols {symbols}, at first {printable(bottom) or 'empty'}"
            return {"kind": "pushdown automaton", "stack": stack, "accepts by": machine.acceptance}
        case StackMachine():
            stacks = f"{machine.stacks}, symbols {printable(' '.join(machine.stack_symbols))}"
            return {"kind": "stack machine", "stacks": stacks}
        case CounterMachine():
            accepted = "  ".join(f"{q} {''.join(map(str, mask))}" for q, mask in machine.acceptance)
            accepts = printable(accepted) or "nothing"
            return {"kind": "counter machine", "counters": str(machine.counters), "accepts with": accepts}
        case WeightedAutomaton():
            least = minimal_weighted(machine).size
            size = f"{counted(machine.size, 'state')}, " + ("the least" if least == machine.size else f"least {least}")
            fields = {"kind": "weighted automaton", "size": size}
            if is_probabilistic(machine):
                fields["sum"] = f"{total_weight(machine)}, of all values; the weights are probabilities"
            return fields
        case WeightedPushdownAutomaton():
            bottom = f"{printable(' '.join(map(str, machine.stack_symbols)))}, the first at the bottom"
            ends = shortened(machine.ends_text, 200)
            return {"kind": "weighted pushdown automaton", "stack symbols": bottom, "ends in": ends}
        case _:
            assert_never(machine)


def _emit_construction(entry: _Compiled) -> None:
    if entry.construction is None:
        emit_fields({"construction": entry.name, "refused": printable(entry.refusal)})
        return
    emit_fields(construction_fields(entry.record()))


def shown_instead(
    source: str, option: str, construction: str | None, *, max_seconds: float | None = None
) -> tuple[str, int]:
    """Return what `option`, one of ``--dot``, ``--yaml``, ``--check`` and ``--weights``, shows of `source`.

    The second value is the exit code: of ``--check`` it is 4 if a run is not as expected, and else 3 if one did not
    come to its end before `max_seconds` were over.

    Raises
    ------
    OptionError
        If the option is of machines, and `source` is a network or a construction is named.

    Examples
    --------
    >>> shown_instead("parity", "--check", None)
    ('7 runs, all as expected\\n', 0)
    """
    if option == "--weights":
        return _lines(printable(line) for line in step_formulas(load_subject(source, construction).network)), 0
    if construction is not None:
        raise OptionError(f"{option} and --construction: {option} shows the machine alone, leave one out")
    if names_network(source):
        raise OptionError(f"{option}: {shown(source)} is a network, and {option} shows a machine")
    if option == "--yaml" and source in zoo_names():
        return zoo_path(source).read_text(encoding="utf-8"), 0
    file = load_file(source)
    if option == "--yaml":
        return write_yaml(file), 0
    return (write_dot(file.machine), 0) if option == "--dot" else _expectations_checked(file, max_seconds)


def _expectations_checked(file: MachineFile, max_seconds: float | None) -> tuple[str, int]:
    """Return what the direct interpreter finds otherwise than `file` expects, and the exit code."""
    if not file.expectations:
        return "nothing is expected: the file has no key 'expect:'\n", 0
    end = inf if max_seconds is None else time.monotonic() + max_seconds
    lines, wrong, unknown = [], 0, 0
    for expectation in file.expectations:
        found = disagreements(file.machine, expectation, max_seconds=max(0, end - time.monotonic()))
        unknown += found is None
        wrong += bool(found)
        if found:
            lines.append(printable(f"{shown(' '.join(expectation.word))}: {'; '.join(found)}"))
    late = f"; {counted(unknown, 'run')} did not end in time (--seconds)" if unknown else ""
    found_of_all = f"{wrong} not" if wrong else "none otherwise than" if unknown else "all"
    lines.append(f"{counted(len(file.expectations), 'run')}, {found_of_all} as expected{late}")
    return _lines(iter(lines)), NOT_AS_EXPECTED if wrong else LIMIT_REACHED if unknown else 0


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)

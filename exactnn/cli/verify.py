"""``exactnn verify``: check a certificate of a run or of an automaton, and say what it proves."""

import time
from collections.abc import Callable
from typing import Any

import click

from exactnn.arithmetic import ARITHMETICS, Arithmetic, count_text, counted
from exactnn.certificates import CheckedRun, check_certificate, load_certificate
from exactnn.cli.arguments import StepLimit, construction_option, json_option
from exactnn.cli.automaton_text import label_rows, labels_text, states_text
from exactnn.cli.printing import emit_fields, emit_json, line_progress, shortened
from exactnn.cli.subject import Subject, load_subject
from exactnn.equivalence import CheckedAutomaton, check_extraction
from exactnn.equivalence.closure_certificate import FORMAT as AUTOMATON
from exactnn.errors import OptionError, shown
from exactnn.markup import printable
from exactnn.networks import Network, Protocol
from exactnn.version import __version__
from exactnn.work import DEFAULT_BUDGET

__all__ = ["command"]

Progress = Callable[[str], object]

UNPROVEN = "the name is what the file says: nothing is proven about it"


@click.command("verify")
@click.argument("file", metavar="FILE")
@click.option("--machine", metavar="M", help="Prove too that the network is that of M.")
@construction_option
@click.option("--word", metavar="WORD", help="Refuse a certificate of a run on another word.")
@click.option(
    "--budget",
    type=StepLimit(),
    default=DEFAULT_BUDGET,
    show_default=True,
    metavar="N",
    help="Refuse a check that takes more than N units of work: a number such as 10^9, or none for no bound.",
)
@json_option
def command(
    file: str, machine: str | None, construction: str | None, word: str | None, budget: int | None, as_json: bool
) -> None:
    """Check the certificate FILE of a run or of an automaton, and say what it proves.

    Of a run: that its network halts, accepts or rejects after exactly so many steps, or never does. Of an automaton:
    that words lead its network in a format to exactly so many states, and how each of them ends.

    Whose network that is, the file does not prove, whatever name it gives it. With --machine it is compared with the
    network that M compiles to, number by number.

    The checkers are short and compute in plain rationals. That of runs shares no code with the engine that made the
    certificate; that of automata takes every step from every state again, by the reference executors. A small file may
    ask for much work, which is counted in units that are the same on every machine; the default takes about a minute.
    """
    if construction is not None and machine is None:
        raise OptionError("--construction is how M compiles: give --machine M too")
    began = time.perf_counter()
    subject = None if machine is None else load_subject(machine, construction)
    with line_progress("reading") as shown:
        network = None if subject is None else subject.network
        checked = _checked(file, network, word, budget, lambda text: shown(lambda: f"checking: {text}"))
    seconds = time.perf_counter() - began
    if isinstance(checked, CheckedAutomaton):
        emit_automaton(file, checked, subject, seconds, as_json=as_json)
    else:
        _emit_run(file, checked, subject, seconds, as_json=as_json)


def _checked(
    file: str, network: Network | None, word: str | None, budget: int | None, progress: Progress
) -> CheckedRun | CheckedAutomaton:
    """Return what the certificate proves, of the network and the word if they are given."""
    data = load_certificate(file)
    if data["format"] != AUTOMATON:
        return check_certificate(data, network=network, word=word, budget=budget, progress=progress)
    if word is not None:
        raise OptionError(f"--word is for certificates of runs: {shown(file)} is one of an automaton")
    return check_extraction(data, network=network, budget=budget, progress=progress)


def _emit_run(file: str, checked: CheckedRun, subject: Subject | None, seconds: float, *, as_json: bool) -> None:
    """Print what was proven of a run."""
    if as_json:
        emit_json(_record(file, checked, subject, seconds))
        return
    word = shortened(" ".join(checked.word), 60) or "the empty word"
    emit_fields(
        {
            "verified": printable(file),
            **network_fields(checked.network, subject),
            "word": f"{word} (length {len(checked.word):,})",
            "outcome": f"{checked.outcome!s}: {checked.outcome.sentence}",
            "steps": f"{counted(checked.steps, 'network step')}, T = {count_text(checked.eos_steps)} of them on EOS",
            "proof": f"{counted(checked.edges, 'edge')}, {counted(checked.rules, 'rule')}, "
            + counted(checked.legs, "piece of path", "pieces of path"),
            "time": f"{seconds:.3g} s, {counted(checked.work, 'unit')} of work",
        }
    )


def _record(file: str, checked: CheckedRun, subject: Subject | None, seconds: float) -> dict[str, Any]:
    return {
        "file": file,
        "verified": True,
        "certificate": "run",
        **network_record(checked.network, subject),
        "word": list(checked.word),
        "outcome": str(checked.outcome),
        "sentence": checked.outcome.sentence,
        "verdict": checked.verdict,
        "steps": checked.steps,
        "eos_steps": checked.eos_steps,
        "edges": checked.edges,
        "rules": checked.rules,
        "legs": checked.legs,
        "work": checked.work,
        "seconds": seconds,
        "exactnn": __version__,
    }


def network_record(network: Network, subject: Subject | None) -> dict[str, Any]:
    """Return what is known of the network of a certificate, as JSON data.

    Parameters
    ----------
    network : Network
    subject : Subject, optional
        Whose network it was proven to be.
    """
    return {
        "network": subject.network.name if subject else network.name,
        "network_note": "" if subject else UNPROVEN,
        **(subject.origin if subject else {"machine": None, "construction": None}),
        "machine_proven": subject is not None,
        "neurons": network.neurons,
        "weights": network.circuit.weights,
    }


def network_fields(network: Network, subject: Subject | None) -> dict[str, str]:
    """Return the same for people."""
    sizes = f"{counted(network.neurons, 'neuron')}, {counted(network.circuit.weights, 'weight')}"
    if subject is None:
        name = f"{shortened(network.name, 60)}; {UNPROVEN} (--machine M proves whose network it is)"
        return {"network": sizes, "name": name}
    of = shortened(subject.name, 60)
    whose = f"that of {of} by {subject.construction.name}" if subject.construction else f"{of} itself, from its file"
    return {
        "network": f"{shortened(subject.network.name, 60)}: {sizes}",
        "proven": f"the network is {whose}: all its numbers, its alphabet and its protocol are the same",
    }


def emit_automaton(
    file: str, checked: CheckedAutomaton, subject: Subject | None, seconds: float, *, as_json: bool
) -> None:
    """Print what was proven of an automaton, and whose network that is if it was proven too."""
    network = checked.network
    if as_json:
        emit_json(
            {
                "file": file,
                "verified": True,
                "certificate": "automaton",
                **network_record(network, subject),
                "arithmetic": str(checked.arithmetic),
                "states": checked.states,
                "eos_states": checked.eos_states,
                "labels": label_rows(checked.labels),
                "work": checked.work,
                "seconds": seconds,
                "exactnn": __version__,
            }
        )
        return
    outputs = network.decision.protocol is Protocol.OUTPUTS
    emit_fields(
        {
            "verified": printable(file),
            **network_fields(network, subject),
            "arithmetic": _arithmetic_text(checked.arithmetic),
            "states": states_text(checked.states, checked.eos_states),
            "outputs" if outputs else "words end": labels_text(checked.labels),
            "proof": "every step from every state was taken again in rationals: no word leads anywhere else",
            "time": f"{seconds:.3g} s, {counted(checked.work, 'unit')} of work",
        }
    )


def _arithmetic_text(arithmetic: Arithmetic) -> str:
    """Return an arithmetic by its name, and what it is where a stranger's name for it need not say so.

    >>> from exactnn.arithmetic import FLOAT16, FloatFormat
    >>> _arithmetic_text(FLOAT16), _arithmetic_text(FloatFormat(precision=4, exponent_bits=5, name="float16"))
    ('float16', "float16: FloatFormat(precision=4, exponent_bits=5, name='float16')")
    """
    name = shortened(str(arithmetic), 60)
    if ARITHMETICS.get(str(arithmetic)) == arithmetic:
        return name
    return f"{name}: {shortened(repr(arithmetic), 400)}"

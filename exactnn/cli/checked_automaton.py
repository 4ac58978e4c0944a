"""What ``exactnn verify`` prints of a certificate of an automaton that was checked."""

from exactnn.arithmetic import ARITHMETICS, Arithmetic
from exactnn.cli.automaton_text import label_rows, labels_text, states_text
from exactnn.cli.output import emit_fields, emit_json
from exactnn.cli.text import shortened
from exactnn.equivalence import CheckedAutomaton
from exactnn.markup import printable
from exactnn.networks import Protocol
from exactnn.version import __version__

__all__ = ["emit_automaton"]


def emit_automaton(file: str, checked: CheckedAutomaton, seconds: float, *, as_json: bool) -> None:
    """Print what was proven of an automaton."""
    network = checked.network
    if as_json:
        emit_json(
            {
                "file": file,
                "verified": True,
                "certificate": "automaton",
                "network": network.name,
                "neurons": network.neurons,
                "weights": network.circuit.weights,
                "arithmetic": str(checked.arithmetic),
                "states": checked.states,
                "eos_states": checked.eos_states,
                "labels": label_rows(checked.labels),
                "seconds": seconds,
                "exactnn": __version__,
            }
        )
        return
    name = shortened(network.name, 60)
    outputs = network.decision.protocol is Protocol.OUTPUTS
    emit_fields(
        {
            "verified": printable(file),
            "network": f"{name}: {network.neurons:,} neurons, {network.circuit.weights:,} weights",
            "arithmetic": _arithmetic_text(checked.arithmetic),
            "states": states_text(checked.states, checked.eos_states),
            "outputs" if outputs else "words end": labels_text(checked.labels),
            "proof": "every step from every state was taken again in rationals: no word leads anywhere else",
            "time": f"{seconds:.3g} s",
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

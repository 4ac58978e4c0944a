"""What networks of machines that halt share: when they load a word, what the output means, what is reachable."""

from collections.abc import Callable
from typing import TypedDict

from gmpy2 import mpq

from exactnn.automata import StackMachine, State, TuringMachine, reachable_states
from exactnn.constructions.affine import Affine, total
from exactnn.constructions.construction import Codec, Construction
from exactnn.networks import EOS, Decision, Network, Protocol

__all__ = ["halting_construction", "halting_protocol", "reachable_halting_states", "reads_input"]


def reads_input(machine: TuringMachine | StackMachine) -> bool:
    """Whether the network has a loading phase.

    Without input symbols there is nothing to load and the network starts in the machine's initial state,
    unless that state halts: a verdict needs at least one step.
    """
    return bool(machine.input_symbols) or machine.initial_state in machine.halting_states


class HaltingProtocol(TypedDict):
    """What the networks of these machines have in common, as arguments of those who make networks."""

    readout: Affine
    alphabet: tuple[str, ...]
    decision: Decision
    name: str


def halting_protocol(
    construction: str, machine: TuringMachine | StackMachine, indicator: Callable[[State], Affine]
) -> HaltingProtocol:
    """Return output, alphabet, decision and name of a network with intermediate EOS steps.

    The output is accept - reject, or halt, from the indicator forms of the halting states that are reachable; 0 before.
    """
    protocol = Protocol.EOS_VERDICT if machine.halt_state is None else Protocol.EOS_HALT
    halting = reachable_halting_states(machine)
    return {
        "readout": total(indicator(q) * (-1 if q == machine.reject_state else 1) for q in halting),
        "alphabet": (*machine.input_symbols, EOS),
        "decision": Decision(protocol=protocol, threshold=mpq(1, 2)),
        "name": f"{construction}({machine.name})",
    }


def halting_construction(
    name: str,
    machine: TuringMachine | StackMachine,
    network: Network,
    *,
    codec: Codec,
    citation: str,
    set_up: tuple[int, int],
    steps_per_move: int = 1,
    room: str = "",
) -> Construction:
    """Return the construction of a network that says 0 until the machine halts, and then the verdict for ever.

    Parameters
    ----------
    set_up : tuple of int
        As of `Construction`, where a word is read; without one the machine starts at once.
    room : str
        What the run must keep to, part of the claim, if that is anything.
    """
    return Construction(
        name=name,
        machine=machine,
        network=network,
        codec=codec,
        steps_per_move=steps_per_move,
        set_up=set_up if reads_input(machine) else (0, 0),
        claim=f"f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        f"accepts (or merely halts) or rejects{room}; it is 0 for ever if it does not halt.",
        citation=citation,
        weight_field="Q",
    )


def reachable_halting_states(machine: TuringMachine | StackMachine) -> tuple[State, ...]:
    """Return the halting states that the initial state leads to."""
    reachable = reachable_states(machine)
    return tuple(q for q in machine.halting_states if q in reachable)

"""What networks of machines that halt share: when they load a word, what the output means, what is reachable."""

from collections.abc import Callable

from gmpy2 import mpq

from exactnn.automata import StackMachine, State, TuringMachine, reachable_states
from exactnn.constructions.affine import Affine, total
from exactnn.constructions.construction import Codec, Construction
from exactnn.networks import Decision, Network, Protocol

__all__ = [
    "halting_readout",
    "reachable_halting_states",
    "reads_input",
    "tape_construction",
    "tape_decision",
]


def reads_input(machine: TuringMachine | StackMachine) -> bool:
    """Whether the network has a loading phase.

    Without input symbols there is nothing to load and the network starts in the machine's initial state,
    unless that state halts: a verdict needs at least one step.
    """
    return bool(machine.input_symbols) or machine.initial_state in machine.halting_states


def tape_construction(
    name: str, machine: TuringMachine, network: Network, *, codec: Codec, citation: str
) -> Construction:
    """Return the construction of a network that makes one step per move, after loading and rewinding."""
    loads = reads_input(machine)
    return Construction(
        name=name,
        machine=machine,
        network=network,
        codec=codec,
        steps_per_move=1,
        set_up=(2, 2) if loads else (0, 0),
        claim="f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        "accepts (or merely halts) or rejects; it is 0 for ever if it does not halt.",
        citation=citation,
        weight_field="Q",
    )


def tape_decision(machine: TuringMachine | StackMachine) -> Decision:
    """Return the protocol of intermediate EOS steps, with or without a verdict."""
    protocol = Protocol.EOS_VERDICT if machine.halt_state is None else Protocol.EOS_HALT
    return Decision(protocol=protocol, threshold=mpq(1, 2))


def halting_readout(machine: TuringMachine | StackMachine, indicator: Callable[[State], Affine]) -> Affine:
    """Return accept - reject, or halt, from the indicator forms of the halting states that are reachable."""
    return total(indicator(q) * (-1 if q == machine.reject_state else 1) for q in reachable_halting_states(machine))


def reachable_halting_states(machine: TuringMachine | StackMachine) -> tuple[State, ...]:
    """Return the halting states that the initial state leads to."""
    reachable = reachable_states(machine)
    return tuple(q for q in machine.halting_states if q in reachable)

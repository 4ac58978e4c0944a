"""Turing machine to RNN in real time: one affine map and one activation per move, few units.

Symbols are numbered from the blank, 0, to m-1. A stack is one number in base B with digits 2a, so that the
endless blank tape is 0. The units, all saturated linear (SLU):

    state q              the machine is in q
    scan q D a           ... which it entered by a move D, and scans a > 0 (scanning 0 is what remains)
    left push, left pop  the left stack, as the sum of two halves of which one is zero; right likewise
    left >= k            the top of the left stack is at least k; right likewise

The comparators look one digit below the top, so the next symbol is known when it is needed: that makes it
real time. On a semi-infinite tape the left stack has a largest symbol m at its bottom; when it is on top a
move to the left leaves the head where it is ("stay"), and the right stack has a third, held part.

A word is loaded by moves to the right; a rewinding state walks back over it. Both are ordinary rules here.

In pure ReLU a comparator is a pair: min(1, max(0, x)) = relu(x) - relu(x - 1). No other unit exceeds 1.
"""

from exactnn.automata import TuringMachine
from exactnn.constructions.affine import var
from exactnn.constructions.construction import Construction, reject_reserved, require_machine
from exactnn.constructions.one_layer import one_layer_network
from exactnn.constructions.real_time_codec import RealTimeCodec
from exactnn.constructions.real_time_plan import RealTimePlan
from exactnn.constructions.tape_machine import halting_readout, tape_construction, tape_decision
from exactnn.errors import OptionError, shown
from exactnn.networks import EOS, Activation

__all__ = ["siegelmann_sontag"]


def siegelmann_sontag(
    machine: TuringMachine, *, base: int | None = None, activation: Activation | str = Activation.SLU
) -> Construction:
    """Return the real-time network of `machine`: one network step per move.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject),
    and keeps that output. Configurations can be decoded up to and including the step T of the verdict.

    T = |w| + k + 2 for k moves: the word is read symbol by symbol, the first EOS begins the rewinding. A
    machine with an empty input alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : TuringMachine
    base : int, optional
        Base B of the stacks: at least 2m-1, on a semi-infinite tape 2m+1, for m tape symbols. By default the
        least power of two from there on, so that binary floating point holds every weight exactly.
    activation : "slu" or "relu"
        Of all units.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or the input alphabet contains the reserved symbol "EOS".
    OptionError
        If the base is too small, or the activation is another one.

    Notes
    -----
    A machine on a two-way infinite tape without input gets |Q| + (m-1) (P + H) + 2 (m+1) + 1 units: Q the states
    that do not halt, P the number of pairs (state, direction from which it is entered), H the number of
    directions of halting moves, where the 1 stands for each of its reachable halting states. In ReLU there are
    2 (m-1) more, on either tape.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Computer and System
    Sciences* 50, 1995, prove that real time is possible; this network is smaller and its own.

    Examples
    --------
    >>> from exactnn.automata import TuringMachine
    >>> from exactnn.simulation import run
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> net = siegelmann_sontag(beaver)
    >>> result = run(net)
    >>> net.network.neurons, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (13, 'halted', 6, 'H: 1 1 [1] 1')

    In ReLU, with a pair for each of the two comparators:

    >>> siegelmann_sontag(beaver, activation="relu").network.neurons
    15
    """
    require_machine(machine, TuringMachine, "siegelmann_sontag")
    reject_reserved(machine.input_symbols)
    if activation not in (Activation.SLU, Activation.RELU):
        raise OptionError(f"activation={shown(activation)}: this construction has slu and relu")
    plan = RealTimePlan(machine, base, relu=activation == Activation.RELU)
    network = one_layer_network(
        units=plan.units(),
        start=plan.start(),
        readout=halting_readout(machine, lambda q: var(("state", q))),
        activation=Activation.named(activation),
        alphabet=(*machine.input_symbols, EOS),
        decision=tape_decision(machine),
        name=f"siegelmann_sontag({machine.name})",
    )
    return tape_construction(
        "siegelmann_sontag",
        machine,
        network,
        codec=RealTimeCodec(plan),
        citation="After Siegelmann and Sontag, J. Computer and System Sciences 50, 1995 (real-time simulation)",
    )

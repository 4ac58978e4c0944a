"""Turing machine to RNN with few units: one for each pair of state and symbol, and a number of others that is small.

Symbols are numbered from the blank, 0, to m-1. A stack is one number in base B with digits 2a, so that the endless
blank tape is 0; the left one begins with the symbol under the head. The state is a number in bits. A move takes three
steps: a rule fires, the stacks move, and comparators look at the new tops. `chung_siegelmann_plan` has the equations.

The word is read to its end in as many steps, each letter into its place; nothing has to be rewound after it.
"""

from exactnn.automata import TuringMachine
from exactnn.constructions.affine import var
from exactnn.constructions.chung_siegelmann_codec import ChungSiegelmannCodec
from exactnn.constructions.chung_siegelmann_plan import ChungSiegelmannPlan, halted
from exactnn.constructions.construction import Construction, reject_reserved, require_machine
from exactnn.constructions.one_layer import one_layer_network
from exactnn.constructions.tape_machine import halting_readout, tape_decision
from exactnn.networks import EOS, Activation

__all__ = ["chung_siegelmann"]


def chung_siegelmann(machine: TuringMachine) -> Construction:
    """Return the network of `machine` with 2m + ceil(log2 |Q|) + |Q| m + 5 units and what reading and halting add.

    |Q| counts the states that are reached and do not halt, m the tape symbols. All units are saturated linear (SLU).
    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration.

    T = 3 k + 2 for k moves. A machine with an empty input alphabet starts at once, T = 3 k, unless its initial state
    halts already.

    Parameters
    ----------
    machine : TuringMachine

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or the input alphabet contains the reserved symbol "EOS".

    Notes
    -----
    The published network starts with the tape in its state and has no output: that is the number of units above. Here
    each reachable halting state adds 1 unit, which keeps the verdict; reading a word adds 2 + ceil(log2(|S| + 1)) for
    |S| input symbols, and a semi-infinite tape adds 3.

    The equations are a reconstruction: they have the published number of units and of steps per move, but they are not
    the authors' own.

    References
    ----------
    S. Chung and H. Siegelmann, "Turing completeness of bounded-precision recurrent neural networks", NeurIPS 2021.

    Examples
    --------
    Two states and two symbols: 2*2 + 1 + 2*2 + 5 = 14 units, and one for the halting state.

    >>> from exactnn.automata import TuringMachine
    >>> from exactnn.simulation import run
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> net = chung_siegelmann(beaver)
    >>> result = run(net)
    >>> net.network.neurons, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (15, 'halted', 18, 'H: 1 1 [1] 1')
    """
    require_machine(machine, TuringMachine, "chung_siegelmann")
    reject_reserved(machine.input_symbols)
    plan = ChungSiegelmannPlan(machine)
    network = one_layer_network(
        units=plan.units(),
        start=plan.start(),
        readout=halting_readout(machine, lambda q: var(halted(q))),
        activation=Activation.SLU,
        alphabet=(*machine.input_symbols, EOS),
        decision=tape_decision(machine),
        name=f"chung_siegelmann({machine.name})",
    )
    return Construction(
        name="chung_siegelmann",
        machine=machine,
        network=network,
        codec=ChungSiegelmannCodec(plan),
        steps_per_move=3,
        set_up=(1, 2) if plan.loads else (0, 0),
        claim="f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        "accepts (or merely halts) or rejects; it is 0 for ever if it does not halt.",
        citation="S. Chung and H. Siegelmann, Turing completeness of bounded-precision recurrent neural networks, "
        "NeurIPS 2021; equations reconstructed to match the published count",
        weight_field="Q",
    )

"""Turing machine to RNN by way of the unit square: two numbers are the machine, and one move is a step of three layers.

A machine is a generalised shift, the shift is a piecewise affine map of the unit square (`piecewise_affine_map`), and
the network computes that map. The layers of a step:

    branch selection (BSL)       step units: is x before the left edge of a column of cells, is y below that of a row?
    linear transformation (LTL)  for each cell two ramps, ``scale x + offset`` and the same of y, if it is selected
    machine configuration (MCL)  the new x and y: the sums of the ramps, all but one of which are 0

An LTL unit is ``ReLU(scale x + offset - h + h/2 (column is selected) + h/2 (row is selected))``, h being twice the
largest value of any of the affine maps.
"""

from exactnn.automata import TuringMachine
from exactnn.constructions.carmantini_codec import CarmantiniCodec
from exactnn.constructions.carmantini_plan import CarmantiniPlan
from exactnn.constructions.construction import Construction, reject_reserved, require_machine
from exactnn.constructions.layered_network import layered_network
from exactnn.constructions.tape_machine import halting_readout, tape_decision
from exactnn.networks import EOS, Activation

__all__ = ["carmantini"]


def carmantini(machine: TuringMachine, *, binary: bool = True) -> Construction:
    """Return the network of `machine` with ``2 + Q m + m + 2 Q m^2`` units, and what halting and reading add.

    Q counts the states that are reached and do not halt, m the tape symbols; each state that halts and is reached adds
    4, reading words |input symbols| + 5, and of a semi-infinite tape the columns are Q (m + 1) in place of Q m. The
    state has two numbers, one more for each state that halts, and one that reading takes. A step is a move.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration. T = k + 1 for k moves: the word is read into its place, and the first EOS begins
    the run. A machine with an empty input alphabet starts at once, T = k, unless its initial state halts already.

    Parameters
    ----------
    machine : TuringMachine
    binary : bool
        Digits in bases that are powers of two; False: in the published ones, Q + h and m.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or EOS is among the input symbols.
    OptionError
        If `binary` is neither True nor False.

    Notes
    -----
    The published count is 259 for Minsky's universal machine of 7 states and 4 symbols, the constant unit of the biases
    included: 2 + 32 + 224 + 1; the published network starts with the tape in its state and has no output. Its step
    units are 1 at 0. Those of exactnn are 0 there, so they are used the other way round: a unit says "x is before this
    edge", and x on the edge is not.

    References
    ----------
    G. S. Carmantini, P. beim Graben, M. Desroches and S. Rodrigues, "A modular architecture for transparent
    computation in recurrent neural networks", *Neural Networks* 85, 2017.

    Examples
    --------
    Two states and two symbols: 2 + 4 + 2 + 16 = 24 units, and 4 for the state that halts.

    >>> from exactnn.automata import TuringMachine
    >>> from exactnn.simulation import run
    >>> beaver = TuringMachine(states="ABH", input_symbols=(), tape_symbols="01",
    ...     transitions={"A": {"0": ("B", "1", "R"), "1": ("B", "1", "L")},
    ...                  "B": {"0": ("A", "1", "L"), "1": ("H", "1", "R")}},
    ...     initial_state="A", blank_symbol="0", halt_state="H", tape="two_way_infinite")
    >>> net = carmantini(beaver)
    >>> result = run(net)
    >>> net.network.circuit.units, result.outcome.value, result.steps, str(net.decode(result.final_state))
    (28, 'halted', 6, 'H: 1 1 [1] 1')
    """
    require_machine(machine, TuringMachine, "carmantini")
    reject_reserved(machine.input_symbols)
    plan = CarmantiniPlan(machine, binary=binary)
    selection = plan.selection()
    network = layered_network(
        layers=[selection, plan.transformation()],
        state=plan.configuration(),
        start=plan.start(),
        readout=halting_readout(machine, plan.halted),
        activation=Activation.RELU,
        others=dict.fromkeys([*selection, *plan.verdicts()], Activation.HEAVISIDE),
        alphabet=(*machine.input_symbols, EOS),
        decision=tape_decision(machine),
        name=f"carmantini({machine.name})",
    )
    return Construction(
        name="carmantini",
        machine=machine,
        network=network,
        codec=CarmantiniCodec(plan),
        steps_per_move=1,
        set_up=(1, 1) if plan.loads else (0, 0),
        claim="f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        "accepts (or merely halts) or rejects; it is 0 for ever if it does not halt.",
        citation="Carmantini, beim Graben, Desroches and Rodrigues, A modular architecture for transparent computation "
        "in recurrent neural networks, Neural Networks 85, 2017",
        weight_field="Q",
    )

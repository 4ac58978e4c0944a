"""Turing machine to RNN of bounded precision: the tape lies in many neurons of a few cells each, as many as it takes.

Networks of rational numbers keep a tape in one number, whose precision grows with it. Here a number holds at most p
cells, the others lie in memory neurons of p cells, and what grows with the tape is how many there are. Of neurons that
are there from the beginning a network has a fixed number, so this is a family: with m memory neurons on each side it is
right on tapes of m p cells on each side of the head, and says so when they do not suffice. `run_growing` adds neurons
while it runs. `growing_memory_plan` has the equations.
"""

from exactnn.automata import TuringMachine
from exactnn.constructions.affine import total, var
from exactnn.constructions.construction import Construction, reject_reserved, require_machine
from exactnn.constructions.growing_memory_codec import GrowingMemoryCodec
from exactnn.constructions.growing_memory_plan import GrowingMemoryPlan, pair
from exactnn.constructions.layered_network import layered_network
from exactnn.constructions.tape_machine import halting_readout, tape_decision
from exactnn.errors import OptionError, shown
from exactnn.networks import EOS, Activation

__all__ = ["bits_needed", "growing_memory"]


def growing_memory(machine: TuringMachine, *, precision: int, modules: int) -> Construction:
    """Return the network of `machine` whose neurons hold at most `precision` cells of the tape each.

    The network outputs 0 until the machine halts, then 1 (accept, or halt without verdict) or -1 (reject), and keeps
    that output and the configuration. If a cell that is not blank would have to be stored and the memory has no neuron
    for it, it stands still: it outputs 0 for ever, and decodes to the state ``(memory full)``. That this network does
    not halt then, as a run may prove, says nothing of the machine. The end of a semi-infinite tape is a cell like that.

    Its state has (Q + h) m + 2 modules + 5 numbers for Q states that do not halt and h that do (those that can be
    reached) and m tape symbols, and m + 1 more if it reads words, for its phases. A move is one step of four layers,
    all of saturated linear units. T(w) = |w| + k + 2 for k moves, |w| + k + 1 on a semi-infinite tape; without input
    symbols T = k.

    Parameters
    ----------
    machine : TuringMachine
    precision : int
        How many cells p a number holds, at least 1.
    modules : int
        How many memory neurons there are on each side of the head, of p cells each; 0 or more.

    Raises
    ------
    ConstructionError
        If `machine` is no TuringMachine, or EOS is among the input symbols.
    OptionError
        If `precision` or `modules` is out of range.

    Notes
    -----
    Every number is exact in a binary format with :func:`bits_needed` bits, whatever the word and however long the run:
    p log2 B and 2 more, B being the least power of two that symbols (and the left end) fit in.

    The paper's memory module is a stack of neurons, which a push neuron and a pop neuron of the network act upon, and
    which recruits neurons: in its network for a universal machine of 6 states and 4 symbols, 54 neurons take three
    steps for a move. Tape neurons of at most p symbols, guards that count them, and p symbols moved at a time are that
    network's; the equations, the layers of one step and the fixed row of memory neurons are exactnn's own.

    References
    ----------
    S. Chung and H. Siegelmann, "Turing completeness of bounded-precision recurrent neural networks", NeurIPS 2021.

    Examples
    --------
    Three cells to a number: after 107 moves 12 cells on the right are written, which one memory neuron cannot hold.

    >>> from exactnn.machine_files import load
    >>> from exactnn.simulation import run
    >>> for modules in (1, 4):
    ...     net = growing_memory(load("bb4"), precision=3, modules=modules)
    ...     result = run(net, max_steps=200)
    ...     print(net.network.neurons, result.outcome.value, net.decode(result.final_state).state)
    17 proven non-halting (memory full)
    23 halted Z
    """
    require_machine(machine, TuringMachine, "growing_memory")
    reject_reserved(machine.input_symbols)
    _check_count(precision, "precision", 1)
    _check_count(modules, "modules", 0)
    plan = GrowingMemoryPlan(machine, precision, modules)
    network = layered_network(
        layers=plan.layers(),
        state=plan.state(),
        start=plan.start(),
        readout=halting_readout(machine, lambda q: total(var(pair(q, a)) for a in range(plan.bottom))),
        activation=Activation.SLU,
        alphabet=(*machine.input_symbols, EOS),
        decision=tape_decision(machine),
        name=f"growing_memory({machine.name})",
    )
    return Construction(
        name="growing_memory",
        machine=machine,
        network=network,
        codec=GrowingMemoryCodec(plan),
        steps_per_move=1,
        set_up=(2, 1 if plan.bounded else 2) if plan.loads else (0, 0),
        claim=f"f(w EOS^t) is 0 for 0 < t < T and 1 or -1 from T on, if the machine halts after k moves on w and "
        f"accepts (or merely halts) or rejects, and has neither a cell that is not blank nor the end of the tape "
        f"farther than {modules * precision} cells from the head on the way; it is 0 for ever if it does not halt.",
        citation="after S. Chung and H. Siegelmann, Turing completeness of bounded-precision recurrent neural "
        "networks, NeurIPS 2021; equations of exactnn's own",
        weight_field="Q",
    )


def bits_needed(machine: TuringMachine, *, precision: int) -> int:
    """Return the bits of a binary format in which :func:`growing_memory` is exact: p log2 B + 2.

    They are enough in whatever order a sum is taken, with exponents from -p log2 B to p log2 B + 1. Sums that begin
    with the bias, as those of `FloatFormat` do, need one bit less.

    >>> from exactnn.machine_files import load
    >>> bits_needed(load("bb4"), precision=9), bits_needed(load("palindrome"), precision=4)
    (11, 10)
    """
    require_machine(machine, TuringMachine, "growing_memory")
    _check_count(precision, "precision", 1)
    return precision * (GrowingMemoryPlan(machine, precision, 0).base.bit_length() - 1) + 2


def _check_count(value: object, name: str, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"{name}={shown(value)}: give a whole number of at least {least}")

"""Moore and Mealy machines as simple ReLU RNNs with integer weights: the construction of Minsky, with outputs."""

from collections.abc import Hashable
from dataclasses import replace

from gmpy2 import mpq

from exactnn.automata import DFA, MealyMachine, MooreMachine, Output, Transducer
from exactnn.constructions.affine import Affine, total
from exactnn.constructions.construction import Construction, require_machine
from exactnn.constructions.finite_automata import StateCodec, minsky
from exactnn.constructions.layered_network import START
from exactnn.networks import Activation, Decision, Network, Protocol, affine_unit

__all__ = ["minsky_mealy", "minsky_moore"]


def minsky_moore(machine: MooreMachine | str) -> Construction:
    """Return the Minsky network of a Moore machine: one output for each output of the machine, 1 for what it says.

    1 + |Q||S| units, as :func:`minsky` has them for a DFA. The outputs of the network are numbers, one for each output
    of the machine in the order of its states; `Construction.outputs` names them.

    Parameters
    ----------
    machine : MooreMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If `machine` is no Moore machine, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    M. L. Minsky, *Computation: Finite and Infinite Machines*, 1967.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> count = MooreMachine(states=[0, 1], input_symbols="a", transitions={0: {"a": 1}, 1: {"a": 0}}, initial_state=0,
    ...     outputs={0: "even", 1: "odd"})
    >>> net = minsky_moore(count)
    >>> net.outputs, [net.said(output) for output in run(net, "aaa").outputs]
    (('even', 'odd'), ['odd', 'even', 'odd'])
    """
    machine = require_machine(machine, MooreMachine, "minsky_moore")
    sources: dict[Output, list[Affine]] = {machine.outputs[q]: [] for q in machine.states}
    plain = minsky(_automaton(machine))
    codec = plain.codec
    assert isinstance(codec, StateCodec)
    for q in machine.states:
        sources[machine.outputs[q]].append(codec.form(q))
    claim = "The outputs after w are 1 for what the machine says after w and 0 for all else, for every w."
    return _with_outputs("minsky_moore", machine, plain, {o: total(forms) for o, forms in sources.items()}, claim)


def minsky_mealy(machine: MealyMachine | str) -> Construction:
    """Return the Minsky network of a Mealy machine, whose units are its transitions: what the last one gave is 1.

    1 + |Q||S| units. The unit of the pair (q, a) is 1 exactly after the transition from q on a, so the outputs of the
    network are sums of units. `Construction.outputs` names them; after the empty word all are 0, as nothing was said.

    Parameters
    ----------
    machine : MealyMachine, or what :func:`exactnn.load` makes one of

    Raises
    ------
    ConstructionError
        If `machine` is no Mealy machine, or the alphabet contains the symbol "EOS", which is reserved.

    References
    ----------
    M. L. Minsky, *Computation: Finite and Infinite Machines*, 1967; G. H. Mealy, *Bell Syst. Tech. J.* 34, 1955.

    Examples
    --------
    >>> from exactnn.simulation import run
    >>> flip = MealyMachine(states="q", input_symbols="01", transitions={"q": {"0": "q", "1": "q"}}, initial_state="q",
    ...     outputs={"q": {"0": "one", "1": "zero"}})
    >>> net = minsky_mealy(flip)
    >>> net, [net.said(output) for output in run(net, "01").outputs]
    (<minsky_mealy of Mealy machine: 3 neurons>, ['one', 'zero'])
    """
    machine = require_machine(machine, MealyMachine, "minsky_mealy")
    sources: dict[Output, list[Affine]] = {}
    for q in machine.states:
        for a in machine.input_symbols:
            sources.setdefault(machine.outputs[q][a], []).append(Affine({(q, a): mpq(1)}))
    plain = minsky(_automaton(machine))
    claim = "The outputs after w are 1 for what the last transition gives and 0 for all else; all are 0 if w is empty."
    return _with_outputs("minsky_mealy", machine, plain, {o: total(forms) for o, forms in sources.items()}, claim)


def _automaton(machine: Transducer) -> DFA:
    """Return the automaton below: the same states, none of them final."""
    return DFA(
        states=machine.states,
        input_symbols=machine.input_symbols,
        transitions=machine.transitions,
        initial_state=machine.initial_state,
        final_states=(),
        name=machine.name,
    )


def _with_outputs(
    name: str, machine: Transducer, plain: Construction, forms: dict[Output, Affine], claim: str
) -> Construction:
    """Return the network of `plain` with an output for each form."""
    units: list[Hashable] = [START, *((q, a) for q in machine.states for a in machine.input_symbols)]
    place = {unit: i for i, unit in enumerate(units)}
    readout = tuple(
        affine_unit(
            f"output {output}",
            {place[read]: weight for read, weight in form.terms.items()},
            form.constant,
            Activation.IDENTITY,
        )
        for output, form in forms.items()
    )
    network = plain.network
    assert isinstance(network, Network)
    return Construction(
        name=name,
        machine=machine,
        network=replace(
            network,
            readout=readout,
            decision=Decision(protocol=Protocol.OUTPUTS),
            scalar_output=False,
            name=f"{name}({machine.name})",
        ),
        codec=plain.codec,
        steps_per_move=1,
        set_up=(0, 0),
        claim=claim,
        citation="M. L. Minsky, Computation: Finite and Infinite Machines, 1967",
        weight_field="Z",
        outputs=tuple(forms),
    )

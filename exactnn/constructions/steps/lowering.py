"""A step as a network: one unit for each clipped expression, in as many layers as they are nested."""

from gmpy2 import mpq

from exactnn.constructions.affine import Affine, total, var
from exactnn.constructions.steps.expression import Atom, Clipped, Expression, Known, Read, Register
from exactnn.constructions.steps.step import Step, atoms, require_step
from exactnn.networks import Activation, Circuit, Network, Unit, affine_unit

__all__ = ["step_network"]


def step_network(step: Step) -> Network:
    """Return the network of a step: a layer of units for each level of nesting, then the registers' next values.

    A step that is nested once becomes a simple RNN of one step per step by `fold_network`, another one of several.

    Examples
    --------
    >>> from exactnn.constructions.folding import fold_network
    >>> from exactnn.constructions.steps import Step, number, read, relu
    >>> depth = number("depth", low=0)
    >>> counter = Step(symbols="()", next={depth: relu(depth + read("(") - read(")"))}, output=depth)
    >>> network = step_network(counter)
    >>> len(network.circuit.layers), fold_network(network).network.neurons
    (2, 2)
    """
    require_step(step)
    registers: dict[Atom, int] = {register: i for i, (register, _) in enumerate(step.rows)}
    registers |= {Read(symbol): len(registers) + i for i, symbol in enumerate(step.symbols)}
    forms: dict[Atom, Affine] = {atom: var(atom) for atom in registers}
    layers: list[list[Clipped]] = []
    depth: dict[Atom, int] = {}
    for atom in atoms([value for _, value in step.rows]):
        inner = () if isinstance(atom, Register | Read) else atom.argument.terms
        depth[atom] = max((depth[part] for part, _ in inner), default=0)
        if isinstance(atom, Known):
            forms[atom] = _form(atom.argument, forms)
        elif isinstance(atom, Clipped):
            forms[atom] = var(atom)
            if depth[atom] == len(layers):
                layers.append([])
            layers[depth[atom]].append(atom)
            depth[atom] += 1
    lowered = []
    for layer in layers:
        lowered.append(tuple(_unit(atom, forms, registers) for atom in layer))
        registers |= {atom: len(registers) + i for i, atom in enumerate(layer)}
    first = len(registers)
    lowered.append(tuple(_affine(str(register), _form(value, forms), registers) for register, value in step.rows))
    return Network(
        circuit=Circuit(
            state_size=len(step.rows),
            input_size=len(step.symbols),
            layers=tuple(lowered),
            next_state=tuple(range(first, first + len(step.rows))),
        ),
        initial_state=tuple(register.start for register, _ in step.rows),
        readout=(_affine("output", _form(step.output, forms), registers),),
        alphabet=tuple(step.symbols),
        decision=step.decision,
        name=step.name,
    )


def _form(value: Expression, forms: dict[Atom, Affine]) -> Affine:
    return total([*(weight * forms[atom] for atom, weight in value.terms), value.constant])


def _unit(atom: Clipped, forms: dict[Atom, Affine], registers: dict[Atom, int]) -> Unit:
    activation = Activation.SLU if atom.saturates else Activation.RELU
    return _affine(str(atom), _form(atom.argument, forms), registers, activation)


def _affine(name: str, form: Affine, registers: dict[Atom, int], activation: Activation = Activation.IDENTITY) -> Unit:
    weights = {registers[key]: weight for key, weight in form.terms.items()}  # type: ignore[index]
    return affine_unit(name, weights, mpq(form.constant), activation)

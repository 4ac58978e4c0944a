"""The step of a network as nested ReLU units: affine rows are substituted away, SLU is a difference of two ReLUs.

What is left is the mathematics of the step, whatever cell it was written as: units ``relu(form)`` whose forms read the
state, the input and other units, and the next state and the output as affine forms.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from exactnn.constructions.affine import Affine, var
from exactnn.errors import ConstructionError, shown
from exactnn.networks import Activation, Circuit, Kind, Network, Unit

__all__ = ["InputLeaf", "ReluForms", "ReluUnit", "StateLeaf", "relu_forms"]


@dataclass(frozen=True, slots=True)
class StateLeaf:
    """The state component of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class InputLeaf:
    """The input component of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class ReluUnit:
    """A unit by its register; `excess` is the second ReLU of an SLU, ``slu(x) = relu(x) - relu(x - 1)``."""

    register: int
    name: str
    excess: bool = False

    def __str__(self) -> str:
        return f"{self.name} above 1" if self.excess else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ReluForms:
    """A step as nested ReLU units.

    Parameters
    ----------
    units : mapping unit -> Affine
        What each unit takes the ReLU of: a form over leaves and over units before it.
    next_state : tuple of Affine
        The next state, forms over leaves and units.
    readout : tuple of Affine
        The outputs, forms over state leaves.
    leaf_names : mapping leaf -> str
    """

    units: Mapping[Hashable, Affine]
    next_state: tuple[Affine, ...]
    readout: tuple[Affine, ...]
    leaf_names: Mapping[Hashable, str]

    @property
    def depths(self) -> dict[Hashable, int]:
        """How deep each unit is nested: 1 for one that reads only the state and the input."""
        depths: dict[Hashable, int] = {}
        for unit, form in self.units.items():
            depths[unit] = 1 + max((depths.get(name, 0) for name in form.terms), default=0)
        return depths

    @property
    def hidden_layers(self) -> int:
        """How many hidden layers the nesting needs, at least one."""
        return max(self.depths.values(), default=1)


def relu_forms(network: Network) -> ReluForms:
    """Return the step of a network as nested ReLU units, without those that nothing reads.

    Raises
    ------
    ConstructionError
        If the step is not continuous and piecewise linear: it has products of registers or a Heaviside unit; or the
        readout is not affine.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> forms = relu_forms(SimpleRNN(V=[[1]], W=[[1]], b=[0], s=[0], readout_weight=[1], activation="slu"))
    >>> len(forms.units), forms.hidden_layers
    (2, 1)
    """
    circuit = network.circuit
    values: list[Affine] = [var(leaf) for leaf in _leaves(circuit)]
    units: dict[Hashable, Affine] = {}
    for layer in circuit.layers:
        values += [_unit(unit, len(values) + i, values, units, network) for i, unit in enumerate(layer)]
    next_state = tuple(values[register] for register in circuit.next_state)
    readout = tuple(_affine(unit, values, network) for unit in network.readout)
    if any(unit.activation != Activation.IDENTITY for unit in network.readout):
        raise ConstructionError(f"network {shown(network.name)} has a readout that is not affine")
    return ReluForms(
        units=_needed(units, next_state), next_state=next_state, readout=readout, leaf_names=_leaf_names(network)
    )


def _leaves(circuit: Circuit) -> list[Hashable]:
    return [*map(StateLeaf, range(circuit.state_size)), *map(InputLeaf, range(circuit.input_size))]


def _leaf_names(network: Network) -> dict[Hashable, str]:
    symbols = network.alphabet or tuple(f"x[{i}]" for i in range(network.circuit.input_size))
    return dict(zip(_leaves(network.circuit), [*network.circuit.state_names, *symbols], strict=True))


def _unit(unit: Unit, register: int, values: list[Affine], units: dict[Hashable, Affine], network: Network) -> Affine:
    """Return a unit's value as a form; what is new in it is entered in `units`."""
    form = _affine(unit, values, network)
    match unit.activation.kind:
        case Kind.CLAMP:
            return _clamped(unit, register, form, units)
        case Kind.JUMP:
            raise ConstructionError(
                f"unit {shown(unit.name)} of network {shown(network.name)} is a {unit.activation} unit, which is not "
                "continuous: only piecewise linear steps without jumps are made of ReLUs"
            )
        case Kind.SIGMOID | Kind.TANH | Kind.SOFTPLUS | Kind.EXP:
            raise ConstructionError(
                f"unit {shown(unit.name)} of network {shown(network.name)} has the activation {unit.activation}: only "
                "piecewise linear steps are made of ReLUs"
            )
        case _:
            assert_never(unit.activation.kind)


def _clamped(unit: Unit, register: int, form: Affine, units: dict[Hashable, Affine]) -> Affine:
    """Return ``low + relu(x - low) - relu(x - high)``; with one bound or none, what is left of it."""
    low, high = unit.activation.low, unit.activation.high
    if not form.terms:
        above = form.constant if low is None else max(low, form.constant)
        return Affine({}, above if high is None else min(high, above))
    value = form
    if low is not None:
        ramp = ReluUnit(register, unit.name)
        units[ramp] = form - low
        value = var(ramp) + low
    if high is not None:
        excess = ReluUnit(register, unit.name, excess=True)
        units[excess] = form - high
        value = value - var(excess)
    return value


def _affine(unit: Unit, values: list[Affine], network: Network) -> Affine:
    if unit.bilinear:
        raise ConstructionError(
            f"unit {shown(unit.name)} of network {shown(network.name)} multiplies two registers: a step with products "
            "is not piecewise linear"
        )
    form = Affine({}, unit.bias)
    for register, weight in unit.linear:
        form += weight * values[register]
    return form


def _needed(units: Mapping[Hashable, Affine], outputs: Iterable[Affine]) -> dict[Hashable, Affine]:
    """Return the units that the outputs depend on."""
    read = {name for form in outputs for name in form.terms}
    for unit, form in reversed(list(units.items())):
        if unit in read:
            read |= form.terms.keys()
    return {unit: form for unit, form in units.items() if unit in read}

"""The step circuit: the one form in which every recurrent cell is written down.

One step reads a file of registers: first the state, then the input, then the units of the first layer,
of the second, and so on. A unit computes

    activation( bias + sum of weight * register + sum of weight * register * register' )

from registers before its own layer; `next_state` says which registers become the state of the next step.
A circuit is data. It is executed elsewhere, in the arithmetic that is asked for.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from gmpy2 import mpq

from exactnn.arithmetic import exact
from exactnn.errors import NetworkError, shown
from exactnn.matrices import sequence
from exactnn.networks.activation import Activation
from exactnn.options import whole_number

__all__ = ["Circuit", "Unit", "affine_unit", "columns_of", "numbers_of", "weights_by_register"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit; the order of its terms is the order in which a rounding arithmetic sums them, bias first.

    A rounding arithmetic rounds every product and every sum: a linear term is weight * register, a second-order
    term (weight * register) * register'. NaN goes through every activation but Heaviside, which gives 0; ReLU and
    SLU give +0 for -0.

    Parameters
    ----------
    name : str
        For reports: what the unit stands for.
    bias : mpq
    linear : tuple of (register, weight)
    bilinear : tuple of (register, register, weight)
        Second-order terms, as in 2RNNs and gated cells; summed after the linear ones.
    activation : Activation
    """

    name: str
    bias: mpq
    linear: tuple[tuple[int, mpq], ...] = ()
    bilinear: tuple[tuple[int, int, mpq], ...] = ()
    activation: Activation = Activation.IDENTITY

    def __post_init__(self) -> None:
        fill = object.__setattr__
        if type(self.bias) is not mpq:
            fill(self, "bias", exact(self.bias))
        for terms, size in (("linear", 2), ("bilinear", 3)):
            if not _are_terms(getattr(self, terms), size):
                fill(self, terms, self._exact_terms(terms, size))
        fill(self, "activation", Activation.named(self.activation))

    def _exact_terms(self, which: str, size: int) -> tuple[tuple[Any, ...], ...]:
        terms = sequence(getattr(self, which), f"{which} of unit {shown(self.name)}", "a sequence of terms")
        for term in terms:
            if not isinstance(term, Sequence) or len(term) != size:
                registers = "register" if size == 2 else "register, register"
                raise NetworkError(f"{which} of unit {shown(self.name)} has {shown(term)}: give ({registers}, weight)")
        return tuple((*term[:-1], exact(term[-1])) for term in terms)

    @property
    def parameters(self) -> tuple[mpq, ...]:
        """The bias and the weights."""
        return self.bias, *(weight for _, weight in self.linear), *(weight for _, _, weight in self.bilinear)


def numbers_of(units: Iterable[Unit]) -> list[mpq]:
    """Return all numbers of some units: biases, weights, and bounds of activations.

    One kind after the other: to ask unit by unit takes longer than a short run.
    """
    units = list(units)
    found = [unit.bias for unit in units]
    found += [weight for unit in units for _, weight in unit.linear]
    found += [weight for unit in units for _, _, weight in unit.bilinear]
    activations = [unit.activation for unit in units]
    found += [activation.low for activation in activations if activation.low is not None]
    found += [activation.high for activation in activations if activation.high is not None]
    return found


def columns_of(units: Iterable[Unit]) -> dict[int, list[tuple[int, mpq]]]:
    """Return the linear terms of some units by register: for each, the places of the units that read it, and weights.

    Most registers are 0 in most steps, and a step in exact numbers has no use for their columns. Terms with weight 0
    are left out.

    >>> columns_of([Unit(name="u", bias=mpq(0), linear=((3, mpq(1)), (4, mpq(0)))),
    ...             Unit(name="v", bias=mpq(0), linear=((3, mpq(2)),))])
    {3: [(0, mpq(1,1)), (1, mpq(2,1))]}
    """
    columns: dict[int, list[tuple[int, mpq]]] = {}
    for place, unit in enumerate(units):
        for register, weight in unit.linear:
            if weight:
                if register in columns:
                    columns[register].append((place, weight))
                else:
                    columns[register] = [(place, weight)]
    return columns


def weights_by_register(terms: Iterable[tuple[int, mpq]]) -> dict[int, mpq]:
    """Return the weights of linear terms by register: the sum where one is read more than once, and none that is 0.

    >>> weights_by_register([(3, mpq(1)), (4, mpq(0)), (3, mpq(2))])
    {3: mpq(3,1)}
    """
    terms = list(terms)
    weights = dict(terms)
    if len(weights) < len(terms):
        weights = dict.fromkeys(weights, mpq(0))
        for register, weight in terms:
            weights[register] += weight
    if all(weights.values()):
        return weights
    return {register: weight for register, weight in weights.items() if weight}


def _are_terms(terms: object, size: int) -> bool:
    """Whether terms are as they are kept: of millions of weights this is asked, and nothing is made anew."""
    return type(terms) is tuple and all(
        type(term) is tuple and len(term) == size and type(term[-1]) is mpq for term in terms
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """Layers of units between a state of `state_size` numbers and the next one.

    Raises
    ------
    NetworkError
        If a unit reads a register that does not exist before its layer.

    Examples
    --------
    A counter: the next state is the state plus the input.

    >>> total = Unit(name="total", bias=mpq(0), linear=((0, mpq(1)), (1, mpq(1))))
    >>> circuit = Circuit(state_size=1, input_size=1, layers=((total,),), next_state=(2,))
    >>> circuit.units, circuit.weights
    (1, 2)
    """

    state_size: int
    input_size: int
    layers: tuple[tuple[Unit, ...], ...]
    next_state: tuple[int, ...]
    weights: int = field(init=False, repr=False, compare=False)
    """Number of non-zero weights, biases not counted."""

    def __post_init__(self) -> None:
        fill = object.__setattr__
        for size in ("state_size", "input_size"):
            fill(self, size, whole_number(size, getattr(self, size), error=NetworkError))
        layers = sequence(self.layers, "layers", "a sequence of layers, each of Units")
        fill(self, "layers", tuple(tuple(sequence(layer, "a layer", "a sequence of Units")) for layer in layers))
        fill(self, "next_state", tuple(sequence(self.next_state, "next_state", "a sequence of registers")))
        if len(self.next_state) != self.state_size:
            raise NetworkError(
                f"next_state names {len(self.next_state)} registers, but the state has {self.state_size} numbers"
            )
        available = self.state_size + self.input_size
        for layer in self.layers:
            for unit in layer:
                check_registers(unit, available)
            available += len(layer)
        for register in self.next_state:
            _check_register(register, available, None)
        fill(self, "weights", sum(len(unit.linear) + len(unit.bilinear) for layer in self.layers for unit in layer))

    @property
    def units(self) -> int:
        """Number of units."""
        return sum(map(len, self.layers))

    @property
    def activations(self) -> list[str]:
        """Names of the activations of its units, each once."""
        return sorted({str(unit.activation) for layer in self.layers for unit in layer})

    @property
    def state_names(self) -> tuple[str, ...]:
        """For each state component the name of the unit that it comes from, or of the register it copies."""
        first_input, first_unit = self.state_size, self.state_size + self.input_size
        units = [unit.name for layer in self.layers for unit in layer]

        def copied(register: int) -> str:
            return f"state[{register}]" if register < first_input else f"input[{register - first_input}]"

        return tuple([units[i - first_unit] if i >= first_unit else copied(i) for i in self.next_state])

    def with_state_names(self, names: Sequence[str]) -> "Circuit":
        """Return the circuit with these names for the units that the state components come from."""
        given = sequence(names, "names", "a name for each component of the state")
        if len(given) != self.state_size:
            raise NetworkError(f"{len(given)} names are given, and the state has {self.state_size} components")
        first_unit, found = self.state_size + self.input_size, dict(zip(self.next_state, given, strict=True))
        for component, (source, name) in enumerate(zip(self.next_state, given, strict=True)):
            if not isinstance(name, str) or not name or given.count(name) > 1:
                raise NetworkError(f"names has {shown(name)}: give texts that are not empty, each once")
            if source < first_unit or found[source] != name:
                raise NetworkError(
                    f"component {component} of the state is a copy of {self.state_names[component]}, which has no name "
                    f"of its own: {shown(name)} cannot be given to it"
                )
        register = count(first_unit)

        def named(unit: Unit) -> Unit:
            return replace(unit, name=found.get(next(register), unit.name))

        return replace(self, layers=tuple(tuple(map(named, layer)) for layer in self.layers))


def affine_unit(
    name: str, weights: Mapping[int, mpq] | Iterable[tuple[int, mpq]], bias: mpq, activation: Activation
) -> Unit:
    """Return a unit with linear terms only, sorted by register, zero weights left out.

    >>> affine_unit("u", {3: mpq(1), 0: mpq(2), 1: mpq(0)}, mpq(0), Activation.RELU).linear
    ((0, mpq(2,1)), (3, mpq(1,1)))
    """
    linear = tuple(sorted((register, weight) for register, weight in dict(weights).items() if weight))
    return Unit(name=name, bias=bias, linear=linear, activation=activation)


def check_registers(unit: Unit, available: int) -> None:
    """Raise NetworkError unless `unit` is one, and reads only registers below `available`."""
    if not isinstance(unit, Unit):
        raise NetworkError(f"{shown(unit)} is no unit: give a Unit")
    for register, _ in unit.linear:
        _check_register(register, available, unit)
    for first, second, _ in unit.bilinear:
        _check_register(first, available, unit)
        _check_register(second, available, unit)


def _check_register(register: object, available: int, unit: Unit | None) -> None:
    if not isinstance(register, int) or not 0 <= register < available:
        reader = "next_state" if unit is None else f"unit {shown(unit.name)}"
        raise NetworkError(
            f"{reader} reads register {shown(register)}, but only registers 0 to {available - 1} exist before it"
        )

"""Slopes: the derivatives of every unit along a word, and the numbers that their products are computed in.

This is the one place where a step is derived. What a gradient or a Jacobian is, is a sum of products of these numbers:
in rationals, in enclosures, or rounded to a format.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Protocol, assert_never

from gmpy2 import mpq

from exactnn.arithmetic import (
    RATIONAL,
    Bounds,
    DirectedRounding,
    Enclosure,
    ExactCalculation,
    FloatCalculation,
    FloatFormat,
    Interval,
    Number,
)
from exactnn.errors import BitLimitError, OptionError, WordError, shown
from exactnn.networks import Activation, Circuit, Input, Kind, Network, Unit
from exactnn.networks.network import input_vector
from exactnn.options import whole_number
from exactnn.outcome import Outcome
from exactnn.simulation import run

__all__ = [
    "AtKinks",
    "ExactNumbers",
    "Numbers",
    "Rounded",
    "Slope",
    "StepSlopes",
    "UnitSlopes",
    "exact_numbers",
    "showing_all",
    "slopes_along",
]

ZERO, ONE = mpq(0), mpq(1)

Slope = mpq | Enclosure
"""A derivative: a rational number, or bounds of one where a unit is smooth."""


class UnitSlopes(NamedTuple):
    """The derivatives of a unit in one step: of its activation at its sum, and of the sum by the registers it reads."""

    factor: Slope
    terms: tuple[tuple[int, Slope], ...]


StepSlopes = tuple[tuple[UnitSlopes, ...], ...]
"""Those of all units in one step, by layer."""


# --- Numbers that slopes are added and multiplied in.


class Numbers(Protocol):
    """What sums and products of slopes are computed in."""

    def number(self, slope: Slope, /) -> Any:
        """Return a slope in the form that the operations take."""

    def add(self, x: Any, y: Any, /) -> Any:
        """Return x + y."""

    def multiply(self, x: Any, y: Any, /) -> Any:
        """Return x * y."""


class ExactNumbers(Numbers, Protocol):
    """Numbers whose sums and products say something of the exact ones."""

    def slope(self, number: Any, /) -> Slope:
        """Return a sum of products as a number, or as bounds of it."""


class Rationals(ExactCalculation):
    """Rational numbers, as they are."""

    @staticmethod
    def number(slope: Slope) -> mpq:
        """Return the slope, which is a rational number."""
        assert not isinstance(slope, Enclosure)
        return slope

    @staticmethod
    def slope(number: mpq) -> Slope:
        """Return the number."""
        return number


class Enclosures:
    """Pairs of bounds of so many bits, rounded outward; they are used within ``DirectedRounding.wide()``."""

    def __init__(self, bits: int) -> None:
        self.rounding = DirectedRounding(bits)
        self.multiply = self.rounding.product
        self._known: dict[mpq, Bounds] = {}

    def number(self, slope: Slope) -> Bounds:
        """Return bounds of a number."""
        if isinstance(slope, Enclosure):
            return self.rounding.enclosed(slope.low)[0], self.rounding.enclosed(slope.high)[1]
        if slope not in self._known:
            self._known[slope] = self.rounding.enclosed(slope)
        return self._known[slope]

    def add(self, x: Bounds, y: Bounds) -> Bounds:
        """Return bounds of x + y."""
        return self.rounding.down.add(x[0], y[0]), self.rounding.up.add(x[1], y[1])

    def slope(self, bounds: Bounds) -> Slope:
        """Return bounds as an enclosure; as the number, if they are one."""
        low, high = map(mpq, self.rounding.kept(bounds))
        return low if low == high else Enclosure(low=low, high=high)


def exact_numbers(bits: int | None) -> ExactNumbers:
    """Return rational numbers, or enclosures of so many bits."""
    return Rationals() if bits is None else Enclosures(bits)


class Rounded(FloatCalculation):
    """Numbers of a format: every slope, every sum and every product is rounded."""

    def __init__(self, format: FloatFormat) -> None:
        super().__init__(format)
        self._known: dict[Slope, Number] = {}

    def number(self, slope: Slope) -> Number:
        """Return a slope rounded once; raises BitLimitError if its bounds do not tell where to."""
        if slope not in self._known:
            low, high = (
                super(Rounded, self).number(x) for x in (slope if isinstance(slope, Enclosure) else (slope,) * 2)
            )
            if low != high and (low == low or high == high):  # NaN is what some formats make of a large number
                raise BitLimitError(f"the bounds of the slope {slope} are rounded to different numbers")
            self._known[slope] = low
        return self._known[slope]


# --- The slopes of a run.


AtKinks = Literal[0, 1] | None
"""The slope that a unit is given at a kink; None for none."""


def slopes_along(
    network: Network, word: str | Sequence[object], bits: int | None, at_kinks: AtKinks = None
) -> list[StepSlopes]:
    """Return the slopes of all units in each step of a word.

    Parameters
    ----------
    network : Network
    word : str or sequence
        Symbols or vectors; EOS steps are not taken.
    bits : int or None
        Of the bounds of states and sums; None for rational numbers.
    at_kinks : 0, 1 or None
        The slope of a clamp where it is at a bound; a jump has the slope 0 with either. None refuses both.

    Raises
    ------
    OptionError
        If a unit is at a kink or a jump and no slope is given, or another one.
    BitLimitError
        If so many bits do not tell on which side of a kink a unit is.
    UnsupportedArithmeticError, WordError
        If a unit is smooth and no bits are given; if the word does not fit.
    """
    if at_kinks is not None:
        whole_number("at_kinks", at_kinks, 0, 1, otherwise="None")
    inputs = network.inputs(word)
    arithmetic: Any = RATIONAL if bits is None else Interval(bits=bits)
    given = network.written(inputs)
    found = run(showing_all(network), given, arithmetic=arithmetic, max_steps=len(inputs), record="all")
    if found.outcome is Outcome.OUT_OF_DOMAIN:
        raise WordError(
            f"input {found.steps + 1} is beyond the bounds that {network.name} is right for: give a smaller one"
        )
    states = found.trace
    return [
        _of_step(network, before, given, after, number, at_kinks)  # type: ignore[arg-type]  # rationals, or enclosures
        for number, ((before, after), given) in enumerate(zip(pairwise(states), inputs, strict=True), 1)
    ]


def showing_all(network: Network) -> Network:
    """Return the network with a longer state: behind it are the values of all units in the last step, and their sums.

    So every executor gives the numbers that derivatives are taken at.
    """
    circuit = network.circuit
    own, more = circuit.state_size, 2 * circuit.units

    def place(register: int) -> int:
        return register if register < own else register + more

    def moved(unit: Unit) -> Unit:
        linear = tuple((place(register), weight) for register, weight in unit.linear)
        products = tuple((place(first), place(second), weight) for first, second, weight in unit.bilinear)
        return replace(unit, linear=linear, bilinear=products)

    layers = [tuple(map(moved, layer)) for layer in circuit.layers]
    sums = [
        replace(unit, name=f"sum of {unit.name}", activation=Activation.IDENTITY) for layer in layers for unit in layer
    ]
    begin = place(own + circuit.input_size) if sums else 0
    whole = Circuit(
        state_size=own + more,
        input_size=circuit.input_size,
        layers=(*layers, tuple(sums)) if sums else (),
        next_state=(*map(place, circuit.next_state), *range(begin, begin + more)),
    )
    return replace(network, circuit=whole, initial_state=(*network.initial_state, *(ZERO,) * more))


def _of_step(
    network: Network,
    before: Sequence[Slope],
    given: Input,
    after: Sequence[Slope],
    number: int,
    at_kinks: AtKinks,
) -> StepSlopes:
    """Return the slopes in the step between two states of the network that shows all."""
    circuit = network.circuit
    own, units = circuit.state_size, circuit.units
    vector = input_vector(given, circuit.input_size)
    values = [*before[:own], *vector, *after[own : own + units]]
    follows = [True] * own + [False] * len(vector)  # whether a register is no constant near this state
    found: list[tuple[UnitSlopes, ...]] = []
    sums = iter(after[own + units :])
    for layer in circuit.layers:
        slopes, not_constant = [], []
        for unit, total, value in zip(layer, sums, values[len(follows) :], strict=False):
            terms: tuple[tuple[int, Slope], ...] = unit.linear
            for first, second, weight in unit.bilinear:
                terms += (first, _scaled(weight, values[second])), (second, _scaled(weight, values[first]))
            reads = any(follows[register] for register, _ in terms)
            moves = any(follows[register] for register, slope in terms if slope)
            factor = _derivative(unit.activation, total, value, at_kinks)
            # Where the sum does not move, a kink has the derivative 0: it bends what is smaller than any slope. A jump
            # has none.
            if factor is None and (reads if unit.activation.kind is Kind.JUMP else moves):
                raise _kink(unit, total, number)
            not_constant.append(reads and (factor is None or bool(factor)))
            slopes.append(UnitSlopes(factor if factor is not None and reads else ZERO, terms))
        follows += not_constant
        found.append(tuple(slopes))
    return tuple(found)


def _scaled(weight: mpq, value: Slope) -> Slope:
    if isinstance(value, Enclosure):
        low, high = sorted((weight * value.low, weight * value.high))
        return Enclosure(low=low, high=high)
    return weight * value


def _derivative(activation: Activation, total: Slope, value: Slope, at_kinks: AtKinks) -> Slope | None:
    """Return the derivative of an activation at a sum, where it has this value; None where none is known."""
    least, most = total if isinstance(total, Enclosure) else (total, total)
    match activation.kind:
        case Kind.CLAMP:
            low, high = activation.low, activation.high
            if any(bound is not None and least <= bound <= most for bound in (low, high)):
                return None if at_kinks is None or least != most else mpq(at_kinks)
            return ONE if (low is None or least > low) and (high is None or most < high) else ZERO
        case Kind.JUMP:
            return ZERO if most < 0 or least > 0 or (at_kinks is not None and least == most) else None
        case Kind.SIGMOID:
            return _concave(lambda x: x * (1 - x), value, peak=mpq(1, 2))
        case Kind.TANH:
            return _concave(lambda x: 1 - x * x, value, peak=ZERO)
        case Kind.SOFTPLUS:
            return _sigmoid(least, most)
        case Kind.EXP:
            return value
        case _:
            assert_never(activation.kind)


def _concave(function: Callable[[mpq], mpq], at: Slope, peak: mpq) -> Slope:
    """Return bounds of a function that rises to its peak and falls from there: the least value is at an end."""
    if not isinstance(at, Enclosure):
        return function(at)
    ends = function(at.low), function(at.high)
    return Enclosure(low=min(ends), high=function(peak) if at.contains(peak) else max(ends))


def _sigmoid(least: mpq, most: mpq) -> Slope:
    """Return bounds of the sigmoid between two numbers, with some more bits than these have."""
    bits = 64 + max(x.numerator.bit_length() + x.denominator.bit_length() for x in (least, most))
    with DirectedRounding.wide():
        rounding = DirectedRounding(bits)
        bounds = rounding.sigmoid((rounding.enclosed(least)[0], rounding.enclosed(most)[1]))
        return rounding.enclosure(rounding.kept(bounds))


def _kink(unit: Unit, total: Slope, number: int) -> Exception:
    """Return the error of a unit that is at a kink, or may be."""
    where = f"step {number}: the sum of unit {shown(unit.name)} is"
    if isinstance(total, Enclosure) and total.width:
        return BitLimitError(f"{where} in {total}, where {unit.activation} has a kink: more bits may tell its side")
    number_there = total.low if isinstance(total, Enclosure) else total
    return OptionError(
        f"{where} {number_there}, a kink of {unit.activation}, where there is no derivative: change the word, the "
        "start state or a bias a little, or say with at_kinks= which slope it is given there"
    )

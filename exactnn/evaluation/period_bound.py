"""What divides every period of a network on one symbol: which numbers of the state depend on which, and how."""

from dataclasses import dataclass, replace
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from typing import assert_never

from gmpy2 import mpq

from exactnn.arithmetic import FixedPoint, FloatFormat, Rounding, is_finite
from exactnn.linear_algebra import Vector
from exactnn.networks import Input, Kind, Network, Unit
from exactnn.networks.network import input_vector

__all__ = ["period_bound"]


def period_bound(core: Network, given: Input, format: FloatFormat | FixedPoint) -> tuple[int | None, str]:
    """Return what divides every period of a network on an input, or None and why the theorem does not say it.

    It says it of states of which no number becomes a NaN: :func:`exactnn.evaluation.unary_period` has the theorem.
    """
    inner: FloatFormat | FixedPoint | None = format
    while inner is not None:
        if isinstance(inner, FixedPoint) and inner.overflow == "wrap":
            return None, f"{inner} wraps round, which is not monotone"
        inner = inner.accumulator
    names = core.circuit.state_names
    registers = _registers(core, given, format)
    ways = [registers[source].ways for source in core.circuit.next_state]
    try:
        order = TopologicalSorter({i: each.keys() - {i} for i, each in enumerate(ways)}).static_order()
        exponents: dict[int, int] = {}
        for i in order:
            own = ways[i].get(i)
            if own is _Way.NEITHER:
                return None, f"{names[i]} is not known to be monotone in itself"
            below = max((exponents[j] for j in ways[i] if j != i), default=0)
            exponents[i] = below + (own in (_Way.DESCENDS, _Way.EITHER))
    except CycleError as error:
        together = sorted(set(error.args[1]))
        return None, f"{' and '.join(names[i] for i in together[:3])} depend on each other"
    hidden = _Sizes.of(format).jump_that_may_hide(core, given) if isinstance(format, FloatFormat) else None
    if hidden is not None:
        return None, f"the jump {hidden.name} might hide a NaN"
    return 2 ** max(exponents.values(), default=0), ""


class _Way(Enum):
    """How a number depends on one number of the state, the others held: what every unit keeps or turns round."""

    ASCENDS = "ascends"
    DESCENDS = "descends"
    EITHER = "ascends or descends, as other numbers decide"
    NEITHER = "is not known to be monotone"

    def times(self, sign: "_Sign") -> "_Way | None":
        """Return the way of a product with a factor of that sign, which does not depend on the number."""
        match sign:
            case _Sign.ZERO:
                return None
            case _Sign.POSITIVE:
                return self
            case _Sign.NEGATIVE:
                return {_Way.ASCENDS: _Way.DESCENDS, _Way.DESCENDS: _Way.ASCENDS}.get(self, self)
            case _Sign.ANY:
                return _Way.NEITHER if self is _Way.NEITHER else _Way.EITHER
            case _:
                assert_never(sign)


class _Sign(Enum):
    """What is known of the sign of a number: that it is at least 0, at most 0, both, or nothing."""

    ZERO = (False, False)
    POSITIVE = (False, True)
    NEGATIVE = (True, False)
    ANY = (True, True)

    @classmethod
    def of(cls, number: mpq) -> "_Sign":
        return cls((number < 0, number > 0))

    def times(self, other: "_Sign") -> "_Sign":
        (below, above), (low, high) = self.value, other.value
        return _Sign(((below and high) or (above and low), (below and low) or (above and high)))

    def plus(self, other: "_Sign") -> "_Sign":
        return _Sign((self.value[0] or other.value[0], self.value[1] or other.value[1]))


@dataclass(frozen=True, slots=True)
class _Register:
    """A register of a step: its sign, and in which way it depends on which numbers of the state."""

    sign: _Sign
    ways: dict[int, _Way]


def _registers(core: Network, given: Input, format: FloatFormat | FixedPoint) -> list[_Register]:
    """Return the registers of a step on an input, after the first step.

    Of numbers that depend on no state only the signs are used: a sum of rounded terms has the sign of the terms if all
    have one, and else any.
    """
    circuit = core.circuit
    units = [unit for layer in circuit.layers for unit in layer]
    first_unit = circuit.state_size + circuit.input_size
    registers = []
    for i, source in enumerate(circuit.next_state):
        low, high = _bounds(units[source - first_unit], format) if source >= first_unit else (True, True)
        registers.append(_Register(_Sign((low, high)), {i: _Way.ASCENDS}))
    registers += [_Register(_Sign.of(entry), {}) for entry in _vector(core, given)]
    for layer in circuit.layers:
        registers += [_register(unit, registers, format) for unit in layer]
    return registers


def _vector(core: Network, given: Input) -> Vector:
    return input_vector(given, core.circuit.input_size)


def _bounds(unit: Unit, format: FloatFormat | FixedPoint) -> tuple[bool, bool]:
    """Return whether a unit may be below 0, and above 0, by its activation alone; a NaN is no bound."""
    ends = (unit.activation.low, unit.activation.high)
    low, high = (None if end is None else format.parameters.rounded(end) for end in ends)
    return low is None or low != low or low < 0, high is None or high != high or high > 0


def _register(unit: Unit, registers: list[_Register], format: FloatFormat | FixedPoint) -> _Register:
    """Return what is known of a unit; its activation, whichever it is, never descends."""
    sign, ways = _Sign.of(unit.bias), dict[int, _Way]()
    for register, weight in unit.linear:
        sign = sign.plus(_Sign.of(weight).times(registers[register].sign))
        _add(ways, registers[register].ways, _Sign.of(weight))
    for first, second, weight in unit.bilinear:
        left, right = registers[first], registers[second]
        sign = sign.plus(_Sign.of(weight).times(left.sign).times(right.sign))
        for one, other in ((left, right), (right, left)):
            alone = {i: _Way.NEITHER if i in other.ways else way for i, way in one.ways.items()}
            _add(ways, alone, _Sign.of(weight).times(other.sign))
    below, above = _bounds(unit, format)
    if unit.activation.keeps_zero:
        below, above = below and sign.value[0], above and sign.value[1]
    return _Register(_Sign((below, above)), ways)


def _add(ways: dict[int, _Way], more: dict[int, _Way], factor: _Sign) -> None:
    """Add a term to a sum: with two that go different ways nothing is known."""
    for i, way in more.items():
        turned = way.times(factor)
        if turned is not None:
            together = turned is not _Way.EITHER and ways.get(i) is turned
            ways[i] = turned if i not in ways or together else _Way.NEITHER


# --- Where a NaN could be hidden: a jump makes a number of it, and whatever else reads one gives a NaN.


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What absolute values are at most in a format, of numbers that are never infinite nor a NaN; None of others."""

    parameters: FloatFormat
    upward: tuple[FloatFormat, ...]

    @classmethod
    def of(cls, format: FloatFormat) -> "_Sizes":
        """Return sizes in a format: those in its accumulator first, and then those in the format itself."""
        formats = (format,) if format.accumulator is None else (format.accumulator, format)
        return cls(format.parameters, tuple(replace(each, rounding=Rounding.UP, name="") for each in formats))

    def jump_that_may_hide(self, core: Network, given: Input) -> Unit | None:
        """Return a jump whose argument may be infinite or a NaN, whatever the state is; None if there is none."""
        if all(each.overflow == "saturate" for each in self.upward):
            return None
        circuit = core.circuit
        units = [unit for layer in circuit.layers for unit in layer]
        first_unit = circuit.state_size + circuit.input_size
        sources = [units[source - first_unit] if source >= first_unit else None for source in circuit.next_state]
        known = [
            None if unit is None or unit.activation.kind is not Kind.JUMP else self._value(unit, None)
            for unit in sources
        ]
        known += map(self._parameter, _vector(core, given))
        for unit in units:
            argument = self._argument(unit, known)
            if argument is None and unit.activation.kind is Kind.JUMP:
                return unit
            known.append(self._value(unit, argument))
        return None

    def _parameter(self, value: mpq) -> mpq | None:
        return _rounded(abs(value), self.parameters)

    def _argument(self, unit: Unit, known: list[mpq | None]) -> mpq | None:
        """Return the size of a sum, and of all sums on the way to it, in whatever order.

        An addition makes sizes larger by a factor of 1 + 2^(1-p) at most; n of them by 2^k, with n / 2^(p-2) rounded
        up to k.
        """
        total = self._parameter(unit.bias)
        terms = [(weight, [register]) for register, weight in unit.linear]
        terms += [(weight, [first, second]) for first, second, weight in unit.bilinear]
        for weight, registers in terms:
            term = self._parameter(weight)
            for register in registers:
                factor = known[register]
                term = None if term is None or factor is None else _rounded(term * factor, self.upward[0])
            total = None if total is None or term is None else total + term
        if total is None:
            return None
        total *= mpq(2) ** -(-len(terms) // 2 ** (self.upward[0].precision - 2))
        return _rounded(total, *self.upward)

    def _value(self, unit: Unit, argument: mpq | None) -> mpq | None:
        """Return the size of what an activation makes of an argument; a jump makes a number of every one."""
        activation = unit.activation
        bounds = [self._parameter(end) for end in (activation.low, activation.high) if end is not None]
        sizes = [bound for bound in bounds if bound is not None]
        if len(sizes) < len(bounds) or (argument is None and activation.kind is not Kind.JUMP):
            return None
        if len(sizes) == 2:
            return max(sizes)
        return max([argument, *sizes]) if argument is not None and activation.kind is Kind.CLAMP else None


def _rounded(value: mpq, *formats: FloatFormat) -> mpq | None:
    """Return a number rounded into formats, one after the other; None if it is beyond one of them."""
    for format in formats:
        found = format.rounded(value)
        if not is_finite(found):
            return None
        value = mpq(found)
    return value

"""Exact steps of a network as one would write them without an engine: what the exact executors are compared with.

Each takes and returns a state as rationals, and works on it in its own form in between. They know networks with one
layer of units that are linear in the state and have saturated linear activations, as the real-time construction makes
them.
"""

from collections.abc import Sequence

from gmpy2 import bit_length, bit_scan1, mpq, mpz

from exactnn.networks import Activation, Network, Unit

try:
    import flint
except ImportError:
    flint = None

__all__ = ["RationalMatrix", "ScaledIntegers", "flint"]


class ScaledIntegers:
    """The state as integers over one power of two, which grows with every product and is reduced after every step.

    The non-zero weights are sorted by the register that they read, and registers that are zero are skipped.
    """

    def __init__(self, network: Network) -> None:
        units = _units(network)
        numbers = [unit.bias for unit in units] + [weight for unit in units for _, weight in unit.linear]
        self.shift = max(_binary_places(number) for number in numbers)
        self.biases = [self._scaled(unit.bias) for unit in units]
        self.inputs = network.circuit.input_size
        self.columns: list[list[tuple[int, mpz]]] = [[] for _ in range(len(units) + self.inputs)]
        for index, unit in enumerate(units):
            for register, weight in unit.linear:
                self.columns[register].append((index, self._scaled(weight)))

    def _scaled(self, number: mpq) -> mpz:
        return mpz(number * (1 << self.shift))

    def advance(self, state: Sequence[mpq], symbol: int, steps: int) -> tuple[mpq, ...]:
        """Apply the same input `steps` times."""
        places = max(_binary_places(value) for value in state)
        numerators = [mpz(value * (mpz(1) << places)) for value in state]
        for _ in range(steps):
            numerators, places = self._step(numerators, symbol, places)
        return tuple(mpq(value, mpz(1) << places) for value in numerators)

    def _step(self, state: list[mpz], symbol: int, places: int) -> tuple[list[mpz], int]:
        one = mpz(1) << places
        totals = [bias << places for bias in self.biases]
        for register, value in enumerate([*state, *(one if i == symbol else 0 for i in range(self.inputs))]):
            if value:
                for index, weight in self.columns[register]:
                    totals[index] += weight * value
        places += self.shift
        one <<= self.shift
        following = [mpz(0) if total <= 0 else min(total, one) for total in totals]
        spare = min([places, *(bit_scan1(value) for value in following if value)])
        return [value >> spare for value in following], places - spare


class RationalMatrix:
    """A dense matrix of python-flint's rationals times a column: the state, the input, and 1 for the bias."""

    def __init__(self, network: Network) -> None:
        units = _units(network)
        self.inputs = network.circuit.input_size
        rows = []
        for unit in units:
            row = [flint.fmpq(0)] * (len(units) + self.inputs) + [_fmpq(unit.bias)]
            for register, weight in unit.linear:
                row[register] = _fmpq(weight)
            rows.append(row)
        self.matrix = flint.fmpq_mat(rows)

    def advance(self, state: Sequence[mpq], symbol: int, steps: int) -> tuple[mpq, ...]:
        """Apply the same input `steps` times."""
        zero, one = flint.fmpq(0), flint.fmpq(1)
        ending = [one if i == symbol else zero for i in range(self.inputs)] + [one]
        values = [_fmpq(value) for value in state]
        for _ in range(steps):
            column = flint.fmpq_mat([[value] for value in (*values, *ending)])
            values = [min(max(total, zero), one) for total in (self.matrix * column).entries()]
        return tuple(_mpq(value) for value in values)


def _units(network: Network) -> tuple[Unit, ...]:
    """Return the units of a network of the known form."""
    circuit = network.circuit
    (units,) = circuit.layers
    first = circuit.state_size + circuit.input_size
    assert circuit.next_state == tuple(range(first, first + len(units)))
    assert all(unit.activation == Activation.SLU and not unit.bilinear for unit in units)
    return units


def _binary_places(number: mpq) -> int:
    """Return k for a denominator 2**k."""
    places: int = bit_length(number.denominator) - 1
    assert number.denominator == mpz(1) << places, number
    return places


def _fmpq(number: mpq) -> "flint.fmpq":
    """Convert by hexadecimal text, which takes linear time."""
    return flint.fmpq(flint.fmpz(int(number.numerator)), flint.fmpz(int(number.denominator)))


def _mpq(number: "flint.fmpq") -> mpq:
    return mpq(int(number.p), int(number.q))

"""Executor in any fixed-point format, one operation after the other, in rationals."""

from gmpy2 import mpq

from exactnn.arithmetic import FixedOperations, FixedPoint
from exactnn.errors import CheckpointError, shown
from exactnn.networks import Network
from exactnn.simulation.emulated import EmulatedExecutor, EmulatedState
from exactnn.simulation.fixed_parameters import bounding_word, check_parameters, fixed_word
from exactnn.simulation.packed import unpack_integer, unpack_rationals

__all__ = ["EmulatedFixedExecutor", "unpack_fixed"]


class EmulatedFixedExecutor(EmulatedExecutor):
    """A network in a fixed-point format, as :class:`EmulatedExecutor` in a floating-point one.

    Raises
    ------
    UnsupportedArithmeticError
        If a parameter of the network is beyond the range of the format.

    Examples
    --------
    >>> from exactnn.networks import SimpleRNN
    >>> network = SimpleRNN(V=[["1/3"]], W=[[1]], b=[0], s=[0], readout_weight=[1])
    >>> executor = EmulatedFixedExecutor(network, FixedPoint(integer_bits=2, fraction_bits=4))
    >>> executor.advance(executor.start(), (mpq(1),), 2, until_decided=False).outputs
    [(1.0, 1), (1.3125, 1)]
    """

    def __init__(self, network: Network, format: FixedPoint) -> None:
        check_parameters(network, format)
        super().__init__(network, format, FixedOperations)
        self._fixed = format

    def _parameter(self, value: mpq) -> mpq:
        """Return a weight, bias or input as a number of the format."""
        found: mpq | None = self._rounded.get(value)
        if found is None:
            found = self._rounded[value] = self._fixed.number(fixed_word(self._fixed, value))
        return found

    def _bound(self, value: mpq | None) -> mpq | None:
        """Return a bound of an activation as a number of the format; one beyond the range bounds nothing."""
        return None if value is None else self._fixed.number(bounding_word(self._fixed, value))

    def unpack(self, data: object) -> EmulatedState:
        """Return the state that :meth:`pack` wrote; raises CheckpointError for data that it cannot have written."""
        return EmulatedState(*unpack_fixed(data, self._fixed, self.network.circuit.state_size))


def unpack_fixed(data: object, format: FixedPoint, size: int) -> tuple[tuple[mpq, ...], int]:
    """Return the numbers of a state in a format, and how many operations there were before, from JSON data.

    Raises
    ------
    CheckpointError
        If `data` is no such state.

    Examples
    --------
    >>> unpack_fixed({"numbers": ["0x3/0x2"], "operations": "0x0"}, FixedPoint(integer_bits=4, fraction_bits=4), 1)
    ((mpq(3,2),), 0)
    """
    if not isinstance(data, dict) or data.keys() != {"numbers", "operations"}:
        raise CheckpointError(f"{shown(data)} is no state in {format}")
    numbers = unpack_rationals(data["numbers"], size)
    for number in numbers:
        if not format.has_number(number):
            raise CheckpointError(f"{shown(number)} is no number of {format}")
    return numbers, unpack_integer(data["operations"])

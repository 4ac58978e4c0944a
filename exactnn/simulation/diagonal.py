"""Networks of which each number of the state has a step ``h <- a h + c`` of its own, on letters: a fast way for them.

State-space models with a real diagonal are such networks, and counters, gates, leaky sums. A letter chooses the two
numbers a and c. The product is rounded, then the sum, as the circuit says; only terms that are 0 are left out.

They are computed in float32 where that has room for the products of the format, else in float64. Two things could
differ there from the format: numbers that are too large, and products that are too small.

*Too large.* Let all |a| <= A and all |c| <= C, and h be a number of the format. The product a h is at most (A - 1) |h|
away from a number of the format, h, if A > 1; so rounded it is at most (2A - 1) |h|. If A <= 1, rounding being
monotone, it is at most |h|. The sum with c, in the same way, is at most 2C larger. Hence, as long as nothing overflows,
|h| <= M on some letter gives |h| <= G M + 2C on the next one, where G = max(1, 2A - 1). The largest M from which n
letters stay within the range is `most`; every n letters the kernel looks whether all numbers are at most that. The
range is that of the format, less what is so large that the kernel's way to round a product would overflow.

*Too small.* Let u be the least positive number of the format, and v that of float32 (or float64). A product of two
numbers of p bits has 2p bits. Rounded first to a multiple of v and then to one of u, it could only go wrong near an odd
multiple of u/2. Beyond u/2 all of its bits are multiples of u 2^(-2p), so the first rounding changes nothing if
v <= u 2^(-2p). Below u/2 both roundings together give 0 or, at most, the tie u/2, which also becomes 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import frexp, inf, isfinite
from typing import Any, assert_never

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from exactnn.networks import Circuit, Kind
from exactnn.simulation.carriers.fixed import Fixed
from exactnn.simulation.carriers.native import Native
from exactnn.simulation.carriers.pair import Pair
from exactnn.simulation.carriers.rounded import Rounded, Short, once_more
from exactnn.simulation.diagonal_kernels import BLOCK_BYTES, STRIDE, read_letters
from exactnn.simulation.float_rows import KINDS, Rows
from exactnn.simulation.layout import Carrier

__all__ = ["Diagonal", "diagonal_of"]


Array = NDArray[Any]

LINE = 64
"""Bytes of a line of the cache."""

MOST_STEPS = 100_000
"""Steps of a number on a letter that are looked for."""


@dataclass(frozen=True, slots=True)
class Diagonal:
    """The steps of a network on its letters, for the kernel."""

    factors: Array
    constants: Array
    """The a and c of ``h <- a h + c``, of shape (blocks, letters, numbers of a block); beyond the state they are 0."""
    most: np.floating[Any]
    """The largest number from which the kernel takes `STRIDE` steps."""
    rounding: tuple[np.signedinteger[Any], np.floating[Any], np.signedinteger[Any]] | None
    """How the kernel rounds; None if the processor does."""

    def as_letters(self, word: Sequence[Any]) -> Array:
        """Return numbers of symbols as the kernel reads them."""
        short = self.factors.shape[1] <= 256
        return np.frombuffer(bytes(word), dtype=np.uint8) if short else np.array(word, dtype=np.uint32)

    def read(self, state: Array, letters: Array) -> tuple[Array, int]:
        """Return the state after the steps of the first letters, and how many they are: all, or fewer."""
        numbers = np.zeros((self.factors.shape[0], self.factors.shape[2]), dtype=self.factors.dtype)
        flat = numbers.reshape(-1)[: len(state)]
        flat[:] = state
        taken = read_letters(letters, self.factors, self.constants, numbers, self.most, self.rounding)
        return flat.astype(state.dtype), taken


def diagonal_of(circuit: Circuit, rows: Rows, carrier: Carrier) -> Diagonal | None:
    """Return the steps on letters of a circuit whose numbers each depend on themselves only; None of any other one.

    `rows` are its units, of which terms that are 0 may be left out, and `carrier` is that of the sums and the results.
    None also of formats that the kernel does not compute in, and of circuits that would take long to look through.
    """
    found = _home_of(carrier, rows.bias.dtype)
    size, letters = circuit.state_size, circuit.input_size
    if found is None or not 0 < size * letters <= MOST_STEPS:
        return None
    home, largest, rounding = found
    steps = _Steps(circuit, rows, carrier)
    width = BLOCK_BYTES // np.dtype(home).itemsize
    blocks = -(-size // width)
    factors, constants = (_aligned((blocks, letters, width), home) for _ in range(2))
    for i in range(size):
        step = steps.of_number(i)
        if step is None:
            return None
        factors[i // width, :, i % width], constants[i // width, :, i % width] = step
    most = _most(float(np.abs(factors).max()), float(np.abs(constants).max()), largest)
    if most is None:
        return None
    return Diagonal(factors, constants, np.nextafter(home(most), home(0)), rounding)


_HOMES: tuple[tuple[Any, Any, int, int], ...] = ((np.float32, np.int32, 24, -149), (np.float64, np.int64, 53, -1074))
"""The types that the kernel computes in and their words; their bits, and the exponent of the least positive number."""


def _aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return zeros that begin where a line of the cache does, so that no vector lies in two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE, dtype=np.uint8)
    begin = -room.ctypes.data % LINE
    found: Array = room[begin : begin + size].view(dtype).reshape(shape)
    return found


def _home_of(carrier: Carrier, dtype: np.dtype[Any]) -> tuple[Any, float, Any] | None:
    """Return in which type the kernel computes, the largest number that it takes, and how it rounds."""
    match carrier:
        case Native():
            return dtype.type, float(np.finfo(dtype).max), None
        case Short(format):
            precision = 2 - frexp(format.unit)[1]
            for home, word, bits, least in _HOMES:
                limits = np.finfo(home)
                own_least = frexp(format.smallest * format.unit)[1] - 1
                has_room = 2 * precision + 2 <= bits and own_least - 2 * precision >= least
                if has_room and format.smallest >= limits.smallest_normal and format.largest <= float(limits.max):
                    shift = 1.5 * 2.0 ** (bits - precision)
                    largest = min(format.largest, float(limits.max) / (4 * shift))
                    return home, largest, (home(format.smallest).view(word), home(shift), word(bits - precision))
            return None
        case Rounded() | Pair() | Fixed():
            return None
        case _:
            assert_never(carrier)


def _most(factor: float, constant: float, largest: float) -> float | None:
    """Return the largest number from which `STRIDE` steps stay within the range; None if there is none."""
    if not (isfinite(factor) and isfinite(constant)):
        return None
    growth, left = max(mpq(1), 2 * mpq(factor) - 1), mpq(largest)
    for _ in range(STRIDE):
        left = (left - 2 * mpq(constant)) / growth
    return float(left) if left > 0 else None


class _Steps:
    """The units of a circuit, looked through for steps ``h <- a h + c``."""

    def __init__(self, circuit: Circuit, rows: Rows, carrier: Carrier) -> None:
        self._size, self._letters = circuit.state_size, circuit.input_size
        self._units, self._sources = circuit.units, circuit.next_state
        self._rows, self._carrier = rows, carrier

    def of_number(self, number: int) -> tuple[list[Any], list[Any]] | None:
        """Return a and c of a number of the state for all letters, as numbers of the format.

        The sum of its unit begins with the bias. Of the terms that are not 0, those before a h belong to `before`; and
        after a h there may be a constant, if `before` is 0 then.
        """
        rows, unit = self._rows, self._sources[number] - self._size - self._letters
        if not 0 <= unit < self._units or rows.kind[unit] != KINDS[Kind.CLAMP]:
            return None
        if rows.low[unit] != -inf or rows.high[unit] != inf:
            return None
        before, zero = [rows.bias[unit]] * self._letters, rows.bias.dtype.type(0)
        factors, after = [zero] * self._letters, [zero] * self._letters
        for weight, registers in self._terms(unit):
            read = [register for register in registers if register < self._size]
            letters = {register - self._size for register in registers if register >= self._size}
            if (
                any(register != number for register in read)
                or len(read) > 1
                or max(letters, default=0) >= self._letters
            ):
                return None
            if not weight or len(letters) > 1:  # the term is 0: no two letters are read at once
                continue
            for letter in letters or range(self._letters):
                if read and factors[letter]:
                    return None
                if read:
                    factors[letter] = weight
                elif not factors[letter]:
                    before[letter] = self._sum(before[letter], weight)
                elif not after[letter]:
                    after[letter] = weight
                else:
                    return None
        if any(early and late for early, late in zip(before, after, strict=True)):
            return None
        return factors, [early or late for early, late in zip(before, after, strict=True)]

    def _terms(self, unit: int) -> Iterator[tuple[Any, list[int]]]:
        """Return the terms of a unit in order: their weights, and the registers that they multiply."""
        rows = self._rows
        for at in range(rows.ends[unit], rows.ends[unit + 1]):
            yield rows.weights[at], [int(rows.columns[at])]
        for at in range(rows.second_ends[unit], rows.second_ends[unit + 1]):
            yield rows.second_weights[at], [int(rows.lefts[at]), int(rows.rights[at])]

    def _sum(self, x: Any, y: Any) -> Any:
        with np.errstate(all="ignore"):
            return x + y if isinstance(self._carrier, Native) else once_more(x + y, self._carrier)

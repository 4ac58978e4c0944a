"""Numbers h, each with a step ``h <- a h + c`` of its own on every letter: as many as fill vector registers, at once.

A number stays in a register of the processor from letter to letter; so what numba makes of a plain loop, which writes
the state to memory after every letter, would not do, and the loop is written in LLVM's terms.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from exactnn.simulation.compiled import compiled

__all__ = ["BLOCK_BYTES", "STRIDE", "read_letters"]

Array = NDArray[Any]

BLOCK_BYTES = 256
"""Bytes of the numbers that go together: 64 of float32, 32 of float64; several registers, for each waits for itself."""

STRIDE = 32
"""Letters between two looks at how large the numbers are."""

_INT, _LONG = ir.IntType(32), ir.IntType(64)
_EXPONENT = {32: 255 << 23, 64: 2047 << 52}


@intrinsic
def step_through(
    typing_context: Any, letters: Any, begin: Any, end: Any, factors: Any, constants: Any, numbers: Any, rounding: Any
) -> Any:
    """Take the steps of the letters from `begin` to `end`, for one block of numbers.

    `factors` and `constants` have a row for each letter, `numbers` are the state. With None as `rounding` products and
    sums are what the processor makes of them. With ``(lowest, shift, dropped)`` they are rounded to fewer bits p than
    the P of their type: `lowest` are the bits of the least number of the lowest binade, `shift` is 1.5 * 2^(P-p), and
    `dropped` is P-p.
    """
    bits = numbers.dtype.bitwidth
    width = BLOCK_BYTES * 8 // bits
    rounds = not isinstance(rounding, types.NoneType)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(context.get_value_type(numbers.dtype), width)
        words = ir.VectorType(ir.IntType(bits), width)

        def of_array(argument: int) -> Any:
            return context.make_array(signature.args[argument])(context, builder, arguments[argument]).data

        def place(data: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())

        def loaded(data: Any, index: Any) -> Any:
            found = builder.load(place(data, index))
            found.align = bits // 8
            return found

        nearest = _Nearest(builder, arguments[6], vector, words) if rounds else None
        letter_data, factor_data, constant_data, number_data = map(of_array, (0, 3, 4, 5))
        state: Any = cgutils.alloca_once_value(  # type: ignore[no-untyped-call]
            builder, loaded(number_data, _LONG(0))
        )
        with cgutils.for_range(builder, builder.sub(arguments[2], arguments[1])) as loop:
            letter = builder.load(builder.gep(letter_data, [builder.add(arguments[1], loop.index)]))
            row = builder.mul(builder.zext(letter, _LONG), _LONG(width))
            value = builder.fmul(loaded(factor_data, row), builder.load(state))
            value = builder.fadd(nearest.product(value) if nearest else value, loaded(constant_data, row))
            builder.store(nearest.sum(value) if nearest else value, state)
        builder.store(builder.load(state), place(number_data, _LONG(0))).align = bits // 8
        return context.get_dummy_value()

    return types.void(letters, begin, end, factors, constants, numbers, rounding), generate


class _Nearest:
    """What rounds vectors of numbers to nearest, ties to even, in two ways; see :func:`step_through`."""

    def __init__(self, builder: Any, rounding: Any, vector: Any, words: Any) -> None:
        self._builder, self._vector, self._words = builder, vector, words
        width, bits = vector.count, words.element.width
        lowest, shift, dropped = (builder.extract_value(rounding, i) for i in range(3))
        self._lowest, self._dropped = self._everywhere(lowest, words), self._everywhere(dropped, words)
        self._shift = self._everywhere(shift, vector)
        self._exponent, self._one = (ir.Constant(words, [value] * width) for value in (_EXPONENT[bits], 1))
        unit = builder.shl(self._one, self._dropped)
        self._below_half = builder.sub(builder.lshr(unit, self._one), self._one)
        self._kept, self._back = builder.neg(unit), builder.fneg(self._shift)
        self._multiply_add: Any = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{width}f{bits}"
        )

    def _everywhere(self, value: Any, of: Any) -> Any:
        """Return a vector all of whose entries are a number."""
        first = self._builder.insert_element(ir.Constant(of, ir.Undefined), value, _INT(0))
        return self._builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_INT, of.count), [0] * of.count))

    def product(self, value: Any) -> Any:
        """Round numbers x that may be below the least positive number.

        Let m be the power of two at or below |x|. Then x + m * shift lies in a binade whose numbers are as far apart as
        those of the format in the binade of x, so that this sum is rounded as the format says, and taking it away again
        is exact. Below the lowest binade numbers are as far apart as in it: there m is its least number.
        """
        builder = self._builder
        binade = builder.and_(builder.bitcast(value, self._words), self._exponent)
        binade = builder.select(builder.icmp_signed("<", binade, self._lowest), self._lowest, binade)
        power = builder.bitcast(binade, self._vector)
        total = builder.call(self._multiply_add, [power, self._shift, value])
        return builder.call(self._multiply_add, [power, self._back, total])

    def sum(self, value: Any) -> Any:
        """Round multiples of the least positive number: those below the lowest binade have no bits to drop.

        The bits of a magnitude are a whole number, and it grows by one unit from each number of the format to the next,
        also into the next binade. Added to it is half a unit, or just less than that if the last bit kept is 0.
        """
        builder = self._builder
        bits = builder.bitcast(value, self._words)
        odd = builder.and_(builder.lshr(bits, self._dropped), self._one)
        bits = builder.and_(builder.add(builder.add(bits, self._below_half), odd), self._kept)
        return builder.bitcast(bits, self._vector)


@compiled
def read_letters(
    letters: Array, factors: Array, constants: Array, numbers: Array, most: Any, rounding: Any
) -> int:  # fmt: skip
    """Take the steps of the letters on all blocks of numbers; return how many were taken.

    It stops early, after a multiple of `STRIDE`, where a number is beyond `most`, or a NaN. Up to there all numbers on
    the way are within the format, see :mod:`exactnn.simulation.diagonal`.
    """
    at = 0
    while at < len(letters):
        beyond = 0  # counted without a branch, which takes less time than to stop at the first
        for block in range(len(numbers)):
            for lane in range(numbers.shape[1]):
                beyond += not abs(numbers[block, lane]) <= most
        if beyond:
            return at
        end = min(at + STRIDE, len(letters))
        for block in range(len(numbers)):
            step_through(  # type: ignore[call-arg]
                letters, at, end, factors[block], constants[block], numbers[block], rounding
            )
        at = end
    return at

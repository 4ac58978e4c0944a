"""Generalised shifts as maps of the unit square: a sequence is a point, and on each cell the shift is affine.

The point of a sequence ``... a_2 a_1 h . s_1 s_2 ...`` has the digits h, a_1, a_2, ... and s_1, s_2, .... A window is a
rectangle then, and what a rule does on it is ``x' = scale x + offset``, in both coordinates: digits in front are
exchanged, and others move up or down by a place or more. Turing machines become such maps by way of their shifts.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.automata import DottedSequence, GeneralizedShift, dotted_sequence
from exactnn.errors import ConstructionError, MachineError, OptionError, shown
from exactnn.options import flag, whole_number

__all__ = ["AffineCell", "PiecewiseAffineMap", "piecewise_affine_map"]

Point = tuple[mpq, mpq]


@dataclass(frozen=True, slots=True, kw_only=True)
class AffineCell:
    """A rectangle of the unit square, closed on the left and below, open on the right and above, and its affine map.

    Parameters
    ----------
    window : tuple
        The symbols around the dot, or the head symbol alone if the shift does nothing where it stands.
    x, y : pair of mpq
        Where the rectangle begins and ends.
    scale, offset : pair of mpq
        ``x' = scale[0] x + offset[0]``, ``y' = scale[1] y + offset[1]``.
    """

    window: tuple[Hashable, ...]
    x: Point
    y: Point
    scale: Point
    offset: Point

    def contains(self, point: Point) -> bool:
        """Whether a point lies in the rectangle."""
        return self.x[0] <= point[0] < self.x[1] and self.y[0] <= point[1] < self.y[1]

    def at(self, point: Point) -> Point:
        """Return where the map of this cell takes a point."""
        return self.scale[0] * point[0] + self.offset[0], self.scale[1] * point[1] + self.offset[1]


@dataclass(frozen=True, kw_only=True)
class PiecewiseAffineMap:
    """The map of a generalised shift on the unit square, with the correspondence of sequences and points.

    Parameters
    ----------
    shift : GeneralizedShift
    bases : triple of int
        Of the first digit of x, of its other digits, and of the digits of y: at least 2, and as many as symbols.

    Raises
    ------
    OptionError
        If the bases are others.
    """

    shift: GeneralizedShift
    bases: tuple[int, int, int]

    def __post_init__(self) -> None:
        least = [max(2, size) for size in _sizes(self.shift)]
        if not isinstance(self.bases, tuple) or len(self.bases) != len(least):
            raise OptionError(f"bases={shown(self.bases)}: give three whole numbers")
        for place, fewest in enumerate(least):
            whole_number(f"bases[{place}]", self.bases[place], fewest)

    @cached_property
    def cells(self) -> tuple[AffineCell, ...]:
        """The cells, by head symbol and then in the order of the alphabets."""
        ruled = {window[self.shift.window[0] - 1] for window in self.shift.rules}
        return tuple(cell for head in self.shift.head_symbols for cell in self._cells(head, head in ruled))

    def encode(self, sequence: DottedSequence) -> Point:
        """Return the point of a sequence; raises MachineError if it is not one of the shift."""
        if not isinstance(sequence, DottedSequence):
            raise MachineError(shown(sequence), [f"it is not a sequence of {self.shift.name}"])
        found = dotted_sequence(self.shift, sequence.left, sequence.right)
        return self._corner(found.left, found.right)

    def decode(self, point: tuple[ExactNumber, ExactNumber]) -> DottedSequence:
        """Return the sequence of a point; raises ConstructionError where it is the point of none."""
        x, y = _point(point)
        alphabets = (self.shift.left_symbols, self.shift.right_symbols)
        head = floor(x * self.bases[0])
        sides = []
        for value, base, symbols in zip((x * self.bases[0] - head, y), self.bases[1:], alphabets, strict=True):
            digits = _digits(value, base)
            if digits is None or max(digits, default=0) >= len(symbols) or not 0 <= head < len(self.shift.head_symbols):
                raise ConstructionError(f"({x}, {y}) is the point of no sequence of {self.shift.name}")
            sides.append([symbols[digit] for digit in digits])
        return dotted_sequence(self.shift, [self.shift.head_symbols[head], *sides[0]], sides[1])

    def at(self, point: tuple[ExactNumber, ExactNumber]) -> Point:
        """Return where the map takes a point of the unit square; raises ConstructionError outside of every cell."""
        x, y = _point(point)
        for cell in self.cells:
            if cell.contains((x, y)):
                return cell.at((x, y))
        raise ConstructionError(f"({x}, {y}) lies in no cell of the map of {self.shift.name}")

    def _corner(self, left: Sequence[Hashable], right: Sequence[Hashable]) -> Point:
        """Return the least x and y of the sequences that begin like this on either side of the dot."""
        first, base, _ = self.bases
        rest = _number([self.shift.left_symbols.index(a) for a in left[1:]], base)
        y = _number([self.shift.right_symbols.index(a) for a in right], self.bases[2])
        return (self.shift.head_symbols.index(left[0]) + rest) / first, y

    def _cells(self, head: Hashable, ruled: bool) -> Iterator[AffineCell]:
        first, left_base, right_base = self.bases
        size_left = self.shift.window[0]
        for window in self.shift.windows(head) if ruled else [(head,)]:
            left, right = (window[:size_left], window[size_left:]) if ruled else (window, ())
            corner = self._corner(left[::-1], right)
            width = mpq(1, first * left_base ** (len(left) - 1))
            height = mpq(1, right_base ** len(right))
            rule = self.shift.rules.get(window)
            target, scale = corner, (mpq(1), mpq(1))
            if rule is not None:
                dot = size_left + rule.shift
                target = self._corner(rule.written[:dot][::-1], rule.written[dot:])
                scale = mpq(left_base) ** (size_left - dot), mpq(right_base) ** (dot - size_left)
            yield AffineCell(
                window=window,
                x=(corner[0], corner[0] + width),
                y=(corner[1], corner[1] + height),
                scale=scale,
                offset=(target[0] - scale[0] * corner[0], target[1] - scale[1] * corner[1]),
            )


def piecewise_affine_map(shift: GeneralizedShift, *, binary: bool = False) -> PiecewiseAffineMap:
    """Return the exact piecewise affine map of a shift on the unit square.

    Parameters
    ----------
    binary : bool
        Digits have as many values as there are symbols, so that the cells fill the unit square. With True the bases are
        the least powers of two that are large enough: all numbers are binary fractions, and gaps lie between cells.

    Raises
    ------
    OptionError
        If `shift` is no GeneralizedShift, or `binary` is neither True nor False.

    References
    ----------
    C. Moore, "Generalized shifts: unpredictability and undecidability in dynamical systems", *Nonlinearity* 4, 1991;
    P. beim Graben and R. Potthast, "Universal neural field computation", in *Neural Fields*, 2014.

    Examples
    --------
    The shift that moves the dot one place to the right is the baker's map:

    >>> baker = GeneralizedShift(head_symbols="01", left_symbols="01", right_symbols="01", window=(1, 1),
    ...     rules={(a, b): ((a, b), 1) for a in "01" for b in "01"})
    >>> square = piecewise_affine_map(baker)
    >>> square.at(("1/3", "3/4"))
    (mpq(2,3), mpq(1,2))
    """
    if not isinstance(shift, GeneralizedShift):
        raise OptionError(f"{shown(shift)} is no GeneralizedShift: make one with generalized_shift(machine)")
    power = flag("binary", binary)
    first, left, right = (max(2, 1 << (size - 1).bit_length() if power else size) for size in _sizes(shift))
    return PiecewiseAffineMap(shift=shift, bases=(first, left, right))


def _sizes(shift: GeneralizedShift) -> tuple[int, int, int]:
    """Return how many symbols there are for each kind of digit."""
    return len(shift.head_symbols), len(shift.left_symbols), len(shift.right_symbols)


def _point(point: tuple[ExactNumber, ExactNumber]) -> Point:
    try:
        x, y = point
    except (TypeError, ValueError):
        raise ConstructionError(f"{shown(point)} is no point: give its two coordinates") from None
    return exact(x), exact(y)


def _number(digits: Sequence[int], base: int) -> mpq:
    """Return the fraction with these digits after the point."""
    value = mpq(0)
    for digit in reversed(digits):
        value = (digit + value) / base
    return value


def _digits(value: mpq, base: int) -> list[int] | None:
    """Return the digits after the point, all that are not 0 for ever; None if they do not end, or outside of [0, 1)."""
    if not 0 <= value < 1 or base ** value.denominator.bit_length() % value.denominator:
        return None
    digits = []
    while value:
        digits.append(floor(value * base))
        value = value * base - digits[-1]
    return digits

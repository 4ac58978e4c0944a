"""A stack of bits in one number: which bases and offsets keep its contents apart, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact, short_text
from exactnn.errors import OptionError, shown
from exactnn.markup import Table, Tabular
from exactnn.options import entries, whole_number

__all__ = ["CantorStack"]

ZERO, ONE = mpq(0), mpq(1)

MOST_BASE = 1_000_000
MOST_LEVELS = 12
MOST_READ = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CantorStack(Tabular):
    """A stack of bits as a number q: 0 if it is empty, and a push of the bit z makes q / base + offset + z step of it.

    The step is (base - 1) / base - offset, so that all numbers stay below 1. With the base 4 and the offset 1/4 that is
    the stack of Siegelmann and Sontag, q / 4 + z / 2 + 1 / 4, whose numbers are a Cantor set.

    Parameters
    ----------
    base : int
        At least 2.
    offset : number
        From 0 to (base - 1) / base, which it is not; by default 1 / base.

    Raises
    ------
    OptionError, NumberError
        If one is out of range.

    Notes
    -----
    Stacks with a 0 on top are in [offset, 1 / base + offset), those with a 1 on top in [(base - 1) / base, 1), and come
    as close to the ends as they are long. So there is a unit that gives the top, SLU(slope q - threshold), if and only
    if (base - 2) / base > offset: its slope is one over the difference. In base 2 there is none, whatever the slope: 1
    and 0 1 1 ... 1 come as close as one likes, or are out of order. Without an offset a stack of zeros is 0, as the
    empty one is.

    References
    ----------
    H. T. Siegelmann and E. D. Sontag, "On the computational power of neural nets", *J. Comput. Syst. Sci.* 50, 1995.

    Examples
    --------
    >>> CantorStack().slope, CantorStack().threshold, CantorStack().number("011")
    (mpq(4,1), mpq(2,1), mpq(31,64))
    >>> print(CantorStack(base=2, offset=0).fault)
    the numbers of 1 and of 0 with n ones below it differ by 2^-(n + 1): no slope tells the top of every stack
    >>> print(CantorStack(base=4, offset=0).fault)
    the empty stack and the stack of one 0 are both 0
    """

    base: int = 4
    offset: ExactNumber | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", whole_number("base", self.base, least=2, most=MOST_BASE))
        offset = mpq(1, self.base) if self.offset is None else exact(self.offset)
        if not 0 <= offset < mpq(self.base - 1, self.base):
            most = f"{self.base - 1}/{self.base}"
            raise OptionError(f"offset={short_text(offset)}: give a number from 0 on, and below {most}")
        object.__setattr__(self, "offset", offset)

    @property
    def digits(self) -> tuple[mpq, mpq]:
        """What a push of 0 and of 1 adds to q / base."""
        return exact(self.offset), mpq(self.base - 1, self.base)

    def push(self, number: ExactNumber, bit: int) -> mpq:
        """Return the number after a push; raises OptionError if `number` is not from 0 to 1."""
        below = exact(number)
        if not 0 <= below <= 1:
            raise OptionError(f"number={short_text(below)}: a stack is a number from 0, the empty one, to 1")
        return below / self.base + self.digits[_bit(bit)]

    def pop(self, number: ExactNumber, top: int) -> mpq:
        """Return the number after a pop of the bit that is on top; raises OptionError if that is not on top.

        >>> CantorStack().pop("13/16", 0)
        Traceback (most recent call last):
        ...
        exactnn.errors.OptionError: number=13/16: stacks with a 0 on top are from 1/4 to 1/2, and the empty one is 0
        """
        whole, low = exact(number), self.digits[_bit(top)]
        if not low <= whole <= low + mpq(1, self.base):
            ends = f"from {short_text(low)} to {short_text(low + mpq(1, self.base))}"
            raise OptionError(
                f"number={short_text(whole)}: stacks with a {top} on top are {ends}, and the empty one is 0"
            )
        return (whole - low) * self.base

    def number(self, bits: str | Sequence[int]) -> mpq:
        """Return the number of a stack, its top first.

        >>> [str(CantorStack().number(bits)) for bits in ("", "0", "1", [1, 0])]
        ['0', '1/4', '3/4', '13/16']
        """
        found = ZERO
        for bit in reversed(list(bits) if isinstance(bits, str) else entries("bits", bits)):
            found = self.push(found, _bit(int(bit) if bit in ("0", "1") else bit))
        return found

    def read(self, number: ExactNumber, most: int = 64) -> tuple[str, mpq]:
        """Return the bits that the unit of the top reads off a number one by one, `most` at most, and what is left.

        Of a whole stack 0 is left. Anything else is a number with more bits, or one that is not read: the unit is
        between 0 and 1 there, or the number is below the one of every stack.

        Raises
        ------
        OptionError
            If there is no such unit (`fault`), or `most` is out of range.

        Examples
        --------
        Rounded to two bits the stack 0 1 is 1/2: a 0 with ones below it that never end. The number 5/8 is in the gap.

        >>> [(bits, str(left)) for bits, left in (CantorStack().read(q, most=3) for q in ("7/16", "1/2", "5/8"))]
        [('01', '0'), ('011', '1'), ('', '5/8')]
        """
        if self.fault is not None:
            offset = short_text(exact(self.offset))
            raise OptionError(f"base={self.base}, offset={offset}: {self.fault}; give base=4, offset='1/4'")
        most = whole_number("most", most, most=MOST_READ)
        bits, left = "", exact(number)
        while len(bits) < most:
            top = next((z for z in (0, 1) if 0 <= left - self.digits[z] <= mpq(1, self.base)), None)
            if top is None:
                break
            bits, left = f"{bits}{top}", self.pop(left, top)
        return bits, left

    @property
    def gap(self) -> mpq:
        """How far stacks with a 1 on top are above all those with a 0 on top, at least; 0 or less if they are not."""
        return mpq(self.base - 2, self.base) - exact(self.offset)

    @property
    def slope(self) -> mpq | None:
        """The slope of the unit that gives the top, SLU(slope q - threshold); None if there is none."""
        return 1 / self.gap if self.gap > 0 else None

    @property
    def threshold(self) -> mpq | None:
        """What that unit subtracts."""
        return None if self.slope is None else self.slope * (mpq(1, self.base) + exact(self.offset))

    @property
    def fault(self) -> str | None:
        """Why no network can hold its stack so: two stacks that it does not tell apart; None if it can."""
        if not self.offset and self.gap > 0:
            return "the empty stack and the stack of one 0 are both 0"
        if self.gap == 0:
            return (
                f"the numbers of 1 and of 0 with n ones below it differ by {self.base}^-(n + 1): no slope tells the "
                "top of every stack"
            )
        if self.gap < 0:
            first, second = self._out_of_order()
            numbers = " and ".join(short_text(self.number(stack)) for stack in (first, second))
            return (
                f"the stacks {first} and {second} have the numbers {numbers}: that with a 0 on top is not the smaller"
            )
        return None

    def _out_of_order(self) -> tuple[str, str]:
        """Return the stack 1, and the shortest one of a 0 and ones below it that has no smaller number."""
        below = "0"
        while self.number(below) < self.number("1"):
            below += "1"
        return "1", below

    def intervals(self, length: int) -> tuple[tuple[str, mpq, mpq], ...]:
        """Return of all bits of that length, from the top, the least number of stacks that begin so, and the supremum.

        >>> [(bits, str(low), str(high)) for bits, low, high in CantorStack().intervals(1)]
        [('0', '1/4', '1/2'), ('1', '3/4', '1')]
        """
        length = whole_number("length", length, least=0, most=MOST_LEVELS)
        found = [("", ZERO, ONE)]
        for _ in range(length):
            found = [
                (f"{bit}{bits}", self.push(low, bit), self.push(high, bit))
                for bit in (0, 1)
                for bits, low, high in found
            ]
        return tuple(found)

    def __repr__(self) -> str:
        return f"<CantorStack: base {self.base}, offset {short_text(exact(self.offset))}>"

    def as_table(self) -> Table:
        """Return what notebooks and terminals show."""
        unit = (
            "none" if self.slope is None else f"SLU({short_text(self.slope)} q - {short_text(exact(self.threshold))})"
        )
        fields: dict[str, object] = {
            "push": f"q / {self.base} + {short_text(self.digits[0])} + z {short_text(self.digits[1] - self.digits[0])}",
            "gap": short_text(self.gap),
            "top": unit,
            "fault": self.fault or "none",
        }
        return Table.of_fields(repr(self)[1:-1], fields)


def _bit(bit: object) -> int:
    if bit not in (0, 1):
        raise OptionError(f"a bit is {shown(bit)}: give 0 or 1")
    return int(bit == 1)

"""What a step keeps and reads: bits, numbers, one of several values, stacks; and the symbols of the word."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.constructions.stacks import write_vector
from exactnn.constructions.steps.domain import BIT, UNIT, Domain
from exactnn.constructions.steps.expression import Expression, Read, Register
from exactnn.constructions.steps.stack_vector import StackVector
from exactnn.errors import ConstructionError, shown

__all__ = ["Choice", "bit", "choice", "number", "read", "read_any", "stack"]

ONE = mpq(1)


def _register(name: Hashable, domain: Domain, start: mpq) -> Expression:
    try:
        hash(name)
    except TypeError:
        raise ConstructionError(f"register {shown(name)}: its name is not hashable: give text, or a tuple") from None
    if start not in domain:
        raise ConstructionError(f"register {shown(name)} starts at {start}, which is not in {domain}")
    return Expression(((Register(name, domain, start), ONE),))


def bit(name: Hashable, *, start: int = 0) -> Expression:
    """Return a register that is 0 or 1."""
    return _register(name, BIT, exact(start))


def number(
    name: Hashable,
    *,
    start: ExactNumber = 0,
    low: ExactNumber | None = None,
    high: ExactNumber | None = None,
    whole: bool = False,
) -> Expression:
    """Return a register that holds a number from `low` to `high`; None is no bound.

    Raises
    ------
    ConstructionError
        If it does not start there.

    Examples
    --------
    >>> number("depth", low=0, whole=True).domain
    Domain(low=mpq(0,1), high=None, whole=True)
    """
    ends = [None if end is None else exact(end) for end in (low, high)]
    return _register(name, Domain(ends[0], ends[1], whole), exact(start))


@dataclass(frozen=True, slots=True)
class Choice:
    """A register that is one of several values: a bit for each, of which one is 1."""

    items: tuple[tuple[Hashable, Expression], ...]

    def __getitem__(self, value: Hashable) -> Expression:
        """Return the bit that says whether it is this value.

        Raises
        ------
        ConstructionError
            If it cannot be.
        """
        bits = dict(self.items)
        if value not in bits:
            raise ConstructionError(f"{shown(value)} is no value here: choose one of {', '.join(map(str, bits))}")
        return bits[value]

    def as_value(self, value: Hashable) -> Mapping[Hashable, Expression]:
        """Return the bits of a value."""
        self[value]
        return {other: Expression((), mpq(other == value)) for other, _ in self.items}


def choice(name: Hashable, values: Sequence[Hashable], *, start: Hashable) -> Choice:
    """Return a register that is one of `values`, `start` at first.

    >>> phase = choice("phase", ["load", "run"], start="load")
    >>> print(phase["run"])
    phase run
    """
    if start not in values:
        raise ConstructionError(f"register {shown(name)} starts at {shown(start)}, which is none of its values")
    return Choice(tuple((value, bit((name, value), start=int(value == start))) for value in values))


def stack(name: Hashable, symbols: Sequence[Hashable], *, base: int = 4, start: Sequence[Hashable] = ()) -> StackVector:
    """Return a register that holds a stack of `symbols`, `start` at first, its top in front.

    Raises
    ------
    ConstructionError
        If the base is below 3, in which tops cannot be told, or the start has other symbols.
    """
    if not isinstance(base, int) or base < 3:
        raise ConstructionError(f"base={shown(base)}: a stack needs a whole number of at least 3")
    if unknown := [a for a in start if a not in symbols]:
        raise ConstructionError(f"register {shown(name)} starts with {shown(unknown[0])}, which is no symbol of it")
    content = write_vector(tuple(start), tuple(symbols), base)
    return StackVector(base, tuple((a, _register((name, a), UNIT, content[a])) for a in symbols))


def read(symbol: str) -> Expression:
    """Return 1 if this symbol is read, else 0."""
    return Expression(((Read(symbol), ONE),))


def read_any(symbols: Sequence[str]) -> dict[Hashable, Expression]:
    """Return for each of these symbols whether it is read: what `push` takes."""
    return {symbol: read(symbol) for symbol in symbols}

"""What a step keeps and reads: bits, numbers, one of several values, stacks; and the symbols of the word.

A stack is one number in [0, 1] for each symbol, in base b, as `exactnn.constructions.stack_numbers` writes it: with a
on top and z below it is ((b-1)/b) e_a + z/b. That the numbers are a stack is what the domains of `top` and `pop` rest
on; a direct evaluation checks the domains, not that two symbols are never on top at once.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from exactnn.arithmetic import ExactNumber, exact
from exactnn.constructions.stack_numbers import write_vector
from exactnn.constructions.steps.expression import (
    BIT,
    UNIT,
    Domain,
    Expression,
    Operand,
    Read,
    Register,
    alternative,
    as_expression,
    joined,
    known,
    slu,
)
from exactnn.errors import ConstructionError, shown
from exactnn.options import whole_number

__all__ = ["Choice", "StackVector", "bit", "choice", "number", "pop", "push", "read", "read_any", "stack", "top"]

ONE = mpq(1)


@dataclass(frozen=True, slots=True)
class StackVector:
    """A stack as an expression for each symbol."""

    base: int
    items: tuple[tuple[Hashable, Expression], ...]

    @property
    def symbols(self) -> tuple[Hashable, ...]:
        """What the stack can hold."""
        return tuple(symbol for symbol, _ in self.items)

    def __getitem__(self, symbol: Hashable) -> Expression:
        """Return the number for a symbol."""
        self.check(symbol)
        return dict(self.items)[symbol]

    def check(self, symbol: Hashable) -> None:
        """Raise ConstructionError unless the stack can hold the symbol."""
        if symbol not in self.symbols:
            raise ConstructionError(
                f"{shown(symbol)} is no symbol of this stack: it holds {', '.join(map(str, self.symbols))}"
            )

    def mapped(self, function: Callable[[Expression], Expression]) -> "StackVector":
        """Return the stack with a function applied to each of its numbers."""
        return StackVector(self.base, tuple((symbol, function(value)) for symbol, value in self.items))

    def joined(self, others: Iterable["StackVector | Expression"], conditions: Sequence[Expression]) -> "StackVector":
        """Return the sum of this and other stacks, of which at most one is not empty."""
        branches = [self, *others]
        stacks = [branch for branch in branches if isinstance(branch, StackVector)]
        if len(stacks) < len(branches):
            raise ConstructionError("cases: some branches are stacks and some are numbers: give one kind")
        if any(stack.base != self.base or stack.symbols != self.symbols for stack in stacks):
            raise ConstructionError("the stacks of cases are of different symbols or bases: give the same kind in each")
        return StackVector(
            self.base, tuple((a, joined([stack[a] for stack in stacks], conditions)) for a in self.symbols)
        )


def push(stack: StackVector, pushed: Hashable | Mapping[Hashable, Operand]) -> StackVector:
    """Return the stack with a symbol on top: ``((b-1)/b) e_a + z/b``.

    Parameters
    ----------
    stack : StackVector
    pushed : symbol, or mapping symbol -> condition
        With conditions, of which exactly one is 1, that one's symbol is pushed: `top` of another stack, or the symbols
        that are read.

    Raises
    ------
    ConstructionError
        If the stack cannot hold the symbol, or a condition may be anything but 0 and 1.

    Examples
    --------
    >>> from exactnn.constructions.steps import stack
    >>> print(push(stack("s", "ab", base=4), "a")["a"])
    1/4 s a + 3/4
    """
    _require_stack(stack, "push")
    digits: dict[Hashable, Expression] = {}
    if isinstance(pushed, Mapping):
        for symbol, condition in pushed.items():
            stack.check(symbol)
            digits[symbol] = value = as_expression(condition)
            if not BIT.includes(value.domain):
                raise ConstructionError(
                    f"push: the condition {shown(str(value))} for {shown(symbol)} lies in {value.domain} and has to "
                    f"lie in {BIT}: say within(x, 0, 1, whole=True) if you know that it does"
                )
    else:
        stack.check(pushed)
        digits[pushed] = as_expression(1)
    b = stack.base
    zero = Expression(())
    pushed_on = StackVector(b, tuple((a, (digits.get(a, zero) * (b - 1) + value) / b) for a, value in stack.items))
    return pushed_on.mapped(lambda value: alternative(value, list(digits.values()), value.domain, str(value)))


def top(stack: StackVector) -> dict[Hashable, Expression]:
    """Return for each symbol whether it is on top, ``slu(b z - 1)``, one unit each; of the empty stack none is.

    >>> from exactnn.constructions.steps import stack
    >>> top(stack("s", "ab", base=4))["a"].domain == BIT
    True
    """
    _require_stack(stack, "top")
    return {a: known(slu(stack.base * value - 1), BIT, f"top({a})") for a, value in stack.items}


def pop(stack: StackVector) -> StackVector:
    """Return the stack without its top, ``b z - (b-1) top(z)``; the empty one stays empty."""
    _require_stack(stack, "pop")
    b, tops = stack.base, top(stack)
    return StackVector(
        b, tuple((a, known(b * value - (b - 1) * tops[a], UNIT, f"pop({a})")) for a, value in stack.items)
    )


def _require_stack(stack: object, operation: str) -> None:
    if not isinstance(stack, StackVector):
        raise ConstructionError(f"{operation}: {shown(stack)} is no stack: give one made by stack(name, symbols)")


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
    base = whole_number("base", base, 3, error=ConstructionError)
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

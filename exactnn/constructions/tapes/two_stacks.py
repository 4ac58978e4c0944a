"""A tape as two stacks, each of them one number: how a plan lays it out, and how a codec reads it back.

Symbols are numbered from the blank, 0. The symbol number a is the digit 2a, so that the endless blank tape is 0. On a
semi-infinite tape the left stack ends with a digit of its own, the bottom, which is the largest.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping
from typing import Any, Generic, TypeVar

from exactnn.automata import LOST, State, Symbol, TapeConfiguration, TuringMachine
from exactnn.constructions.affine import Affine
from exactnn.constructions.construction import Codec
from exactnn.constructions.halting import reads_input
from exactnn.constructions.stack_numbers import (
    MOST_CELLS,
    count_scalar,
    is_long,
    length_in,
    read_above,
    read_scalar,
    readable,
)
from exactnn.errors import ConstructionError, shown
from exactnn.simulation import Values

__all__ = ["TwoStackCodec", "TwoStackPlan", "require_tape"]


class TwoStackPlan(ABC):
    """What the plans of networks with two stacks have in common, for symbols in the order of their numbers."""

    base: int

    def __init__(self, machine: TuringMachine, symbols: tuple[Symbol, ...]) -> None:
        self.machine = machine
        self.symbols = symbols
        self.number = {a: i for i, a in enumerate(symbols)}
        self.bounded = machine.tape == "semi_infinite"
        self.loads = reads_input(machine)
        self.bottom = len(symbols)
        self.tops = {"left": self.bottom if self.bounded else self.bottom - 1, "right": self.bottom - 1}
        """The largest symbol of each stack."""

    @abstractmethod
    def units(self) -> dict[Hashable, Affine]:
        """Return the pre-activation of every unit."""

    @abstractmethod
    def content(self, stack: str) -> Affine:
        """Return the number of the stack "left" or "right" as a form."""


Plan = TypeVar("Plan", bound=TwoStackPlan)


class TwoStackCodec(Codec, Generic[Plan]):
    """Reads the stacks of a network by its plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._units = list(plan.units())

    def nonblank(self, state: Values) -> int | None:
        """Return how many cells of the stacks are not blank; None where one is lost."""
        values = readable(self._units, state)
        left, right = self._count("left", values), self._count("right", values)
        return None if left is None or right is None else left + right

    def _lengths(self, values: Mapping[Hashable, Any]) -> tuple[int, int]:
        """Return how many digits there are to be read, the bottom among them."""
        left, right = (length_in(self._plan.content(stack).at(values), self._plan.base) for stack in ("left", "right"))
        return left, right

    def _cells(self, stack: str, values: Mapping[Hashable, Any], cells: int | None) -> list[Symbol]:
        """Return the symbols of a stack, top first; LOST where a digit is none."""
        plan = self._plan
        number = plan.content(stack).at(values)
        if plan.bounded and stack == "left":
            digits = read_above(number, plan.base, plan.bottom, cells)
        else:
            digits = read_scalar(number, plan.base, plan.tops[stack], cells)
        return [LOST if digit is None else plan.symbols[digit] for digit in digits]

    def _count(self, stack: str, values: Mapping[Hashable, Any]) -> int | None:
        plan = self._plan
        number = plan.content(stack).at(values)
        if is_long(number):
            bottom = plan.bottom if plan.bounded and stack == "left" else None
            found = count_scalar(number, plan.base, plan.tops[stack], bottom)
            if found is not None or bottom is None or length_in(number, plan.base) > MOST_CELLS:
                return found
        cells = self._cells(stack, values, None)
        return None if LOST in cells else sum(cell != plan.machine.blank_symbol for cell in cells)


def require_tape(
    machine: TuringMachine, configuration: object, *, states: Collection[State], symbols: Collection[Hashable]
) -> TapeConfiguration:
    """Return a configuration of a machine that its network has a state for.

    Raises
    ------
    ConstructionError
        If it is none, or the network does not know its state, or a symbol on its tape.
    """
    if not isinstance(configuration, TapeConfiguration):
        raise ConstructionError(f"{shown(configuration)} is not a configuration of {machine.name}")
    unknown = [a for a in configuration.tape if a not in symbols]
    if configuration.state not in states or unknown:
        what = f"tape symbol {shown(unknown[0])}" if unknown else f"state {shown(configuration.state)}"
        raise ConstructionError(f"{what} is unknown to the network of {machine.name}, or never reached")
    return configuration

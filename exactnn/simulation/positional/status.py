"""What the pattern of a state says of a register: its exact value if that is 0 or 1, else where the value lies."""

from enum import IntEnum
from typing import TypeVar

from gmpy2 import mpq

from exactnn.arithmetic import LongNumber
from exactnn.networks import Activation

__all__ = ["OUTCOMES", "RADICES", "Interval", "Status", "activated"]

N = TypeVar("N", bound=LongNumber)


class Status(IntEnum):
    """The value of a register, or the open interval that it lies in."""

    ZERO = 0
    ONE = 1
    LIVE = 2
    """Between 0 and 1."""
    BIG = 3
    """Above 1."""
    NEGATIVE = 4
    """Below 0."""

    @classmethod
    def of(cls, value: LongNumber) -> "Status":
        """Return the status of a number.

        >>> Status.of(mpq(1, 2)), Status.of(mpq(-3))
        (<Status.LIVE: 2>, <Status.NEGATIVE: 4>)
        """
        if value <= 0:
            return cls.ZERO if value == 0 else cls.NEGATIVE
        if value >= 1:
            return cls.ONE if value == 1 else cls.BIG
        return cls.LIVE


OUTCOMES: dict[Activation, tuple[Status, ...]] = {
    Activation.IDENTITY: (Status.ZERO, Status.ONE, Status.LIVE, Status.BIG, Status.NEGATIVE),
    Activation.RELU: (Status.ZERO, Status.ONE, Status.LIVE, Status.BIG, Status.ZERO),
    Activation.SLU: (Status.ZERO, Status.ONE, Status.LIVE, Status.ONE, Status.ZERO),
    Activation.HEAVISIDE: (Status.ZERO, Status.ONE, Status.ONE, Status.ONE, Status.ZERO),
}
"""The status of activation(x) for each status of x; only identity on every kept status leaves x as it is."""

RADICES: dict[Activation, int] = {activation: max(found) + 1 for activation, found in OUTCOMES.items()}
"""How many outcomes an activation has: they are numbered from 0."""


def activated(activation: Activation, x: N) -> N | mpq:
    """Return activation(x)."""
    status = OUTCOMES[activation][Status.of(x)]
    return mpq(status) if status in (Status.ZERO, Status.ONE) else x


class Interval:
    """The open interval that a form lies in, or the number that it is: a constant and weighted registers."""

    __slots__ = ("high", "low")

    def __init__(self, constant: mpq) -> None:
        self.low: mpq | None = constant  # None: unbounded
        self.high: mpq | None = constant

    def add(self, weight: mpq, status: Status) -> None:
        """Add weight times a register of that status, which is neither 0 nor 1."""
        grows = (weight > 0) == (status is not Status.NEGATIVE)
        if status is Status.LIVE:
            if weight > 0:
                self.high = None if self.high is None else self.high + weight
            else:
                self.low = None if self.low is None else self.low + weight
            return
        if status is Status.BIG:
            self.low = None if self.low is None else self.low + weight
            self.high = None if self.high is None else self.high + weight
        if grows:
            self.high = None
        else:
            self.low = None

    @property
    def status(self) -> Status | None:
        """The one status that everything inside has, or None."""
        if self.high is not None and self.high <= 0:
            return Status.NEGATIVE
        if self.low is not None and self.low >= 1:
            return Status.BIG
        if self.low is not None and self.high is not None and self.low >= 0 and self.high <= 1:
            return Status.LIVE
        return None

    @property
    def positive(self) -> bool:
        """Whether everything inside is above 0."""
        return self.low is not None and self.low >= 0

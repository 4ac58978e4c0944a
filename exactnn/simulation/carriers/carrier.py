"""What a carrier is: the operations that every number system of the compiled loop defines.

A carrier is a NamedTuple of plain numbers, the form in which a format reaches compiled code. Its class chooses the
code of the operations when the loop is compiled; its fields say the rest at run time. In all operations, `count` is the
number of the operation within the run, which chooses its random number where rounding is stochastic.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload

__all__ = ["add", "by_type", "convert", "define", "enter", "fuse", "has", "multiply", "multiply_again", "smooth"]

Body = Callable[..., Any]

_BODIES: dict[str, dict[type, Body]] = {}


def by_type(choose: Callable[..., Body | None]) -> Any:
    """Return a function for compiled code: `choose` gets the types of its arguments, and returns its body."""

    def chosen() -> None:
        raise NotImplementedError("only compiled")

    chosen.__module__ = choose.__module__  # `compiled` asks where code comes from
    overload(chosen, jit_options={"forceinline": True}, strict=False)(choose)
    return chosen


def _by_carrier(name: str) -> Any:
    bodies = _BODIES[name] = {}
    return by_type(lambda x, y, carrier, count: bodies.get(carrier.instance_class))


multiply = _by_carrier("multiply")
"""x * y, rounded: a weight times a register."""
multiply_again = _by_carrier("multiply_again")
"""The same for a product x and a third factor: in fixed point the product has its point at another place."""
add = _by_carrier("add")
"""x + y, rounded."""
fuse = _by_carrier("fuse")
"""x + y for an exact product y, rounded; only where the format has such an operation, or the processor none."""
enter = _by_carrier("enter")
"""x as a number of the accumulator, whose carrier is given; there is no y in this and the next two."""
convert = _by_carrier("convert")
"""x, a number of the accumulator, as a result, whose carrier is given."""
smooth = _by_carrier("smooth")
"""The sigmoid or tanh of x, as the number y of its kind says."""


def define(carrier: type, **bodies: Body) -> None:
    """Say what operations are in a carrier; one that it lacks is an error when a loop that needs it is compiled."""
    for name, body in bodies.items():
        _BODIES[name][carrier] = body


def has(carrier: Any, name: str) -> bool:
    """Return whether a carrier, given by its type in compiled code, has an operation."""
    return carrier.instance_class in _BODIES[name]

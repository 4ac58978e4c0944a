"""Whether a state comes again, in numba: the compiled loops look at it after every step."""

from math import copysign
from typing import Any

from numba.extending import register_jitable
from numpy.typing import NDArray

__all__ = ["alike", "first_difference"]


@register_jitable
def alike(x: Any, y: Any) -> Any:
    """Return whether two numbers are the same: 0 is not -0, a NaN is any other."""
    if x == y:
        return x != 0 or copysign(1.0, x) == copysign(1.0, y)
    return x != x and y != y


@register_jitable
def first_difference(state: NDArray[Any], anchor: NDArray[Any]) -> Any:
    """Return where the first number of a state is that differs from that of another one; their length if none does."""
    for i in range(len(anchor)):
        if not alike(state[i], anchor[i]):
            return i
    return len(anchor)

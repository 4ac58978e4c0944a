"""The names of weights: the letters of the textbooks, and those of torch, which every cell takes too."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, overload

from exactnn.errors import NetworkError

__all__ = ["TORCH_NAMES", "named_as_in_torch"]

TORCH_NAMES = {"weight_hh": "V", "weight_ih": "W", "bias": "b"}
"""The recurrent weights, the input weights, the bias."""

Layer = TypeVar("Layer")
Result = TypeVar("Result")


@overload
def named_as_in_torch(cell: type[Layer]) -> type[Layer]: ...
@overload
def named_as_in_torch(cell: Callable[..., Result]) -> Callable[..., Result]: ...
def named_as_in_torch(cell: Any) -> Any:
    """Let a function or class with the parameters V, W and b take `weight_hh`, `weight_ih` and `bias` for them.

    Raises
    ------
    NetworkError
        When it is called with both names of one parameter.

    Examples
    --------
    >>> cell = named_as_in_torch(lambda *, V, W, b: (V, W, b))
    >>> cell(weight_hh=1, weight_ih=2, b=3)
    (1, 2, 3)
    >>> cell(V=1, weight_hh=1, W=2, b=3)
    Traceback (most recent call last):
    ...
    exactnn.errors.NetworkError: V and weight_hh are two names of one parameter: give one of them
    """

    if isinstance(cell, type):
        cell.__init__ = named_as_in_torch(cell.__init__)  # type: ignore[misc]
        return cell

    @wraps(cell)
    def called(*args: Any, **parameters: Any) -> Any:
        for name, letter in TORCH_NAMES.items():
            if name in parameters:
                if letter in parameters:
                    raise NetworkError(f"{letter} and {name} are two names of one parameter: give one of them")
                parameters[letter] = parameters.pop(name)
        return cell(*args, **parameters)

    return called

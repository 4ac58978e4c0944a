"""Whether compiled code is to be had. Without numba the same results come from definitions in plain Python."""

import sys
import warnings
from functools import cache
from importlib.util import find_spec

from exactnn.errors import SlowFormatsWarning

__all__ = ["MACHINE_WORDS", "has_numba", "words_are_ready"]

MACHINE_WORDS = "exactnn.simulation.machine_words"
"""The module of a loop that plain steps do without."""


@cache
def has_numba() -> bool:
    """Return whether numba is installed; where it is not, tell once what that means.

    Warns
    -----
    SlowFormatsWarning
        At the first call where there is no numba.
    """
    if find_spec("numba") is not None:
        return True
    warnings.warn(
        "numba is not installed: float and fixed-point formats run by their definitions in plain Python, with the same "
        "results, and 50 to 400 times slower. Where it can be had: pip install numba",
        SlowFormatsWarning,
        stacklevel=2,
    )
    return False


def words_are_ready() -> bool:
    """Whether machine words were loaded before, and need not be compiled: then a network may soon go on in them."""
    module = sys.modules.get(MACHINE_WORDS)
    return module is not None and bool(module.is_ready())

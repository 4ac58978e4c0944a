"""Whether compiled code is to be had. Without numba the same results come from definitions in plain Python."""

import warnings
from functools import cache
from importlib.util import find_spec

from exactnn.errors import SlowFormatsWarning

__all__ = ["has_numba"]


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
